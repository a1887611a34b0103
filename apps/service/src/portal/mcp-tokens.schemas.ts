import { t } from "../lib/lib.ts";
import { TOKEN_CAPABILITIES } from "./capabilities.ts";

/** The most that a token lasts. */
const MOST_SECONDS = 90 * 86_400;

const TokenCapability = t.OneOf(TOKEN_CAPABILITIES);
const capabilitiesText =
  "What the token can do, in the words of portal sessions. The tools of the other capabilities are absent.";
const tenantText =
  "Your customer, by your own id. The token sees only the endpoints, events and deliveries of this tenant.";

const tokenFields = {
  id: t.WireId("key"),
  object: t.OneOf(["mcp_token"]),
  name: t.StringExample("Claude"),
  tenant: t.Tenant(tenantText),
  capabilities: t.Array(TokenCapability, { description: capabilitiesText }),
  prefix_hint: t.StringExample("jn_live_8Kx2", "The beginning of the token."),
  state: t.OneOf(["active", "expired", "revoked"]),
  expires_at: t.Timestamp,
  last_used_at: t.Nullable(t.Timestamp),
  revoked_at: t.Nullable(t.Timestamp),
  ...t.ownershipFields,
};
export const TokenView = t.Object(tokenFields, { title: "McpToken" });
export const NewTokenView = t.Object(
  {
    ...tokenFields,
    token: t.StringExample(
      "jn_live_…",
      "The token, shown only once. The client sends it as `Authorization: Bearer`. It is accepted by `/mcp` alone.",
    ),
    url: t.StringExample(
      "https://junction.example.com/mcp?toolset=operator",
      "The address of the MCP server, for the client.",
    ),
  },
  { title: "NewMcpToken" },
);
export const TokenList = t.ListOf(TokenView);
export const TokenListQuery = t.Object(
  { ...t.PageQuery, tenant: t.Optional(t.Tenant("Returns only the tokens of this tenant.")) },
  t.strict,
);
export const TokenParams = t.Object({ id: t.WireId("key") });

export const TokenBody = t.Object(
  {
    name: t.StringExample("Claude", {
      minLength: 1,
      maxLength: 100,
      description: "The display name, such as that of the assistant that gets the token.",
      ...t.readable,
    }),
    tenant: t.Optional(t.Tenant(`${tenantText} A portal session and a key of a tenant can omit it.`)),
    capabilities: t.Array(TokenCapability, {
      minItems: 1,
      maxItems: TOKEN_CAPABILITIES.length,
      uniqueItems: true,
      description: `${capabilitiesText} Not more than the caller may do.`,
      examples: [["endpoints", "deliveries"]],
    }),
    expires_in_seconds: t.Optional(
      t.Integer({
        minimum: 3600,
        maximum: MOST_SECONDS,
        default: 30 * 86_400,
        description:
          "How long the token lasts. It ends earlier with the key or the member that created it or its portal session, or when that session is revoked.",
      }),
    ),
  },
  { ...t.strict, title: "McpTokenRequest" },
);
