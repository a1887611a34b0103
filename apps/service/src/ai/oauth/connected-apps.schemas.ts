import { t } from "../../lib/lib.ts";

const { created_at: _created, ...owner } = t.ownershipFields;

const text = (example: string, maxLength: number) => t.StringExample(example, { maxLength });
const request = {
  client_id: text("app_Tz0b3k2JQpX9uYc7VnR4sLwAe1m", 500),
  redirect_uri: text("https://claude.ai/api/mcp/auth_callback", 500),
  response_type: t.Optional(text("code", 50)),
  code_challenge: t.Optional(text("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", 200)),
  code_challenge_method: t.Optional(text("S256", 50)),
  scope: t.Optional(text("actions:write proposals:read runs:read", 1000)),
  state: t.Optional(text("af0ifjsldkj", 2000)),
  resource: t.Optional(text("https://junction.example.com/mcp", 500)),
};

export const ReviewBody = t.Object(request, {
  ...t.strict,
  title: "ConnectionRequestReview",
  description: "The parameters of the app's authorization request, as the app sent them.",
});

export const ConnectBody = t.Object(
  {
    ...request,
    days: t.Optional(
      t.Integer({ minimum: 1, maximum: 90, default: 30, description: "The days until the connection ends." }),
    ),
  },
  { ...t.strict, title: "ConnectionApproval" },
);

const Host = (description: string) => t.Nullable(t.StringExample("claude.ai", { description }));

export const ReviewView = t.Object(
  {
    object: t.OneOf(["connection_request"]),
    client_id: t.StringExample("app_Tz0b3k2JQpX9uYc7VnR4sLwAe1m"),
    client_name: t.StringExample("Claude", "The name that the app gives itself."),
    client_host: Host(
      "The host that describes the app. Null for an app that registered itself: nothing about it is verified.",
    ),
    redirect_host: t.StringExample("claude.ai", "The host that receives the access."),
    scopes: t.Array(
      t.Object(
        {
          name: t.StringExample("actions:write"),
          description: t.StringExample("Run actions."),
          allowed: t.Boolean({ description: "Whether your role allows it. Otherwise, it is not granted." }),
        },
        { title: "RequestedScope" },
      ),
    ),
    actions: t.Array(
      t.Object(
        {
          key: t.StringExample("billing.refund"),
          label: t.StringExample("Refund a payment"),
          destructive: t.Boolean(),
          requires_confirmation: t.Boolean({ description: "Whether a person must approve each call." }),
        },
        { title: "OfferedAction" },
      ),
      { description: "The actions that the app could run now. Later ones follow their contracts." },
    ),
    has_more_actions: t.Boolean(),
    cancel_url: t.StringExample(
      "https://claude.ai/api/mcp/auth_callback?error=access_denied",
      "The address to open if the member does not agree.",
    ),
    ...owner,
  },
  { title: "ConnectionRequest" },
);

export const ConnectionView = t.Object(
  {
    id: t.WireId("key"),
    object: t.OneOf(["connection"]),
    redirect_url: t.StringExample(
      "https://claude.ai/api/mcp/auth_callback?code=…",
      "The address to open next, with a code for the app that works once, for a minute.",
    ),
    expires_at: t.Timestamp,
    ...owner,
  },
  { title: "Connection" },
);

export const AppListQuery = t.Object(t.PageQuery, t.strict);
export const AppParams = t.Object({ id: t.WireId("key") }, t.strict);
export const AppList = t.ListOf(
  t.Object(
    {
      id: t.WireId("key"),
      object: t.OneOf(["connected_app"]),
      client_id: t.StringExample("https://claude.ai/oauth/mcp-oauth-client-metadata"),
      client_name: t.StringExample("Claude"),
      client_host: Host("The host that describes the app. Null for an app that registered itself."),
      member_id: t.WireId("mem"),
      member_name: t.StringExample("Ada Lovelace", "The member who connected the app."),
      scopes: t.Array(t.StringExample("actions:write")),
      last_used_at: t.Nullable(t.Timestamp),
      expires_at: t.Timestamp,
      ...t.ownershipFields,
    },
    { title: "ConnectedApp" },
  ),
);
