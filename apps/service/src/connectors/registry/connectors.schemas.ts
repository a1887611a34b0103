import {
  closed,
  ListOf,
  Nullable,
  OneOf,
  Owned,
  PageQuery,
  Sample,
  secret,
  Timestamp,
  Type,
} from "../../lib/lib.ts";
import { READS, RUNTIMES } from "./description.ts";
import { HEALTHS } from "./health.ts";
import { REASON_CODES } from "./refusal.ts";
import type { SettingsInput } from "./settings.ts";
import type { SettingsForm, SettingValue } from "./settings-form.ts";
import { STATES } from "./views.ts";

const Digest = Sample("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", {
  description: "Hex SHA-256 of MANIFEST.json: it names a version to the byte.",
});
const Version = Sample("1.4.0", { description: "As its author numbered it." });
const Reason = Type.Object(
  {
    code: OneOf(REASON_CODES, "What to branch on."),
    path: Nullable(Sample("connector.php", { description: "The file that it is about." })),
    message: Sample("A file is not what was signed.", { description: "What is wrong." }),
  },
  { title: "ConnectorReason" },
);
const names = (example: string, description: string) => Type.Array(Sample(example), { description });
const Events = names("order.created", "The events that it asks to hear of; `*` is all of them.");
const Fires = names("payment.completed", "The events that it may fire.");
const Egress = names("api.stripe.com", "The hosts that it may call; `settings.<name>` is the host of that setting.");
const Reads = Type.Array(OneOf(READS), { description: "What of the workspace's data it may read." });
const Actions = names("stripe.refund", "The actions that it brings, by their contracts' keys.");

const Settings = Type.Unsafe<SettingsInput>({
  type: "object",
  maxProperties: 64,
  additionalProperties: true,
  description: "Its settings by name, as `settings_schema` has them. What is left out stays; null takes a value back.",
  examples: [{ base_url: "https://crm.example.com", api_key: "the key" }],
  ...secret,
});

/** The whole body may be left out. */
export const EnableBody = Nullable(
  Type.Object(
    {
      settings: Type.Optional(Settings),
      digest: Type.Optional(
        Type.String({
          pattern: "^[0-9a-f]{64}$",
          description:
            "The version to run. Without it the pinned one is, or, the first time, the one in the folder. An update is enabled by naming `update.digest`.",
          examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
        }),
      ),
      allow_downgrade: Type.Optional(
        Type.Boolean({ default: false, description: "Whether the version may be older than the pinned one." }),
      ),
    },
    { ...closed, title: "ConnectorEnabling" },
  ),
);
export const ChangeBody = Type.Object({ settings: Settings }, { ...closed, title: "ConnectorChange" });

export const ConnectorView = Type.Object(
  {
    object: OneOf(["connector"]),
    key: Sample("stripe", { description: "Its name, and its folder's." }),
    name: Nullable(Sample("Stripe", { description: "For people; null where nothing of the folder is believed." })),
    version: Nullable(Version),
    digest: Nullable(Digest),
    state: OneOf(
      STATES,
      "`update_available` is enabled, with another version in its folder that may be enabled here; `quarantined` was enabled, and is stopped: nobody trusted signs for it any more, or its code crashed again and again; `absent` was configured, and its folder is gone.",
    ),
    reason: Nullable(Reason),
    enabled: Type.Boolean({ description: "Its actions can be run." }),
    sandbox_only: Type.Boolean({
      description: "It counts in the sandbox only: a sandbox credential enabled it, or a development key signed it.",
    }),
    runtime: Nullable(OneOf(RUNTIMES)),
    signature: OneOf(["valid", "invalid", "unsigned"], "As keys are trusted at this moment."),
    description: Nullable(Sample("Mirrors payments.")),
    priority: Nullable(Type.Integer({ description: "Its place among what hears of an event; the lowest is first." })),
    events: Events,
    fires: Fires,
    reads: Reads,
    egress: Egress,
    mail: Nullable(Type.Boolean({ description: "Whether it may send mail by the operator's server." })),
    actions: Actions,
    identity_providers: names("stripe", "What it can find a contact by."),
    context_providers: names("last_charges", "What it can tell of a customer."),
    settings_schema: Nullable(
      Type.Unsafe<SettingsForm>({
        type: "object",
        additionalProperties: true,
        description:
          "A JSON Schema: strings, integers, booleans, `enum`, `format: uri`, and `writeOnly` for secrets; with `groups` for a form, and `test`.",
      }),
    ),
    settings: Type.Unsafe<Record<string, SettingValue>>({
      type: "object",
      additionalProperties: true,
      description: "What is set, without the secrets.",
      examples: [{ base_url: "https://crm.example.com" }],
    }),
    secrets: Type.Unsafe<Record<string, "set" | "unset">>({
      type: "object",
      additionalProperties: { type: "string", enum: ["set", "unset"] },
      description: "The secrets, which are never shown.",
      examples: [{ api_key: "set" }],
    }),
    folder: Type.Object(
      {
        status: OneOf(["verified", "refused", "absent"]),
        version: Nullable(Version),
        digest: Nullable(Digest),
        reason: Nullable(Reason),
        scanned_at: Timestamp,
      },
      { title: "ConnectorFolder", description: "What the last scan found in its folder." },
    ),
    update: Nullable(
      Type.Object(
        {
          version: Version,
          digest: Digest,
          downgrade: Type.Boolean({
            description: "It is older than the pinned one: an update needs `allow_downgrade`.",
          }),
          adds: Type.Object(
            {
              egress: Egress,
              events: Events,
              fires: Fires,
              reads: Reads,
              mail: Type.Boolean(),
              actions: Actions,
              changed_actions: names("stripe.refund", "Actions of both whose contracts differ."),
            },
            { title: "ConnectorWidening", description: "What it may do that the pinned version may not." },
          ),
        },
        { title: "ConnectorUpdate", description: "The version in the folder, where that is not the pinned one." },
      ),
    ),
    webhook_url: Nullable(
      Sample("https://junction.example.com/v1/connectors/stripe/webhook/7k2m9qaw…", {
        description:
          "Where the other service sends its webhooks: one address for each environment. Null where the connector takes none, or was never enabled.",
      }),
    ),
    health: Type.Object(
      {
        status: OneOf(
          HEALTHS,
          "`not_running` is not enabled; `idle` has not run yet; `failing` failed when it ran last; `quarantined` was stopped.",
        ),
        last_run_at: Nullable(Timestamp),
        last_error: Nullable(
          Sample("deadline: onOrder did not end within 10 s", {
            description: "Why the last call failed; null after a call that succeeded.",
          }),
        ),
      },
      { title: "ConnectorHealth" },
    ),
    ...Owned,
  },
  { title: "Connector" },
);
export const ConnectorListView = ListOf(ConnectorView);
export const ConnectorListQuery = Type.Object(PageQuery, closed);
export const RescanView = Type.Object(
  {
    object: OneOf(["connector_scan"]),
    verified: Type.Integer({ description: "Folders that hold a connector.", examples: [4] }),
    refused: Type.Integer({ description: "Folders that are refused; the list says why.", examples: [0] }),
    quarantined: Type.Integer({
      description: "Enabled connectors that were stopped, since nobody trusted signs for them any more.",
      examples: [0],
    }),
  },
  { title: "ConnectorScan" },
);
