import type { FastifyReply } from "fastify";
import { parseId, ServiceError, t } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Account, SignedIn, SignInAnswer } from "./account.ts";
import { originOf, OWN, route, sessionCaller } from "../callers/caller.routes.ts";
import type { App } from "../callers/caller.routes.ts";
import type { PasswordResets } from "./password-resets.ts";
import * as shapes from "./people.schemas.ts";
import type { Sessions } from "../sessions/sessions.ts";

const NoContent = t.Null();

/** The services of a person who signs in and manages their own account. */
interface OwnAccount {
  readonly account: Account;
  readonly sessions: Sessions;
  readonly resets: PasswordResets;
}

/** Mounts the routes to sign in and out and to manage one's own account (contract, section 9). */
export function authRoutes(app: App, own: OwnAccount): void {
  signInRoutes(app, own);
  sessionRoutes(app, own);
  passwordRoutes(app, own);
  resetRequestRoute(app, own);
  totpRoutes(app, own);
}

/** Sets the session cookie and returns the body of a sign-in's response. */
export function withCookie(reply: FastifyReply, answer: SignInAnswer): SignedIn {
  reply.header("Set-Cookie", answer.setCookie).header("Cache-Control", "no-store");
  return answer.view;
}

function signInRoutes(app: App, { account, sessions }: OwnAccount): void {
  route(app, "POST /v1/auth/sign-in", {
    config: {
      callers: "public",
      errors: [
        "sign_in_failed",
        "totp_required",
        "too_many_auth_failures",
        "workspace_mismatch",
        "password_sign_in_off",
      ],
    },
    operationId: "signIn",
    summary: "Sign in",
    description:
      "Opens a console session and returns a cookie and a CSRF token. With a second factor, the first try is answered with `totp_required`, which names what the person has. Repeat it with `totp_code`, or with the `assertion` of a passkey for `passkey_request`.",
    body: shapes.SignInBody,
    response: { 200: shapes.SignedInShape },
    handler: async (request, reply) => {
      const { email, password, totp_code: totpCode, assertion, workspace_id: id } = request.body;
      const proof = {
        email,
        password,
        totpCode,
        assertion,
        workspaceId: id === undefined ? undefined : workspaceUuid(id),
      };
      return withCookie(reply, await account.signIn(proof, originOf(request)));
    },
  });

  route(app, "POST /v1/auth/sign-out", {
    config: {
      operation: "auth.sign_out",
      audit: "session",
      ...OWN,
      errors: ["surface_not_allowed"],
    },
    operationId: "signOut",
    summary: "Sign out",
    description: "Ends the current session.",
    response: { 204: NoContent },
    handler: async (request, reply) => {
      await sessions.endThis(sessionCaller(request).session);
      reply.header("Set-Cookie", sessions.clearCookie);
    },
  });
}

function sessionRoutes(app: App, { account, sessions }: OwnAccount): void {
  route(app, "GET /v1/auth/session", {
    config: { operation: "auth.session", ...OWN, errors: ["surface_not_allowed"] },
    operationId: "getSession",
    summary: "Show the session",
    description: "Returns the signed-in person, and the CSRF token for a reloaded page.",
    response: { 200: shapes.SignedInShape },
    handler: async (request, reply) => {
      const { scope, session, memberId } = sessionCaller(request);
      reply.header("Cache-Control", "no-store");
      return await account.signedIn(scope, session, request.headers.cookie, memberId);
    },
  });

  route(app, "GET /v1/auth/sessions", {
    config: {
      operation: "auth.sessions.list",
      ...OWN,
      errors: ["surface_not_allowed"],
    },
    operationId: "listSessions",
    summary: "List sessions",
    description: "Returns the person's open sessions.",
    querystring: shapes.SessionListQuery,
    response: { 200: shapes.SessionList },
    handler: async (request) => {
      const { scope, session } = sessionCaller(request);
      return await sessions.list(scope, session, request.query);
    },
  });

  route(app, "DELETE /v1/auth/sessions/:id", {
    config: {
      operation: "auth.sessions.end",
      audit: "session",
      ...OWN,
      errors: ["surface_not_allowed"],
    },
    operationId: "endSession",
    summary: "End a session",
    description: "The session's next request is refused.",
    params: shapes.SessionParams,
    response: { 204: NoContent },
    handler: async (request) => {
      const { scope, session } = sessionCaller(request);
      await sessions.end(scope, session, request.params.id);
    },
  });
}

function passwordRoutes(app: App, { account }: OwnAccount): void {
  route(app, "POST /v1/auth/password", {
    config: {
      operation: "auth.password",
      audit: "account",
      ...OWN,
      errors: ["surface_not_allowed", "step_up_required"],
    },
    operationId: "changePassword",
    summary: "Change the password",
    description:
      "Ends the person's other sessions and the links of their Slack accounts. A person with a second factor also needs a step-up for `auth.password`, or a code. Without either: `step_up_required`.",
    body: shapes.PasswordBody,
    response: { 204: NoContent },
    handler: async (request) => {
      await account.changePassword(sessionCaller(request), request.body, originOf(request));
    },
  });

  route(app, "POST /v1/auth/reset", {
    config: { callers: "public", errors: ["reset_link_invalid"] },
    operationId: "resetPassword",
    summary: "Set a new password",
    description:
      "Requires a link, from an e-mail or from an owner. Ends all sessions of the person and all other links, the links of their Slack accounts and the invitations that they made. Their connected apps and personal API keys end too, unless `keep_keys` is true.",
    body: shapes.ResetBody,
    response: { 204: NoContent },
    handler: async (request) => {
      const { token, password, keep_keys: keepsKeys = false } = request.body;
      await account.resetPassword({ token, password, keepsKeys }, originOf(request));
    },
  });

  route(app, "POST /v1/auth/reset/review", {
    config: { callers: "public", errors: ["reset_link_invalid"] },
    operationId: "reviewPasswordReset",
    summary: "Show what a new password ends",
    description:
      "Returns the connected apps and personal API keys of the link's person, which end with the reset unless `keep_keys` is sent. The link stays unused.",
    body: shapes.TokenBody,
    response: { 200: shapes.ResetReviewShape },
    handler: async (request, reply) => {
      reply.header("Cache-Control", "no-store");
      return await account.reviewReset(request.body.token);
    },
  });
}

function resetRequestRoute(app: App, { resets }: OwnAccount): void {
  route(app, "POST /v1/password-resets", {
    config: { callers: "public", errors: ["too_many_auth_failures"] },
    operationId: "requestPasswordReset",
    summary: "Ask for a new password",
    description:
      "Sends a link to the address, which works once, for 30 minutes (`POST /v1/auth/reset`). The response is the same whether or not the address has an account.",
    body: shapes.ResetRequestBody,
    response: { 202: shapes.ResetRequestShape },
    handler: async (request) => {
      if (resets.isOn) await resets.request(request.body.email, originOf(request));
      return { object: "password_reset_request" as const, emailed: resets.isOn };
    },
  });
}

function totpRoutes(app: App, { account }: OwnAccount): void {
  route(app, "POST /v1/auth/totp/enrol", {
    config: {
      operation: "auth.totp.enrol",
      audit: "account",
      ...OWN,
      errors: ["surface_not_allowed", "conflict", "step_up_required"],
    },
    operationId: "enrolTotp",
    summary: "Set up an authenticator app",
    description:
      "Returns the secret for the authenticator app. The second factor takes effect after it is confirmed. Requires the password. A person with a passkey needs a step-up for `auth.totp.enrol`, or a recovery code.",
    body: shapes.EnrolBody,
    response: { 201: shapes.EnrolShape },
    handler: async (request) => {
      const enrolled = await account.enrolTotp(sessionCaller(request), request.body, originOf(request));
      return enrolled;
    },
  });

  route(app, "POST /v1/auth/totp/verify", {
    config: {
      operation: "auth.totp.verify",
      audit: "account",
      ...OWN,
      errors: ["surface_not_allowed", "conflict"],
    },
    operationId: "verifyTotp",
    summary: "Confirm the authenticator app",
    description: "Requires a code of the authenticator app. Returns the recovery codes, which are shown only once.",
    body: shapes.CodeBody,
    response: { 200: shapes.RecoveryShape },
    handler: async (request) => ({
      recovery_codes: await account.verifyTotp(sessionCaller(request).session, request.body.code),
    }),
  });

  route(app, "POST /v1/auth/totp/disable", {
    config: {
      operation: "auth.totp.disable",
      audit: "account",
      ...OWN,
      errors: ["surface_not_allowed", "conflict"],
    },
    operationId: "disableTotp",
    summary: "Turn off the authenticator app",
    description: "Requires a code of the authenticator app, or a recovery code. Passkeys stay.",
    body: shapes.CodeBody,
    response: { 204: NoContent },
    handler: async (request) => {
      await account.disableTotp(sessionCaller(request).session, request.body.code, originOf(request));
    },
  });
}

function workspaceUuid(id: string): Uuid {
  const parsed = parseId(id);
  if (parsed?.prefix === "ws") return parsed.uuid;
  throw new ServiceError("validation_failed", {
    errors: [{ pointer: "/workspace_id", code: "id", message: "must be a workspace's id (ws_…)" }],
  });
}
