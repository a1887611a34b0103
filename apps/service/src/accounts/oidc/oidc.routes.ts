import type { FastifyReply } from "fastify";
import { requestForm, ServiceError, t } from "../../lib/lib.ts";
import { originOf, route } from "../callers/caller.routes.ts";
import type { App } from "../callers/caller.routes.ts";
import type { Oidc, Redirect } from "./oidc.ts";

const MethodsShape = t.Object(
  {
    object: t.OneOf(["sign_in_methods"]),
    oidc: t.Nullable(
      t.Object(
        {
          issuer: t.StringExample("login.example.com", "The host of the issuer."),
          start_url: t.StringExample(
            "https://junction.example.com/v1/auth/oidc/start",
            "The address to open in the browser. The parameter `next` is the path of the console to open afterwards.",
          ),
        },
        { title: "OidcSignIn" },
      ),
    ),
  },
  { title: "SignInMethods" },
);
const InvitedBody = t.Object({ invitation: t.String({ minLength: 1, maxLength: 100, ...t.secret }) }, t.strict);

/** Mounts the routes to sign in by OpenID Connect. Without an issuer, only the list of methods. */
export function oidcRoutes(app: App, oidc: Oidc | null): void {
  route(app, "GET /v1/auth/methods", {
    config: { callers: "public" },
    operationId: "getSignInMethods",
    summary: "Show how to sign in",
    description: "Returns the issuer of OpenID Connect by which people can sign in, besides e-mail and password.",
    response: { 200: MethodsShape },
    handler: async () => {
      const started = oidc === null ? null : { issuer: oidc.issuer, start_url: oidc.startUrl };
      return { object: "sign_in_methods" as const, oidc: started };
    },
  });
  if (oidc === null) return;

  startRoutes(app, oidc);
  linkRoute(app, oidc);

  // The issuer may add parameters, so that the query has no schema.
  app.get(
    "/v1/auth/oidc/callback",
    { config: { callers: "public" }, schema: { hide: true } },
    async (request, reply) => {
      // A HEAD must not use up the code.
      if (request.method === "HEAD") return await reply.redirect("/", 302);
      return await redirect(reply, await oidc.finish(queryOf(request.url), originOf(request)));
    },
  );

  app.post(
    "/v1/auth/oidc/logout",
    { config: { callers: "public", rawBody: true }, schema: { hide: true } },
    async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const token = requestForm(body, request.headers).get("logout_token");
      if (token === null) throw new ServiceError("bad_request", { detail: "Send logout_token in a form." });
      await oidc.logOut(token, originOf(request));
      return await reply.code(200).send("");
    },
  );
}

function startRoutes(app: App, oidc: Oidc): void {
  app.get("/v1/auth/oidc/start", { config: { callers: "public" }, schema: { hide: true } }, async (request, reply) => {
    const next = queryOf(request.url).get("next") ?? "/";
    return await redirect(reply, await oidc.start({ next, invitation: null }, originOf(request)));
  });

  // A link on another site could otherwise make a person join a workspace: browsers send JSON to their own site only.
  app.post(
    "/v1/auth/oidc/start",
    {
      config: { callers: "public" },
      schema: { hide: true, body: InvitedBody, response: { 200: t.Object({ location: t.String() }) } },
    },
    async (request, reply) => {
      const { invitation } = request.body;
      const { location, cookies } = await oidc.start({ next: "/", invitation }, originOf(request));
      return await reply.header("Set-Cookie", cookies).send({ location });
    },
  );
}

function linkRoute(app: App, oidc: Oidc): void {
  // A page of this site sends it, so that the strict cookie of a session shows who is signed in.
  app.post(
    "/v1/auth/oidc/link",
    {
      config: { callers: "public" },
      schema: {
        hide: true,
        body: t.Object({}, t.strict),
        response: { 200: t.Object({ location: t.String() }) },
      },
    },
    async (request, reply) => {
      const { location, cookies } = await oidc.link(originOf(request));
      return await reply.header("Set-Cookie", cookies).header("Cache-Control", "no-store").send({ location });
    },
  );
}

function queryOf(url: string): URLSearchParams {
  const at = url.indexOf("?");
  return new URLSearchParams(at === -1 ? "" : url.slice(at));
}

async function redirect(reply: FastifyReply, { location, cookies }: Redirect): Promise<FastifyReply> {
  return await reply.header("Set-Cookie", cookies).header("Cache-Control", "no-store").redirect(location, 302);
}
