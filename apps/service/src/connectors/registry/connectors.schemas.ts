import { t } from "../../lib/lib.ts";
import { READS, RUNTIMES } from "./description.ts";
import { HEALTHS } from "./health.ts";
import { REASON_CODES } from "./version-refusal.ts";
import type { SettingsInput } from "./connector-settings.ts";
import type { SettingsForm, SettingValue } from "./settings-form.ts";

export const STATES = [
  "absent",
  "refused",
  "verified",
  "configured",
  "enabled",
  "update_available",
  "disabled",
  "quarantined",
] as const;

const ENVIRONMENTS = ["live", "sandbox"] as const;
const Digest = t.StringExample(
  "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  "Hex SHA-256 of MANIFEST.json, which identifies a version exactly.",
);
const Version = t.StringExample("1.4.0", "The version number that the author chose.");
const Reason = t.Object(
  {
    code: t.OneOf(REASON_CODES, "The code to branch on."),
    path: t.Nullable(t.StringExample("connector.php", "The file with the problem.")),
    message: t.StringExample("A file is not what was signed.", "A description of the problem."),
  },
  { title: "ConnectorReason" },
);
const names = (example: string, description: string) => t.Array(t.StringExample(example), { description });
const Events = names("order.created", "The event types that the connector subscribes to. `*` means all event types.");
const Fires = names("payment.completed", "The event types that the connector may fire.");
const Egress = names(
  "api.stripe.com",
  "The hosts that the connector may call. `settings.<name>` is the host of that setting.",
);
const Reads = t.Array(t.OneOf(READS), { description: "The data of the workspace that the connector may read." });
const Actions = names("stripe.refund", "The keys of the connector's action contracts.");

const Settings = t.Unsafe<SettingsInput>({
  type: "object",
  maxProperties: 64,
  additionalProperties: true,
  description:
    "The settings by name, as defined in `settings_schema`. Settings that are omitted keep their values. Null removes a value.",
  examples: [{ base_url: "https://crm.example.com", api_key: "the key" }],
  ...t.secret,
});

const versionDigest = (description: string) =>
  t.String({
    pattern: "^[0-9a-f]{64}$",
    description,
    examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
  });

/** The body is optional. */
export const EnableBody = t.Nullable(
  t.Object(
    {
      settings: t.Optional(Settings),
      digest: t.Optional(
        versionDigest(
          "The version to run. Default: the pinned version, or, the first time in an environment, the version in the folder. To enable an update, send `update.digest`.",
        ),
      ),
      allow_downgrade: t.Optional(
        t.Boolean({ default: false, description: "Whether the version may be older than the pinned one." }),
      ),
    },
    { ...t.strict, title: "ConnectorEnabling" },
  ),
);
/** The body is optional. */
export const PromoteBody = t.Nullable(
  t.Object(
    {
      dry_run: t.Optional(
        t.Boolean({ default: false, description: "Whether to return the difference without changing anything." }),
      ),
      source_digest: t.Optional(
        versionDigest("The version of the sandbox that you have seen. Refused with 409 if it was changed since."),
      ),
      live_digest: t.Optional(
        t.Nullable(
          versionDigest(
            "The version of live that you have seen; null if it had none. Refused with 409 if it was changed since.",
          ),
        ),
      ),
      settings: t.Optional(Settings),
      allow_downgrade: t.Optional(
        t.Boolean({ default: false, description: "Whether the version may be older than that of live." }),
      ),
    },
    { ...t.strict, title: "ConnectorPromotionRequest" },
  ),
);
export const ChangeBody = t.Object({ settings: Settings }, { ...t.strict, title: "ConnectorChange" });

const Widening = {
  egress: Egress,
  events: Events,
  fires: Fires,
  reads: Reads,
  mail: t.Boolean(),
  actions: Actions,
  changed_actions: names("stripe.refund", "Actions of both versions whose contracts differ."),
};

export const ConnectorView = t.Object(
  {
    object: t.OneOf(["connector"]),
    key: t.StringExample("stripe", "The key of the connector, which is also the name of its folder."),
    name: t.Nullable(
      t.StringExample("Stripe", "The display name. Null if the contents of the folder are not trusted."),
    ),
    version: t.Nullable(Version),
    digest: t.Nullable(Digest),
    state: t.OneOf(
      STATES,
      "`update_available`: the connector is enabled, and its folder contains another version that can be enabled. `quarantined`: the connector was enabled and has been stopped, because no trusted key signs for it any more or because its code crashed repeatedly. `absent`: the connector was configured, and its folder no longer exists.",
    ),
    reason: t.Nullable(Reason),
    enabled: t.Boolean({ description: "Whether its actions can be run." }),
    sandbox_only: t.Boolean({
      description:
        "Whether the connector is limited to the sandbox, because a sandbox credential enabled it or a development key signed it.",
    }),
    installed_in: t.Nullable(
      t.OneOf(
        ENVIRONMENTS,
        "The environment of the installation that is shown, whose settings and version these are. Null if there is none.",
      ),
    ),
    acts_in: t.Array(t.OneOf(ENVIRONMENTS), {
      description:
        "The environments that use the installation. The sandbox uses the live one, until its own is enabled. Empty before the connector is enabled for the first time.",
      examples: [["live", "sandbox"]],
    }),
    runtime: t.Nullable(t.OneOf(RUNTIMES)),
    signature: t.OneOf(["valid", "invalid", "unsigned"], "The verification result with the keys that are trusted now."),
    description: t.Nullable(t.StringExample("Mirrors payments.")),
    priority: t.Nullable(
      t.Integer({
        description: "The position of the connector among the subscribers of an event. Lower values come first.",
      }),
    ),
    events: Events,
    fires: Fires,
    reads: Reads,
    egress: Egress,
    mail: t.Nullable(t.Boolean({ description: "Whether the connector may send mail through the operator's server." })),
    actions: Actions,
    identity_providers: names("stripe", "The identifiers by which the connector can find a contact."),
    context_providers: names("last_charges", "The data about a customer that the connector can provide."),
    settings_schema: t.Nullable(
      t.Unsafe<SettingsForm>({
        type: "object",
        additionalProperties: true,
        description:
          "A JSON Schema with strings, integers, booleans, `enum`, `format: uri`, and `writeOnly` for secrets. `groups` structures the form, and `test` declares a test.",
      }),
    ),
    settings: t.Unsafe<Record<string, SettingValue>>({
      type: "object",
      additionalProperties: true,
      description: "The current settings, without the secrets.",
      examples: [{ base_url: "https://crm.example.com" }],
    }),
    secrets: t.Unsafe<Record<string, "set" | "unset">>({
      type: "object",
      additionalProperties: { type: "string", enum: ["set", "unset"] },
      description: "Whether each secret is set. Secrets are never shown.",
      examples: [{ api_key: "set" }],
    }),
    folder: t.Object(
      {
        status: t.OneOf(["verified", "refused", "absent"]),
        version: t.Nullable(Version),
        digest: t.Nullable(Digest),
        reason: t.Nullable(Reason),
        scanned_at: t.Timestamp,
      },
      { title: "ConnectorFolder", description: "The result of the last scan of the connector's folder." },
    ),
    update: t.Nullable(
      t.Object(
        {
          version: Version,
          digest: Digest,
          downgrade: t.Boolean({
            description: "Whether the version is older than the pinned one. Such an update requires `allow_downgrade`.",
          }),
          adds: t.Object(Widening, {
            title: "ConnectorWidening",
            description: "Rights of this version that the pinned version does not have.",
          }),
        },
        { title: "ConnectorUpdate", description: "The version in the folder, if it differs from the pinned one." },
      ),
    ),
    webhook_url: t.Nullable(
      t.StringExample(
        "https://junction.example.com/v1/connectors/stripe/webhook/7k2m9qaw…",
        "The URL to which the other service sends its webhooks, separate for each environment. Null if the connector accepts no webhooks, or was never enabled.",
      ),
    ),
    health: t.Object(
      {
        status: t.OneOf(
          HEALTHS,
          "`not_running`: the connector is not enabled. `idle`: it has not run yet. `failing`: its last run failed. `quarantined`: it has been stopped.",
        ),
        last_run_at: t.Nullable(t.Timestamp),
        last_error: t.Nullable(
          t.StringExample(
            "deadline: onOrder did not end within 10 s",
            "The error of the last call. Null if the last call succeeded.",
          ),
        ),
      },
      { title: "ConnectorHealth" },
    ),
    ...t.ownershipFields,
  },
  { title: "Connector" },
);
export const ConnectorListView = t.ListOf(ConnectorView);
const Which = t.Optional(
  t.OneOf(
    ENVIRONMENTS,
    "Shows the installations of this environment only. Default: that of the caller's environment, or else that of the other one. A sandbox credential cannot choose `live`.",
  ),
);
export const ConnectorQuery = t.Object({ environment: Which }, t.strict);
export const ConnectorListQuery = t.Object({ environment: Which, ...t.PageQuery }, t.strict);
export const RescanView = t.Object(
  {
    object: t.OneOf(["connector_scan"]),
    verified: t.Integer({ description: "The number of folders that contain a valid connector.", examples: [4] }),
    refused: t.Integer({
      description: "The number of folders that are refused. The list of connectors contains the reasons.",
      examples: [0],
    }),
    quarantined: t.Integer({
      description: "The number of enabled connectors that were stopped because no trusted key signs them any longer.",
      examples: [0],
    }),
  },
  { title: "ConnectorScan" },
);
export const PromotionView = t.Object(
  {
    object: t.OneOf(["connector_promotion"]),
    key: t.StringExample("stripe"),
    dry_run: t.Boolean(),
    effect: t.OneOf(
      ["create", "update", "none"],
      "Whether live gets the connector, another version of it (or runs it again), or nothing because it runs this version.",
    ),
    source_version: Version,
    source_digest: Digest,
    live_version: t.Nullable(Version),
    live_digest: t.Nullable(
      t.StringExample(
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "The version of live: after the promotion, or at the moment with `dry_run`. Null if it has none.",
      ),
    ),
    downgrade: t.Boolean({
      description: "Whether the version is older than that of live. It then requires `allow_downgrade`.",
    }),
    adds: t.Object(Widening, {
      title: "ConnectorPromotionWidening",
      description: "Rights of this version that the version of live does not have.",
    }),
    missing_settings: t.Array(t.StringExample("api_key"), {
      description: "Required settings that live does not have. Send them in `settings`: none are copied.",
    }),
    warnings: t.Array(t.String({ examples: ["The connector does not run in live. The promotion enables it."] })),
  },
  { title: "ConnectorPromotion" },
);
