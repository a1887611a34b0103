import { ServiceError } from "../../lib/lib.ts";
import { t } from "../../lib/lib.ts";
import type { Capability } from "../../portal/portal.ts";
import { applicationOf, findApplication, noApplication } from "./applications.ts";
import type { SvixDeps } from "./deps.ts";
import { bringApplication } from "./messages.routes.ts";
import { AnyBody, PortalIn } from "./shapes.schemas.ts";
import { bodyOf } from "./surface.routes.ts";
import type { Route } from "./surface.routes.ts";

const REVOKE = "portal_sessions.revoke";
/** A session of ours lasts a day at most. */
const MOST_SECONDS = 86_400;

/** The capabilities of Svix, in those of our portal. */
const CAPABILITIES: Readonly<Record<string, readonly Capability[]>> = {
  ViewBase: ["deliveries", "event_types"],
  ViewEndpointSecret: ["secrets"],
  ManageEndpointSecret: ["secrets"],
  ManageTransformations: ["transforms"],
  CreateAttempts: ["replay", "tester"],
  ManageEndpoint: ["endpoints", "filters", "secrets"],
};
const ALL = Object.keys(CAPABILITIES);
const READ_ONLY = ["ViewBase"];

export function portalAccessRoutes(route: Route, deps: SvixDeps): void {
  const { portal } = deps;

  route(
    ["POST", "/auth/app-portal-access/:app"],
    { operation: "portal_sessions.create", body: PortalIn },
    async (call) => {
      const { caller, path } = call;
      const body = bodyOf(call) as NonNullable<t.Static<typeof PortalIn>>;
      const name = path["app"] ?? "";
      const found = await findApplication(deps, caller.scope, name);
      if (found === undefined && body.application == null) throw noApplication();
      const brought = body.application;
      const { tenant } = found ?? (await bringApplication(deps, { caller, name, brought: brought ?? { name } }));
      const { url, credential } = await portal.createOpened(caller, {
        tenant,
        capabilities: capabilitiesOf(body),
        expires_in_seconds: Math.min(body.expiry ?? MOST_SECONDS, MOST_SECONDS),
      });
      return { url, token: credential };
    },
  );

  route(["POST", "/auth/logout"], { operation: undefined, body: AnyBody }, async ({ caller, reply }) => {
    await portal.end(caller.scope, caller.key.id);
    await reply.code(204).send();
    return undefined;
  });

  route(["POST", "/auth/app/:app/expire-all"], { operation: REVOKE, body: AnyBody }, async (call) => {
    const { scope } = call.caller;
    const { tenant } = await applicationOf(deps, scope, call.path["app"] ?? "");
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await portal.list(scope, { tenant, limit: 100, ...(cursor === undefined ? {} : { cursor }) });
      const open = page.data.filter(({ state }) => state === "waiting" || state === "active");
      for (const { id } of open) await portal.revoke(scope, id);
      cursor = page.next_cursor;
    }
    await call.reply.code(204).send();
    return undefined;
  });
}

function capabilitiesOf({ readOnly, capabilities }: NonNullable<t.Static<typeof PortalIn>>): Capability[] {
  const named = readOnly === true ? READ_ONLY : (capabilities ?? ALL);
  const wrong = named.findIndex((one) => !Object.hasOwn(CAPABILITIES, one));
  if (wrong !== -1) {
    const message = `must be one of ${ALL.join(", ")}`;
    throw new ServiceError("validation_failed", {
      errors: [{ pointer: `/capabilities/${wrong}`, code: "enum", message }],
    });
  }
  return [...new Set(["ViewBase", ...named].flatMap((one) => CAPABILITIES[one] ?? []))];
}
