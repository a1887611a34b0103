import { t } from "../../lib/lib.ts";
import { originOf, OWN, route, sessionCaller } from "../callers/caller.routes.ts";
import type { App } from "../callers/caller.routes.ts";
import type { Passkeys } from "./passkeys.ts";
import * as shapes from "./passkeys.schemas.ts";

const CHANGES = { audit: "account", ...OWN } as const;

/** Mounts the routes of a person's own passkeys. */
export function passkeyRoutes(app: App, passkeys: Passkeys): void {
  registrationRoutes(app, passkeys);
  keptRoutes(app, passkeys);
}

function registrationRoutes(app: App, passkeys: Passkeys): void {
  route(app, "POST /v1/auth/passkeys/begin", {
    config: {
      operation: "auth.passkeys.begin",
      ...OWN,
      errors: ["surface_not_allowed", "conflict", "step_up_required"],
    },
    operationId: "beginPasskey",
    summary: "Begin a passkey",
    description:
      "Returns what a browser needs to create a passkey or to use a security key, with a challenge for 5 minutes. An installation whose base URL names an IP address, or has no https, cannot have passkeys (`conflict`). A person with a second factor needs a step-up for `auth.passkeys.begin`, or a code; a password alone is refused with `step_up_required`.",
    body: shapes.OwnProofBody,
    response: { 201: shapes.CreationOptionsShape },
    handler: async (request) => await passkeys.begin(sessionCaller(request), request.body, originOf(request)),
  });

  route(app, "POST /v1/auth/passkeys", {
    config: { operation: "auth.passkeys.create", ...CHANGES, errors: ["surface_not_allowed", "conflict"] },
    operationId: "createPasskey",
    summary: "Add a passkey",
    description:
      "Registers what the browser created for the open challenge of this session. Signing in with a password then requires it, or another second factor. Returns recovery codes with the first second factor.",
    body: shapes.NewPasskeyBody,
    response: { 201: shapes.RegisteredShape },
    handler: async (request) => await passkeys.register(sessionCaller(request), request.body),
  });
}

function keptRoutes(app: App, passkeys: Passkeys): void {
  route(app, "GET /v1/auth/passkeys", {
    config: { operation: "auth.passkeys.list", ...OWN, errors: ["surface_not_allowed"] },
    operationId: "listPasskeys",
    summary: "List passkeys",
    description: "Returns the person's passkeys and security keys, newest first.",
    querystring: shapes.PasskeyListQuery,
    response: { 200: shapes.PasskeyList },
    handler: async (request) => await passkeys.list(sessionCaller(request), request.query),
  });

  route(app, "PATCH /v1/auth/passkeys/:id", {
    config: { operation: "auth.passkeys.update", ...CHANGES, errors: ["surface_not_allowed"] },
    operationId: "updatePasskey",
    summary: "Rename a passkey",
    description: "Changes the name that the person sees.",
    params: shapes.PasskeyParams,
    body: shapes.PasskeyNameBody,
    response: { 200: shapes.PasskeyShape },
    handler: async (request) => await passkeys.rename(sessionCaller(request), request.params.id, request.body.name),
  });

  route(app, "DELETE /v1/auth/passkeys/:id", {
    config: {
      operation: "auth.passkeys.delete",
      ...CHANGES,
      errors: ["surface_not_allowed", "step_up_required"],
    },
    operationId: "deletePasskey",
    summary: "Remove a passkey",
    description:
      "It no longer works from the next request. Recovery codes end with the last second factor. Requires a step-up for `auth.passkeys.delete` with the id, or a recovery code.",
    params: shapes.PasskeyParams,
    body: shapes.OwnProofBody,
    response: { 204: t.Null() },
    handler: async (request) => {
      await passkeys.remove(sessionCaller(request), request.params.id, request.body, originOf(request));
    },
  });
}
