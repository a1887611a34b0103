import { isEventName, isEventPattern } from "../../events/events.ts";
import { readPath, t } from "../../lib/lib.ts";
import { readJsonFile } from "./json-file.ts";
import { ConnectorRefusedError } from "./version-refusal.ts";
import { VERSION } from "./semver.ts";
import { isSecret, isUrl } from "./settings-form.ts";
import type { SettingsForm } from "./settings-form.ts";

export const RUNTIMES = ["php", "ts"] as const;
/** The data of the workspace that the connector may read. */
export const READS = ["activities", "contacts", "customers", "tickets"] as const;
export const WEBHOOK_SCHEMES = ["hex", "sha256=hex", "base64", "t=,v1=", "token"] as const;

const Name = t.String({ pattern: "^[a-z][a-z0-9_]{0,63}$" });
const Host = t.String({ minLength: 1, maxLength: 260 });
const Events = t.Array(t.String({ maxLength: 128 }), { maxItems: 100, uniqueItems: true });
const Names = t.Array(Name, { maxItems: 20, uniqueItems: true });

const DescriptionForm = t.Object(
  {
    name: t.String({ minLength: 1, maxLength: 100, pattern: String.raw`^[^\u0000-\u001f\u007f]*$` }),
    version: t.String({ pattern: VERSION.source, maxLength: 60 }),
    runtime: t.OneOf(RUNTIMES),
    egress: t.Array(Host, { maxItems: 50, uniqueItems: true }),
    events: Events,
    fires: Events,
    reads: t.Array(t.OneOf(READS), { maxItems: READS.length, uniqueItems: true }),
    priority: t.Optional(t.Integer({ minimum: 1, maximum: 99 })),
    description: t.Optional(t.String({ maxLength: 2000 })),
    identity_providers: t.Optional(Names),
    context_providers: t.Optional(Names),
    webhook: t.Optional(
      t.Nullable(
        t.Object(
          {
            verify: t.OneOf(WEBHOOK_SCHEMES),
            header: t.String({ pattern: "^[A-Za-z][A-Za-z0-9-]{0,99}$" }),
            secret: t.String({ pattern: String.raw`^settings\.[a-z][a-z0-9_]{0,63}$` }),
            /**
             * The place of the delivery's id, which is the same in each repeat: `header:<name>`, or a path in the body.
             */
            delivery_id: t.Optional(
              t.String({ maxLength: 512, pattern: String.raw`^(header:[A-Za-z][A-Za-z0-9-]{0,99}|\$.*)$` }),
            ),
          },
          t.strict,
        ),
      ),
    ),
    mail: t.Optional(t.Boolean()),
    verified_against: t.Optional(t.String({ maxLength: 500 })),
  },
  t.strict,
);

type DescriptionInput = t.Static<typeof DescriptionForm>;
/** `connector.json`, with every default: the connector's description and all of its permissions. */
export type Description = Required<DescriptionInput>;

const DEFAULTS = {
  priority: 20,
  description: "",
  identity_providers: [],
  context_providers: [],
  webhook: null,
  mail: false,
  verified_against: "",
};
const FILE = "connector.json";

/** Throws ConnectorRefusedError `connector_malformed`. */
export function readDescription(bytes: Buffer, settings: SettingsForm): Description {
  const given = readJsonFile(bytes, DescriptionForm, { code: "connector_malformed", path: FILE });
  const description = { ...DEFAULTS, ...given };
  assertEvents(description);
  for (const host of description.egress) assertValidHost(host, settings);
  const { webhook } = description;
  if (webhook !== null && !isSecret(settings.properties[settingOf(webhook.secret) ?? ""]))
    throw malformed("webhook/secret", `${webhook.secret} must name a setting that is a secret.`);
  const id = webhook?.delivery_id;
  if (id?.startsWith("$") === true && readPath(id) === undefined)
    throw malformed("webhook/delivery_id", "The value must be header:<name>, or a path such as $.id.");
  return description;
}

function assertEvents({ events, fires }: Pick<DescriptionInput, "events" | "fires">): void {
  const noPattern = events.findIndex((name) => !isEventPattern(name));
  if (noPattern >= 0)
    throw malformed(
      `events/${noPattern}`,
      "The value must be an event name, such as order.created, or a pattern, such as order.* or *.",
    );
  const noName = fires.findIndex((name) => !isEventName(name));
  if (noName >= 0) throw malformed(`fires/${noName}`, "The value must be an event name.");
}

/** Accepts a host as in a URL, with its port unless that is 443, or a setting that is a URL. */
function assertValidHost(host: string, settings: SettingsForm): void {
  const setting = settingOf(host);
  if (setting === undefined && URL.parse(`https://${host}/`)?.host !== host)
    throw malformed(
      "egress",
      `${JSON.stringify(host)} must be a host, such as api.example.com or api.example.com:8443.`,
    );
  if (setting !== undefined && !isUrl(settings.properties[setting]))
    throw malformed("egress", `${host} must name a setting that is a URL.`);
}

function settingOf(text: string): string | undefined {
  return text.startsWith("settings.") ? text.slice("settings.".length) : undefined;
}

function malformed(pointer: string, message: string): ConnectorRefusedError {
  return new ConnectorRefusedError("connector_malformed", `${FILE} is not valid: ${message}`, `${FILE}#/${pointer}`);
}
