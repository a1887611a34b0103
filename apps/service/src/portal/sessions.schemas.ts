import { t } from "../lib/lib.ts";
import { CAPABILITIES } from "./capabilities.ts";

const capabilityText =
  "`endpoints`: create, change, enable and delete endpoints. `deliveries`: deliveries with their attempts and events. `replay`: replay and cancel deliveries. `tester`: send test events. `secrets`: show and regenerate signing secrets. `filters`, `transforms`: change these of endpoints. `event_types`: the catalog of public event types. `mcp_tokens`: create MCP tokens, with which an assistant works for the tenant.";
const Capabilities = t.Array(t.OneOf(CAPABILITIES), {
  minItems: 1,
  maxItems: CAPABILITIES.length,
  uniqueItems: true,
  description: capabilityText,
  examples: [["endpoints", "deliveries", "replay"]],
});

const themeFields = {
  accent: t.StringExample("#4f46e5", {
    pattern: "^#[0-9a-fA-F]{6}$",
    description: "The color of buttons and links.",
  }),
  radius: t.Integer({ minimum: 0, maximum: 24, description: "The radius of corners in pixels.", examples: [8] }),
  font: t.StringExample("Inter, sans-serif", {
    minLength: 1,
    maxLength: 100,
    pattern: "^[A-Za-z0-9 ,_-]+$",
    description: "CSS font families that the browser already has.",
  }),
  mode: t.OneOf(["light", "dark", "auto"], "`auto` follows the browser."),
};
export const Theme = t.Object(
  {
    accent: t.Optional(themeFields.accent),
    radius: t.Optional(themeFields.radius),
    font: t.Optional(themeFields.font),
    mode: t.Optional(themeFields.mode),
  },
  { ...t.strict, title: "PortalTheme" },
);

const tenantText =
  "Your customer, by your own id. The session sees only the endpoints, events and deliveries of this tenant.";
const sessionFields = {
  id: t.WireId("prt"),
  object: t.OneOf(["portal_session"]),
  tenant: t.Tenant(tenantText),
  capabilities: t.Array(t.OneOf(CAPABILITIES), { description: capabilityText }),
  theme: Theme,
  state: t.OneOf(
    ["waiting", "active", "expired", "revoked"],
    "`waiting`: the link was not opened. `active`: it was opened, and the session lasts until `expires_at`.",
  ),
  expires_at: t.Timestamp,
  opened_at: t.Nullable(t.Timestamp),
  revoked_at: t.Nullable(t.Timestamp),
  ...t.ownershipFields,
};
export const SessionView = t.Object(sessionFields, { title: "PortalSession" });
export const NewSessionView = t.Object(
  {
    ...sessionFields,
    url: t.StringExample(
      "https://junction.example.com/portal/?workspace=ws_…#token=…",
      "The link, shown only once. It works once, and only until `url_expires_at`. Send it to the browser of your customer, and to no one else.",
    ),
    url_expires_at: t.Timestamp,
  },
  { title: "NewPortalSession" },
);
export const SessionList = t.ListOf(SessionView);
export const SessionListQuery = t.Object(
  { ...t.PageQuery, tenant: t.Optional(t.Tenant("Returns only the sessions of this tenant.")) },
  t.strict,
);
export const SessionParams = t.Object({ id: t.WireId("prt") });

export const SessionBody = t.Object(
  {
    tenant: t.Tenant(tenantText),
    capabilities: Capabilities,
    expires_in_seconds: t.Optional(
      t.Integer({
        minimum: 60,
        maximum: 86_400,
        default: 3600,
        description: "The length of the session. It ends earlier with the key or the member that created it.",
      }),
    ),
    theme: t.Optional(Theme),
    contact_email: t.Optional(
      t.Nullable(
        t.StringExample("ops@acme.example", {
          minLength: 3,
          maxLength: 254,
          pattern: "^[^@\\s]+@[^@\\s]+$",
          description:
            "The address of your customer that gets an e-mail when an endpoint of the tenant fails or is disabled, if the installation sends e-mail. It is kept for the tenant until you change it. Null removes it.",
        }),
      ),
    ),
  },
  { ...t.strict, title: "PortalSessionRequest" },
);

export const ExchangeBody = t.Object(
  {
    token: t.StringExample("q3vZ8wL5xYb2NcRk", {
      minLength: 1,
      maxLength: 100,
      description: "The token from the fragment of the link.",
      ...t.secret,
    }),
    workspace: t.Optional(
      t.StringExample("ws_7k2m9qaw01m7w4trtpe5fa2qm9ja6ten3h", {
        maxLength: 64,
        description: "The workspace in the query of the link. If it is sent, a token of another workspace is refused.",
      }),
    ),
  },
  { ...t.strict, title: "PortalExchange" },
);
export const CredentialView = t.Object(
  {
    object: t.OneOf(["portal_credential"]),
    credential: t.StringExample(
      "jn_live_…",
      "An API key that is limited to the tenant and the capabilities, shown only once. Keep it in memory.",
    ),
    expires_at: t.Timestamp,
    tenant: t.Tenant("The tenant of the session."),
    capabilities: t.Array(t.OneOf(CAPABILITIES), { description: capabilityText }),
    operations: t.Array(t.StringExample("webhook_endpoints.list"), {
      description: "The operations that the credential may call: its scopes.",
    }),
    theme: Theme,
    brand: t.Object(
      {
        name: t.Nullable(t.StringExample("Acme")),
        logo: t.Nullable(t.StringExample("data:image/png;base64,iVBORw0KGgo=")),
      },
      {
        title: "PortalBrand",
        description: "The name and the logo at the top of the page: `portal_name` and `portal_logo` of the workspace.",
      },
    ),
  },
  { title: "PortalCredential" },
);
