import { parseId } from "../../lib/lib.ts";
import { t } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { ProfileInput, ProfileRow } from "../../webhooks/webhooks.ts";
import { applicationOf, applicationView, findApplication, listApplications, noApplication } from "./applications.ts";
import type { SvixDeps } from "./deps.ts";
import { eitherOf, givenOf } from "./endpoints.ts";
import { listRequest } from "./lists.ts";
import { ApplicationIn, ApplicationPatch } from "./shapes.schemas.ts";
import { bodyOf, isSet } from "./surface.routes.ts";
import type { Route } from "./surface.routes.ts";

type ApplicationInput = Partial<t.Static<typeof ApplicationIn>>;

const UPDATE = "tenants.update";

export function applicationRoutes(route: Route, deps: SvixDeps): void {
  const { profiles } = deps.tenants;
  const shown = (scope: Scope, profile: ProfileRow): object =>
    applicationView(scope, { tenant: profile.tenant, profile });

  route(["GET", "/app"], { operation: "tenants.list" }, async (call) => {
    return await listApplications(deps, call.caller.scope, listRequest(call));
  });

  route(["POST", "/app"], { operation: UPDATE, body: ApplicationIn }, async (call) => {
    const { scope } = call.caller;
    const body = bodyOf(call) as t.Static<typeof ApplicationIn>;
    if (isSet(call, "get_if_exists") && body.uid != null) {
      const found = await findApplication(deps, scope, body.uid);
      if (found !== undefined) return applicationView(scope, found);
    }
    const made = await profiles.create(scope, { ...inputOf(body), name: body.name });
    call.reply.code(201);
    return shown(scope, made);
  });

  route(["GET", "/app/:app"], { operation: "tenants.get" }, async ({ caller: { scope }, path }) => {
    return applicationView(scope, await applicationOf(deps, scope, path["app"] ?? ""));
  });

  route(["PUT", "/app/:app"], { operation: UPDATE, body: ApplicationIn }, async (call) => {
    const { scope } = call.caller;
    const body = bodyOf(call) as t.Static<typeof ApplicationIn>;
    const name = call.path["app"] ?? "";
    const found = await findApplication(deps, scope, name);
    const whole = { uid: null, metadata: {}, rate_limit_per_second: null, ...inputOf(body), name: body.name };
    if (found !== undefined) return shown(scope, await profiles.change(scope, found.tenant, whole));
    if (parseId(name) !== undefined) throw noApplication();
    call.reply.code(201);
    return shown(scope, await profiles.create(scope, { ...whole, uid: body.uid ?? name }));
  });

  route(["PATCH", "/app/:app"], { operation: UPDATE, body: ApplicationPatch }, async (call) => {
    const { scope } = call.caller;
    const { tenant } = await applicationOf(deps, scope, call.path["app"] ?? "");
    return shown(scope, await profiles.change(scope, tenant, inputOf(bodyOf(call))));
  });

  route(["DELETE", "/app/:app"], { operation: "tenants.delete" }, async ({ caller: { scope }, path, reply }) => {
    const { tenant } = await applicationOf(deps, scope, path["app"] ?? "");
    await deps.tenants.remove(scope, tenant);
    await reply.code(204).send();
    return undefined;
  });
}

/** Returns the members that a body gives. */
export function inputOf({ name, uid, metadata, throttleRate, rateLimit }: ApplicationInput) {
  const rate = eitherOf(throttleRate, rateLimit);
  return givenOf<Partial<ProfileInput>>({ name, uid, metadata, rate_limit_per_second: rate });
}
