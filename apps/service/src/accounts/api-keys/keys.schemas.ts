import {
  closed,
  ListOf,
  Nullable,
  OneOf,
  Owned,
  PageQuery,
  Sample,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";

const MODES = ["all", "read_only", "restricted"] as const;
const ACTOR_TYPES = ["user", "service", "ai"] as const;

const modeText =
  "`all` reads and writes; `read_only` is refused on every write (403 `key_read_only`); `restricted` may do all but what `blocked_actions` names (403 `action_blocked`).";
const blockedText =
  "Operations and actions that a `restricted` key may not call: an exact name, `prefix.*`, or `*`. It blocks operations with the same effect too (`x-does`). Other modes keep the list and do not obey it.";
const scopesText =
  "`<area>:read` or `<area>:write`, where the area is the first word of an operation's or action's name, and `write` covers `read`; null is every scope.";
const permissionsText =
  "Operator permissions that action contracts can ask for. A key of role owner has every one without naming it.";
const hourText =
  "Calls in any 60 minutes, over all operations together; those of keys it was rolled from and into count too.";
const allowlistText =
  "IP addresses and CIDR ranges, IPv4 and IPv6, from which the key works; empty is from everywhere.";
const signText = "Calls without X-Service-Signature are refused (401 `signature_required`).";
const bodySchemeText = "Whether the signature scheme `body` is taken beside `v1`.";
const expiryText =
  "When the key stops working (401 `key_expired`); null is never. Seven days before, the event `key.expiring` is fired.";
const secretText = "`whsec_…`, with which this key's requests are signed instead of its text. Shown this once.";

/** A key as it is shown; never its text. */
const keyFields = {
  id: WireId("key"),
  object: OneOf(["api_key"]),
  name: Sample("Checkout, production"),
  prefix_hint: Sample("jn_live_4f2A", { description: "The first characters of the key, to know it by." }),
  permission_mode: OneOf(MODES, modeText),
  blocked_actions: Type.Array(Sample("keys.*"), { description: blockedText }),
  role: OneOf(
    ["owner", "admin", "developer", "operator", "viewer", "ai"],
    "As whom it acts. A `user` key has its person's role of the moment.",
  ),
  actor_type: OneOf(
    ACTOR_TYPES,
    "`user` acts as the person who made it, `service` as a program, `ai` as an AI, whatever a body says.",
  ),
  scopes: Nullable(Type.Array(Sample("events:write"), { description: scopesText })),
  permissions: Type.Array(Sample("refunds"), { description: permissionsText }),
  rate_limit_per_hour: Type.Integer({ description: hourText, examples: [500_000] }),
  ip_allowlist: Type.Array(Sample("203.0.113.0/24"), { description: allowlistText }),
  require_signature: Type.Boolean({ description: signText }),
  accept_body_signature: Type.Boolean({ description: bodySchemeText }),
  has_signing_secret: Type.Boolean({
    description: "Whether a secret of its own signs its requests instead of its text.",
  }),
  expires_at: Nullable(Type.String({ format: "date-time", description: expiryText })),
  last_used_at: Nullable(
    Type.String({
      format: "date-time",
      description: "Its last call with a good credential, a few seconds late at most.",
    }),
  ),
  last_used_ip: Nullable(Sample("203.0.113.20", { description: "Where that call came from." })),
  revoked_at: Nullable(Timestamp),
  replaced_by: Nullable(
    Sample("key_7k2m9qaw01m7w55zm2e64rk2bm23253456", { description: "The key that a roll made in its place." }),
  ),
  ...Owned,
};
export const KeyShape = Type.Object(keyFields, { title: "ApiKey" });
export const NewKeyShape = Type.Object(
  {
    ...keyFields,
    key: Sample("jn_live_…", { description: "The key itself, shown this once." }),
    signing_secret: Type.Optional(
      Sample("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", { description: secretText }),
    ),
  },
  { title: "ApiKeyWithText" },
);
export const ChangedKeyShape = Type.Object(
  {
    ...keyFields,
    signing_secret: Type.Optional(
      Sample("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", { description: secretText }),
    ),
  },
  { title: "ChangedApiKey" },
);
export const KeyList = ListOf(KeyShape);
export const KeyListQuery = Type.Object(PageQuery, closed);

const Pattern = Sample("keys.*", { maxLength: 200, pattern: "^(\\*|[a-z0-9_]+(\\.[a-z0-9_]+)*(\\.\\*)?)$" });
const ScopeText = Sample("events:write", { maxLength: 100, pattern: "^[a-z][a-z0-9_]*:(read|write)$" });
const Permission = Sample("refunds", { maxLength: 100, pattern: "^[a-z][a-z0-9_]*([.:][a-z0-9_]+)*$" });

const name = Sample("Checkout, production", {
  minLength: 1,
  maxLength: 100,
  description: "What it is for; people read it.",
});
const mode = OneOf(MODES, modeText);
/** What may be said of a key at any time. */
const settings = {
  blocked_actions: Type.Optional(Type.Array(Pattern, { maxItems: 200, description: blockedText })),
  role: Type.Optional(
    OneOf(
      ["admin", "developer", "operator", "viewer", "ai"],
      "At most the caller's own. A `user` key has its person's role and takes no other; the role `ai` goes with the actor type `ai`.",
    ),
  ),
  scopes: Type.Optional(Nullable(Type.Array(ScopeText, { maxItems: 100, description: scopesText }))),
  permissions: Type.Optional(Type.Array(Permission, { maxItems: 100, description: permissionsText })),
  rate_limit_per_hour: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100_000_000, description: hourText, examples: [500_000] }),
  ),
  ip_allowlist: Type.Optional(
    Type.Array(Sample("203.0.113.0/24", { maxLength: 64 }), { maxItems: 100, description: allowlistText }),
  ),
  require_signature: Type.Optional(Type.Boolean({ description: signText })),
  accept_body_signature: Type.Optional(Type.Boolean({ description: bodySchemeText })),
  expires_at: Type.Optional(
    Nullable(Type.String({ format: "date-time", description: `In the future. ${expiryText}` })),
  ),
};

export const KeyBody = Type.Object(
  {
    name,
    permission_mode: mode,
    actor_type: Type.Optional(
      OneOf(
        ACTOR_TYPES,
        "Cannot be changed later. `user` is for keys that a person's own key or session makes; `service` unless told.",
      ),
    ),
    ...settings,
    signing_secret: Type.Optional(
      Type.Boolean({
        description: "True: the answer shows a secret that signs this key's requests; then only that one does.",
      }),
    ),
  },
  {
    ...closed,
    title: "NewApiKey",
    description: "What is left out is the caller's own; nothing may go beyond it (403).",
  },
);
export const KeyPatchBody = Type.Object(
  {
    name: Type.Optional(name),
    permission_mode: Type.Optional(mode),
    ...settings,
    signing_secret: Type.Optional(
      Type.Boolean({
        description: "True: a new secret, shown in the answer, signs from now on. False: the key's text does.",
      }),
    ),
  },
  {
    ...closed,
    title: "ApiKeyChange",
    minProperties: 1,
    description:
      "Obeyed by the next request, on every node. It may take rights away from any key, and give none that the caller lacks (403).",
  },
);

/** The whole body may be left out. */
export const RollBody = Nullable(
  Type.Object(
    {
      overlap_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 604_800,
          default: 0,
          description: "How long the old key works on; with 0 it is revoked at once.",
        }),
      ),
    },
    { ...closed, title: "KeyRoll" },
  ),
);
export const KeyParams = Type.Object({ id: WireId("key") });
