import { t } from "../../lib/lib.ts";

const MODES = ["all", "read_only", "restricted"] as const;
const ACTOR_TYPES = ["user", "service", "ai"] as const;

const modeText =
  "`all` allows reads and writes. `read_only` refuses every write (403 `key_read_only`). `restricted` allows everything except `blocked_actions` (403 `action_blocked`).";
const blockedText =
  "Operations and actions that a `restricted` key must not call: an exact name, `prefix.*`, or `*`. Operations with the same effect (`x-does`) are blocked too. In other modes, the list is kept but has no effect.";
const scopesText =
  "`<area>:read` or `<area>:write`. The area is the first word of an operation's or action's name, and `write` includes `read`. Null means every scope.";
const permissionsText =
  "Operator permissions that action contracts can require. A key with the role owner has all of them implicitly.";
const hourText =
  "The maximum number of calls in any 60 minutes, over all operations. Calls of the keys that this key was rolled from and into also count.";
const allowlistText = "IPv4 and IPv6 addresses and CIDR ranges that may use the key. Empty: any address.";
const signText = "Whether calls without X-Service-Signature are refused (401 `signature_required`).";
const bodySchemeText = "Whether the signature scheme `body` is accepted in addition to `v1`.";
const expiryText =
  "When the key stops working (401 `key_expired`). Null: never. Seven days earlier, the event `key.expiring` is fired.";
const secretText = "`whsec_…`: the secret that signs this key's requests instead of the key's text. Shown only once.";

const tenantText =
  "Your customer, by your own id, to which the key is limited: it fires the events of this tenant, and manages its endpoints, deliveries, sources and keys (403 `tenant_mismatch` for all else). Cannot be changed later. Null: no limit.";

/** The fields of a key, without its text. */
const keyFields = {
  id: t.WireId("key"),
  object: t.OneOf(["api_key"]),
  name: t.StringExample("Checkout, production"),
  prefix_hint: t.StringExample("jn_live_4f2A", "The first characters of the key, which identify it."),
  permission_mode: t.OneOf(MODES, modeText),
  blocked_actions: t.Array(t.StringExample("keys.*"), { description: blockedText }),
  role: t.OneOf(
    ["owner", "admin", "developer", "operator", "viewer", "ai"],
    "The role that the key acts with. A `user` key has the current role of its person.",
  ),
  actor_type: t.OneOf(
    ACTOR_TYPES,
    "`user` acts as the person who created the key, `service` as a program, `ai` as an AI, regardless of the request body.",
  ),
  scopes: t.Nullable(t.Array(t.StringExample("events:write"), { description: scopesText })),
  tenant: t.Nullable(t.Tenant(tenantText)),
  permissions: t.Array(t.StringExample("refunds"), { description: permissionsText }),
  rate_limit_per_hour: t.Integer({ description: hourText, examples: [500_000] }),
  ip_allowlist: t.Array(t.StringExample("203.0.113.0/24"), { description: allowlistText }),
  require_signature: t.Boolean({ description: signText }),
  accept_body_signature: t.Boolean({ description: bodySchemeText }),
  has_signing_secret: t.Boolean({
    description: "Whether the key's requests are signed with a separate secret instead of the key's text.",
  }),
  expires_at: t.Nullable(t.String({ format: "date-time", description: expiryText })),
  last_used_at: t.Nullable(
    t.String({
      format: "date-time",
      description: "The time of the last call with a valid credential, at most a few seconds behind.",
    }),
  ),
  last_used_ip: t.Nullable(t.StringExample("203.0.113.20", "The IP address of the last call.")),
  revoked_at: t.Nullable(t.Timestamp),
  replaced_by: t.Nullable(
    t.StringExample("key_7k2m9qaw01m7w55zm2e64rk2bm23253456", "The key that replaced this key when it was rolled."),
  ),
  ...t.ownershipFields,
};
export const KeyShape = t.Object(keyFields, { title: "ApiKey" });
export const NewKeyShape = t.Object(
  {
    ...keyFields,
    key: t.StringExample("jn_live_…", "The text of the key, shown only once."),
    signing_secret: t.Optional(t.StringExample("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", secretText)),
  },
  { title: "ApiKeyWithText" },
);
export const ChangedKeyShape = t.Object(
  {
    ...keyFields,
    signing_secret: t.Optional(t.StringExample("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", secretText)),
  },
  { title: "ChangedApiKey" },
);
export const KeyList = t.ListOf(KeyShape);
export const KeyListQuery = t.Object(
  { ...t.PageQuery, tenant: t.Optional(t.Tenant("The tenant of the keys.")) },
  t.strict,
);

const Pattern = t.StringExample("keys.*", { maxLength: 200, pattern: "^(\\*|[a-z0-9_]+(\\.[a-z0-9_]+)*(\\.\\*)?)$" });
const ScopeText = t.StringExample("events:write", { maxLength: 100, pattern: "^[a-z][a-z0-9_]*:(read|write)$" });
const Permission = t.StringExample("refunds", { maxLength: 100, pattern: "^[a-z][a-z0-9_]*([.:][a-z0-9_]+)*$" });

const name = t.StringExample("Checkout, production", {
  minLength: 1,
  maxLength: 100,
  description: "The display name, which states the purpose of the key.",
  ...t.readable,
});
const mode = t.OneOf(MODES, modeText);
/** The settings that a request can set when it creates or changes a key. */
const settings = {
  blocked_actions: t.Optional(t.Array(Pattern, { maxItems: 200, description: blockedText })),
  role: t.Optional(
    t.OneOf(
      ["admin", "developer", "operator", "viewer", "ai"],
      "Not higher than the caller's own role. A `user` key has the role of its person and accepts no other. The role `ai` requires the actor type `ai`.",
    ),
  ),
  scopes: t.Optional(t.Nullable(t.Array(ScopeText, { maxItems: 100, description: scopesText }))),
  permissions: t.Optional(t.Array(Permission, { maxItems: 100, description: permissionsText })),
  rate_limit_per_hour: t.Optional(
    t.Integer({ minimum: 1, maximum: 100_000_000, description: hourText, examples: [500_000] }),
  ),
  ip_allowlist: t.Optional(
    t.Array(t.StringExample("203.0.113.0/24", { maxLength: 64 }), { maxItems: 100, description: allowlistText }),
  ),
  require_signature: t.Optional(t.Boolean({ description: signText })),
  accept_body_signature: t.Optional(t.Boolean({ description: bodySchemeText })),
  expires_at: t.Optional(
    t.Nullable(t.String({ format: "date-time", description: `Must be in the future. ${expiryText}` })),
  ),
};

export const KeyBody = t.Object(
  {
    name,
    permission_mode: mode,
    actor_type: t.Optional(
      t.OneOf(
        ACTOR_TYPES,
        "Cannot be changed later. `user` is for keys that a person creates with their own key or session. Default: `service`.",
      ),
    ),
    tenant: t.Optional(t.Tenant(tenantText)),
    ...settings,
    signing_secret: t.Optional(
      t.Boolean({
        description:
          "Whether to create a secret, which only the response shows. The key's requests must then be signed with the secret.",
      }),
    ),
  },
  {
    ...t.strict,
    title: "NewApiKey",
    description: "Members that are omitted take the caller's own values. No value can exceed them (403).",
  },
);
export const KeyPatchBody = t.Object(
  {
    name: t.Optional(name),
    permission_mode: t.Optional(mode),
    ...settings,
    signing_secret: t.Optional(
      t.Boolean({
        description:
          "True: creates a new secret that signs from now on, and returns it. False: the key's text signs from now on.",
      }),
    ),
  },
  {
    ...t.strict,
    title: "ApiKeyChange",
    minProperties: 1,
    description:
      "Applies to the next request, on every node. A change can remove rights from any key, but cannot add rights that the caller does not have (403).",
  },
);

/** The body is optional. */
export const RollBody = t.Nullable(
  t.Object(
    {
      overlap_seconds: t.Optional(
        t.Integer({
          minimum: 0,
          maximum: 604_800,
          default: 0,
          description: "How long the old key keeps working, in seconds. With 0, it is revoked at once.",
        }),
      ),
    },
    { ...t.strict, title: "KeyRoll" },
  ),
);
export const KeyParams = t.Object({ id: t.WireId("key") });
