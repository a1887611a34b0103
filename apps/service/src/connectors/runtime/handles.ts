import { shownSettings } from "../registry/connectors.ts";
import type { SettingValue, Version } from "../registry/connectors.ts";
import { HostError } from "../sandbox/hosts.ts";
import { randomText } from "../../lib/lib.ts";

/**
 * A call's secrets, which stay with the service: what the code gets in their place are handles that are good in this call alone. So no
 * text that comes along, in an event or from elsewhere, is taken for one.
 */
export interface Handles {
  /** The settings as the code sees them. */
  readonly settings: Readonly<Record<string, SettingValue>>;
  /** The text with the secrets in the place of their handles, each written as told. */
  exchange(text: string, written?: (secret: string) => string): string;
  /** The secret that `settings.<name>` or a handle names; other text is itself. Throws HostError `invalid` where it is not set. */
  secretOf(reference: string): string;
  /** The value of a setting that is shown; undefined where it is not set. */
  shown(name: string): SettingValue | undefined;
  /** Takes a text that holds a secret out of what comes back, too. */
  hide(text: string): void;
  /** The text without the secrets, in whatever of these forms they are sent. */
  redact(text: string): string;
}

const NAME = "[a-z][a-z0-9_]{0,63}";
const REFERENCE = new RegExp(`^settings\\.(${NAME})$`);
/** Shorter ones stand in every other text. */
const SHORTEST = 4;
const INSTEAD = "[secret]";

export function createHandles(
  { settings: form }: Pick<Version, "settings">,
  values: Parameters<typeof shownSettings>[1],
): Handles {
  const nonce = randomText(16);
  const { secrets } = values;
  const shown = shownSettings(form, values);
  const handle = new RegExp(`secret:settings\\.(${NAME}):${nonce}`, "g");
  const handles = Object.keys(secrets).map((name) => [name, `secret:settings.${name}:${nonce}`] as const);
  let hidden = formsOf(Object.values(secrets).map((secret) => secret.reveal()));
  const named = (name: string): string => {
    const secret = Object.hasOwn(secrets, name) ? secrets[name]?.reveal() : undefined;
    if (secret === undefined) throw new HostError("invalid", `settings.${name} must be a secret that is set.`);
    return secret;
  };
  const exchange: Handles["exchange"] = (text, written = (secret) => secret) =>
    text.replaceAll(handle, (_all, name: string) => written(named(name)));
  return {
    settings: { ...shown, ...Object.fromEntries(handles) },
    exchange,
    secretOf(reference) {
      const name = REFERENCE.exec(reference)?.[1];
      if (name === undefined) return exchange(reference);
      const value = Object.hasOwn(shown, name) ? shown[name] : undefined;
      return value === undefined ? named(name) : String(value);
    },
    shown: (name) => (Object.hasOwn(shown, name) ? shown[name] : undefined),
    hide(text) {
      if (!hidden.includes(text)) hidden = [text, ...hidden];
    },
    redact: (text) => hidden.reduce((left, secret) => left.replaceAll(secret, INSTEAD), text),
  };
}

/** The longest first: one secret may hold another. */
function formsOf(secrets: readonly string[]): string[] {
  const forms = secrets.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    // As PHP writes it.
    JSON.stringify(secret)
      .slice(1, -1)
      .replaceAll("/", String.raw`\/`),
    encodeURIComponent(secret),
    encodeURI(secret),
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("base64url"),
  ]);
  return [...new Set(forms)].filter((one) => one.length >= SHORTEST).toSorted((a, b) => b.length - a.length);
}
