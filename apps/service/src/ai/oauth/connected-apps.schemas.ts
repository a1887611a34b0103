import {
  ListOf,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  strict,
  StringExample,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";

const { created_at: _created, ...owner } = ownershipFields;

const text = (example: string, maxLength: number) => StringExample(example, { maxLength });
const request = {
  client_id: text("app_Tz0b3k2JQpX9uYc7VnR4sLwAe1m", 500),
  redirect_uri: text("https://claude.ai/api/mcp/auth_callback", 500),
  response_type: Type.Optional(text("code", 50)),
  code_challenge: Type.Optional(text("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", 200)),
  code_challenge_method: Type.Optional(text("S256", 50)),
  scope: Type.Optional(text("actions:write proposals:read runs:read", 1000)),
  state: Type.Optional(text("af0ifjsldkj", 2000)),
  resource: Type.Optional(text("https://junction.example.com/mcp", 500)),
};

export const ReviewBody = Type.Object(request, {
  ...strict,
  title: "ConnectionRequestReview",
  description: "The parameters of the app's authorization request, as the app sent them.",
});

export const ConnectBody = Type.Object(
  {
    ...request,
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 90, default: 30, description: "The days until the connection ends." }),
    ),
  },
  { ...strict, title: "ConnectionApproval" },
);

const Host = (description: string) => Nullable(StringExample("claude.ai", { description }));

export const ReviewView = Type.Object(
  {
    object: OneOf(["connection_request"]),
    client_id: StringExample("app_Tz0b3k2JQpX9uYc7VnR4sLwAe1m"),
    client_name: StringExample("Claude", { description: "The name that the app gives itself." }),
    client_host: Host(
      "The host that describes the app. Null for an app that registered itself: nothing about it is verified.",
    ),
    redirect_host: StringExample("claude.ai", { description: "The host that receives the access." }),
    scopes: Type.Array(
      Type.Object(
        {
          name: StringExample("actions:write"),
          description: StringExample("Run actions."),
          allowed: Type.Boolean({ description: "Whether your role allows it. Otherwise, it is not granted." }),
        },
        { title: "RequestedScope" },
      ),
    ),
    actions: Type.Array(
      Type.Object(
        {
          key: StringExample("billing.refund"),
          label: StringExample("Refund a payment"),
          destructive: Type.Boolean(),
          requires_confirmation: Type.Boolean({ description: "Whether a person must approve each call." }),
        },
        { title: "OfferedAction" },
      ),
      { description: "The actions that the app could run now. Later ones follow their contracts." },
    ),
    has_more_actions: Type.Boolean(),
    cancel_url: StringExample("https://claude.ai/api/mcp/auth_callback?error=access_denied", {
      description: "The address to open if the member does not agree.",
    }),
    ...owner,
  },
  { title: "ConnectionRequest" },
);

export const ConnectionView = Type.Object(
  {
    id: WireId("key"),
    object: OneOf(["connection"]),
    redirect_url: StringExample("https://claude.ai/api/mcp/auth_callback?code=…", {
      description: "The address to open next, with a code for the app that works once, for a minute.",
    }),
    expires_at: Timestamp,
    ...owner,
  },
  { title: "Connection" },
);

export const AppListQuery = Type.Object(PageQuery, strict);
export const AppParams = Type.Object({ id: WireId("key") }, strict);
export const AppList = ListOf(
  Type.Object(
    {
      id: WireId("key"),
      object: OneOf(["connected_app"]),
      client_id: StringExample("https://claude.ai/oauth/mcp-oauth-client-metadata"),
      client_name: StringExample("Claude"),
      client_host: Host("The host that describes the app. Null for an app that registered itself."),
      member_id: WireId("mem"),
      member_name: StringExample("Ada Lovelace", { description: "The member who connected the app." }),
      scopes: Type.Array(StringExample("actions:write")),
      last_used_at: Nullable(Timestamp),
      expires_at: Timestamp,
      ...ownershipFields,
    },
    { title: "ConnectedApp" },
  ),
);
