import {
  strict,
  ListOf,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  StringExample,
  secret,
  Timestamp,
  Type,
} from "../../lib/lib.ts";
import { READS, RUNTIMES } from "./description.ts";
import { HEALTHS } from "./health.ts";
import { REASON_CODES } from "./version-refusal.ts";
import type { SettingsInput } from "./connector-settings.ts";
import type { SettingsForm, SettingValue } from "./settings-form.ts";
import { STATES } from "./connector-view.ts";

const ENVIRONMENTS = ["live", "sandbox"] as const;
const Digest = StringExample("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", {
  description: "Hex SHA-256 of MANIFEST.json, which identifies a version exactly.",
});
const Version = StringExample("1.4.0", { description: "The version number that the author chose." });
const Reason = Type.Object(
  {
    code: OneOf(REASON_CODES, "The code to branch on."),
    path: Nullable(StringExample("connector.php", { description: "The file with the problem." })),
    message: StringExample("A file is not what was signed.", { description: "A description of the problem." }),
  },
  { title: "ConnectorReason" },
);
const names = (example: string, description: string) => Type.Array(StringExample(example), { description });
const Events = names("order.created", "The event types that the connector subscribes to. `*` means all event types.");
const Fires = names("payment.completed", "The event types that the connector may fire.");
const Egress = names(
  "api.stripe.com",
  "The hosts that the connector may call. `settings.<name>` is the host of that setting.",
);
const Reads = Type.Array(OneOf(READS), { description: "The data of the workspace that the connector may read." });
const Actions = names("stripe.refund", "The keys of the connector's action contracts.");

const Settings = Type.Unsafe<SettingsInput>({
  type: "object",
  maxProperties: 64,
  additionalProperties: true,
  description:
    "The settings by name, as defined in `settings_schema`. Settings that are omitted keep their values. Null removes a value.",
  examples: [{ base_url: "https://crm.example.com", api_key: "the key" }],
  ...secret,
});

const versionDigest = (description: string) =>
  Type.String({
    pattern: "^[0-9a-f]{64}$",
    description,
    examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
  });

/** The body is optional. */
export const EnableBody = Nullable(
  Type.Object(
    {
      settings: Type.Optional(Settings),
      digest: Type.Optional(
        versionDigest(
          "The version to run. Default: the pinned version, or, the first time in an environment, the version in the folder. To enable an update, send `update.digest`.",
        ),
      ),
      allow_downgrade: Type.Optional(
        Type.Boolean({ default: false, description: "Whether the version may be older than the pinned one." }),
      ),
    },
    { ...strict, title: "ConnectorEnabling" },
  ),
);
/** The body is optional. */
export const PromoteBody = Nullable(
  Type.Object(
    {
      dry_run: Type.Optional(
        Type.Boolean({ default: false, description: "Whether to return the difference without changing anything." }),
      ),
      source_digest: Type.Optional(
        versionDigest("The version of the sandbox that you have seen. Refused with 409 if it was changed since."),
      ),
      live_digest: Type.Optional(
        Nullable(
          versionDigest(
            "The version of live that you have seen; null if it had none. Refused with 409 if it was changed since.",
          ),
        ),
      ),
      settings: Type.Optional(Settings),
      allow_downgrade: Type.Optional(
        Type.Boolean({ default: false, description: "Whether the version may be older than that of live." }),
      ),
    },
    { ...strict, title: "ConnectorPromotionRequest" },
  ),
);
export const ChangeBody = Type.Object({ settings: Settings }, { ...strict, title: "ConnectorChange" });

const Widening = {
  egress: Egress,
  events: Events,
  fires: Fires,
  reads: Reads,
  mail: Type.Boolean(),
  actions: Actions,
  changed_actions: names("stripe.refund", "Actions of both versions whose contracts differ."),
};

export const ConnectorView = Type.Object(
  {
    object: OneOf(["connector"]),
    key: StringExample("stripe", { description: "The key of the connector, which is also the name of its folder." }),
    name: Nullable(
      StringExample("Stripe", { description: "The display name. Null if the contents of the folder are not trusted." }),
    ),
    version: Nullable(Version),
    digest: Nullable(Digest),
    state: OneOf(
      STATES,
      "`update_available`: the connector is enabled, and its folder contains another version that can be enabled. `quarantined`: the connector was enabled and has been stopped, because no trusted key signs for it any more or because its code crashed repeatedly. `absent`: the connector was configured, and its folder no longer exists.",
    ),
    reason: Nullable(Reason),
    enabled: Type.Boolean({ description: "Whether its actions can be run." }),
    sandbox_only: Type.Boolean({
      description:
        "Whether the connector is limited to the sandbox, because a sandbox credential enabled it or a development key signed it.",
    }),
    installed_in: Nullable(
      OneOf(
        ENVIRONMENTS,
        "The environment of the installation that is shown, whose settings and version these are. Null if there is none.",
      ),
    ),
    acts_in: Type.Array(OneOf(ENVIRONMENTS), {
      description:
        "The environments that use the installation. The sandbox uses the live one, until its own is enabled. Empty before the connector is enabled for the first time.",
      examples: [["live", "sandbox"]],
    }),
    runtime: Nullable(OneOf(RUNTIMES)),
    signature: OneOf(["valid", "invalid", "unsigned"], "The verification result with the keys that are trusted now."),
    description: Nullable(StringExample("Mirrors payments.")),
    priority: Nullable(
      Type.Integer({
        description: "The position of the connector among the subscribers of an event. Lower values come first.",
      }),
    ),
    events: Events,
    fires: Fires,
    reads: Reads,
    egress: Egress,
    mail: Nullable(Type.Boolean({ description: "Whether the connector may send mail through the operator's server." })),
    actions: Actions,
    identity_providers: names("stripe", "The identifiers by which the connector can find a contact."),
    context_providers: names("last_charges", "The data about a customer that the connector can provide."),
    settings_schema: Nullable(
      Type.Unsafe<SettingsForm>({
        type: "object",
        additionalProperties: true,
        description:
          "A JSON Schema with strings, integers, booleans, `enum`, `format: uri`, and `writeOnly` for secrets. `groups` structures the form, and `test` declares a test.",
      }),
    ),
    settings: Type.Unsafe<Record<string, SettingValue>>({
      type: "object",
      additionalProperties: true,
      description: "The current settings, without the secrets.",
      examples: [{ base_url: "https://crm.example.com" }],
    }),
    secrets: Type.Unsafe<Record<string, "set" | "unset">>({
      type: "object",
      additionalProperties: { type: "string", enum: ["set", "unset"] },
      description: "Whether each secret is set. Secrets are never shown.",
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
      { title: "ConnectorFolder", description: "The result of the last scan of the connector's folder." },
    ),
    update: Nullable(
      Type.Object(
        {
          version: Version,
          digest: Digest,
          downgrade: Type.Boolean({
            description: "Whether the version is older than the pinned one. Such an update requires `allow_downgrade`.",
          }),
          adds: Type.Object(Widening, {
            title: "ConnectorWidening",
            description: "Rights of this version that the pinned version does not have.",
          }),
        },
        { title: "ConnectorUpdate", description: "The version in the folder, if it differs from the pinned one." },
      ),
    ),
    webhook_url: Nullable(
      StringExample("https://junction.example.com/v1/connectors/stripe/webhook/7k2m9qaw…", {
        description:
          "The URL to which the other service sends its webhooks, separate for each environment. Null if the connector accepts no webhooks, or was never enabled.",
      }),
    ),
    health: Type.Object(
      {
        status: OneOf(
          HEALTHS,
          "`not_running`: the connector is not enabled. `idle`: it has not run yet. `failing`: its last run failed. `quarantined`: it has been stopped.",
        ),
        last_run_at: Nullable(Timestamp),
        last_error: Nullable(
          StringExample("deadline: onOrder did not end within 10 s", {
            description: "The error of the last call. Null if the last call succeeded.",
          }),
        ),
      },
      { title: "ConnectorHealth" },
    ),
    ...ownershipFields,
  },
  { title: "Connector" },
);
export const ConnectorListView = ListOf(ConnectorView);
const Which = Type.Optional(
  OneOf(
    ENVIRONMENTS,
    "Shows the installations of this environment only. Default: that of the caller's environment, or else that of the other one. A sandbox credential cannot choose `live`.",
  ),
);
export const ConnectorQuery = Type.Object({ environment: Which }, strict);
export const ConnectorListQuery = Type.Object({ environment: Which, ...PageQuery }, strict);
export const RescanView = Type.Object(
  {
    object: OneOf(["connector_scan"]),
    verified: Type.Integer({ description: "The number of folders that contain a valid connector.", examples: [4] }),
    refused: Type.Integer({
      description: "The number of folders that are refused. The list of connectors contains the reasons.",
      examples: [0],
    }),
    quarantined: Type.Integer({
      description: "The number of enabled connectors that were stopped because no trusted key signs them any longer.",
      examples: [0],
    }),
  },
  { title: "ConnectorScan" },
);
export const PromotionView = Type.Object(
  {
    object: OneOf(["connector_promotion"]),
    key: StringExample("stripe"),
    dry_run: Type.Boolean(),
    effect: OneOf(
      ["create", "update", "none"],
      "Whether live gets the connector, another version of it (or runs it again), or nothing because it runs this version.",
    ),
    source_version: Version,
    source_digest: Digest,
    live_version: Nullable(Version),
    live_digest: Nullable(
      StringExample("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", {
        description: "The version of live: after the promotion, or at the moment with `dry_run`. Null if it has none.",
      }),
    ),
    downgrade: Type.Boolean({
      description: "Whether the version is older than that of live. It then requires `allow_downgrade`.",
    }),
    adds: Type.Object(Widening, {
      title: "ConnectorPromotionWidening",
      description: "Rights of this version that the version of live does not have.",
    }),
    missing_settings: Type.Array(StringExample("api_key"), {
      description: "Required settings that live does not have. Send them in `settings`: none are copied.",
    }),
    warnings: Type.Array(Type.String({ examples: ["The connector does not run in live. The promotion enables it."] })),
  },
  { title: "ConnectorPromotion" },
);
