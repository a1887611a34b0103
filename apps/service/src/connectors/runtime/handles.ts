import { shownSettings } from "../registry/connectors.ts";
import type { SettingValue, Version } from "../registry/connectors.ts";
import { HostError } from "../sandbox/hosts.ts";
import { randomText } from "../../lib/lib.ts";

/**
 * The secrets of a call, which stay in the service. The code receives handles that are valid only in this call, so no
 * text from an event or another source can pass as a handle.
 */
export interface Handles {
  /** The settings as the code sees them, with handles in place of secrets. */
  readonly settings: Readonly<Record<string, SettingValue>>;
  /** Returns the text with each handle replaced by its secret, encoded by `written`. */
  exchange(text: string, written?: (secret: string) => string): string;
  /**
   * Returns the setting of `settings.<name>` or the secret of a handle; other text is returned unchanged. Throws
   * HostError `invalid` if it is not set.
   */
  secretOf(reference: string): string;
  /** Returns the value of a setting that is not a secret, or undefined if it is not set. */
  shown(name: string): SettingValue | undefined;
  /** Adds a text that contains a secret to the texts that are redacted. */
  hide(text: string): void;
  /** Returns the text without the secrets, in all of their encodings. */
  redact(text: string): string;
}

const NAME = "[a-z][a-z0-9_]{0,63}";
const REFERENCE = new RegExp(`^settings\\.(${NAME})$`);
/** The minimum length of a redacted form. Shorter ones occur in many other texts. */
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

/** Returns the encodings of the secrets. The longest come first, because one secret may contain another. */
function formsOf(secrets: readonly string[]): string[] {
  const forms = secrets.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    // The encoding of PHP.
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
