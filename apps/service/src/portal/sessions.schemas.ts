import {
  strict,
  ListOf,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  secret,
  StringExample,
  Tenant,
  Timestamp,
  Type,
  WireId,
} from "../lib/lib.ts";
import { CAPABILITIES } from "./capabilities.ts";

const capabilityText =
  "`endpoints`: create, change, enable and delete endpoints. `deliveries`: deliveries with their attempts and events. `replay`: replay and cancel deliveries. `tester`: send test events. `secrets`: show and regenerate signing secrets. `filters`, `transforms`: change these of endpoints. `event_types`: the catalog of public event types.";
const Capabilities = Type.Array(OneOf(CAPABILITIES), {
  minItems: 1,
  maxItems: CAPABILITIES.length,
  uniqueItems: true,
  description: capabilityText,
  examples: [["endpoints", "deliveries", "replay"]],
});

const themeFields = {
  accent: StringExample("#4f46e5", {
    pattern: "^#[0-9a-fA-F]{6}$",
    description: "The color of buttons and links.",
  }),
  radius: Type.Integer({ minimum: 0, maximum: 24, description: "The radius of corners in pixels.", examples: [8] }),
  font: StringExample("Inter, sans-serif", {
    minLength: 1,
    maxLength: 100,
    pattern: "^[A-Za-z0-9 ,_-]+$",
    description: "CSS font families that the browser already has.",
  }),
  mode: OneOf(["light", "dark", "auto"], "`auto` follows the browser."),
};
export const Theme = Type.Object(
  {
    accent: Type.Optional(themeFields.accent),
    radius: Type.Optional(themeFields.radius),
    font: Type.Optional(themeFields.font),
    mode: Type.Optional(themeFields.mode),
  },
  { ...strict, title: "PortalTheme" },
);

const tenantText =
  "Your customer, by your own id. The session sees only the endpoints, events and deliveries of this tenant.";
const sessionFields = {
  id: WireId("prt"),
  object: OneOf(["portal_session"]),
  tenant: Tenant(tenantText),
  capabilities: Type.Array(OneOf(CAPABILITIES), { description: capabilityText }),
  theme: Theme,
  state: OneOf(
    ["waiting", "active", "expired", "revoked"],
    "`waiting`: the link was not opened. `active`: it was opened, and the session lasts until `expires_at`.",
  ),
  expires_at: Timestamp,
  opened_at: Nullable(Timestamp),
  revoked_at: Nullable(Timestamp),
  ...ownershipFields,
};
export const SessionView = Type.Object(sessionFields, { title: "PortalSession" });
export const NewSessionView = Type.Object(
  {
    ...sessionFields,
    url: StringExample("https://junction.example.com/portal/?workspace=ws_…#token=…", {
      description:
        "The link, shown only once. It works once, and only until `url_expires_at`. Send it to the browser of your customer, and to no one else.",
    }),
    url_expires_at: Timestamp,
  },
  { title: "NewPortalSession" },
);
export const SessionList = ListOf(SessionView);
export const SessionListQuery = Type.Object(
  { ...PageQuery, tenant: Type.Optional(Tenant("Returns only the sessions of this tenant.")) },
  strict,
);
export const SessionParams = Type.Object({ id: WireId("prt") });

export const SessionBody = Type.Object(
  {
    tenant: Tenant(tenantText),
    capabilities: Capabilities,
    expires_in_seconds: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 86_400,
        default: 3600,
        description: "The length of the session. It ends earlier with the key or the member that created it.",
      }),
    ),
    theme: Type.Optional(Theme),
    contact_email: Type.Optional(
      Nullable(
        StringExample("ops@acme.example", {
          minLength: 3,
          maxLength: 254,
          pattern: "^[^@\\s]+@[^@\\s]+$",
          description:
            "The address of your customer that gets an e-mail when an endpoint of the tenant fails or is disabled, if the installation sends e-mail. It is kept for the tenant until you change it. Null removes it.",
        }),
      ),
    ),
  },
  { ...strict, title: "PortalSessionRequest" },
);

export const ExchangeBody = Type.Object(
  {
    token: StringExample("q3vZ8wL5xYb2NcRk", {
      minLength: 1,
      maxLength: 100,
      description: "The token from the fragment of the link.",
      ...secret,
    }),
    workspace: Type.Optional(
      StringExample("ws_7k2m9qaw01m7w4trtpe5fa2qm9ja6ten3h", {
        maxLength: 64,
        description: "The workspace in the query of the link. If it is sent, a token of another workspace is refused.",
      }),
    ),
  },
  { ...strict, title: "PortalExchange" },
);
export const CredentialView = Type.Object(
  {
    object: OneOf(["portal_credential"]),
    credential: StringExample("jn_live_…", {
      description: "An API key that is limited to the tenant and the capabilities, shown only once. Keep it in memory.",
    }),
    expires_at: Timestamp,
    tenant: Tenant("The tenant of the session."),
    capabilities: Type.Array(OneOf(CAPABILITIES), { description: capabilityText }),
    operations: Type.Array(StringExample("webhook_endpoints.list"), {
      description: "The operations that the credential may call: its scopes.",
    }),
    theme: Theme,
    brand: Type.Object(
      { name: Nullable(StringExample("Acme")), logo: Nullable(StringExample("data:image/png;base64,iVBORw0KGgo=")) },
      {
        title: "PortalBrand",
        description: "The name and the logo at the top of the page: `portal_name` and `portal_logo` of the workspace.",
      },
    ),
  },
  { title: "PortalCredential" },
);
