import { parseId, ServiceError } from "../../lib/lib.ts";
import { t } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { namedAuthorOf } from "../../webhooks/webhooks.ts";
import type { EndpointView } from "../../webhooks/webhooks.ts";
import { applicationOf, findApplication, noApplication } from "./applications.ts";
import type { SvixDeps } from "./deps.ts";
import {
  changedHeaders,
  endpointId,
  endpointOf,
  endpointView,
  headersOf,
  inputOf,
  secretOf,
  wholeInput,
} from "./endpoints.ts";
import type { EndpointFields } from "./endpoints.ts";
import { listText, unknownIterator, listRequest } from "./lists.ts";
import * as shapes from "./shapes.schemas.ts";
import { bodyOf } from "./surface.routes.ts";
import type { Call, Route } from "./surface.routes.ts";

const CREATE = "webhook_endpoints.create";
const UPDATE = "webhook_endpoints.update";
const SECRET = "webhook_endpoints.secret";
const REGENERATE = "webhook_endpoints.secret.regenerate";
const HEADERS = "webhook_endpoints.headers";
/** Its libraries get no key from a rotation, and that for Java fails on a body, after the secret has changed. */
const FIRST_GENERATION = /^svix-libs\/1\./;
const DEFAULT_GRACE_SECONDS = 86_400;

export function endpointRoutes(route: Route, deps: SvixDeps): void {
  const { endpoints } = deps.deliver;

  route(["GET", "/app/:app/endpoint"], { operation: "webhook_endpoints.list" }, async (call) => {
    return await listEndpoints(deps, call);
  });

  route(
    ["POST", "/app/:app/endpoint"],
    { operation: CREATE, needsWith: { secret: REGENERATE }, body: shapes.EndpointIn },
    async (call) => {
      const { tenant } = await applicationOf(deps, call.caller.scope, call.path["app"] ?? "");
      call.reply.code(201);
      return endpointView(await create(deps, call, tenant, bodyOf(call)));
    },
  );

  route(["GET", "/app/:app/endpoint/:endpoint"], { operation: "webhook_endpoints.get" }, async (call) => {
    return endpointView((await endpointOf(deps, call)).endpoint);
  });

  route(
    ["PUT", "/app/:app/endpoint/:endpoint"],
    { operation: UPDATE, also: [CREATE, "webhook_endpoints.toggle"], needs: [CREATE], body: shapes.EndpointUpdate },
    async (call) => await put(deps, call),
  );

  route(
    ["PATCH", "/app/:app/endpoint/:endpoint"],
    {
      operation: UPDATE,
      alsoWith: { disabled: "webhook_endpoints.toggle", secret: REGENERATE },
      needs: [CREATE],
      needsWith: { secret: REGENERATE },
      body: shapes.EndpointPatch,
    },
    async (call) => {
      const { endpoint } = await endpointOf(deps, call);
      const { secret: given, ...body } = bodyOf(call) as EndpointFields;
      const secret = secretOf(given, "/secret");
      const changed = await change(deps, call, endpoint, body);
      if (secret !== undefined) await endpoints.regenerate(call.caller, endpoint.id, DEFAULT_GRACE_SECONDS, secret);
      return endpointView(changed);
    },
  );

  route(["DELETE", "/app/:app/endpoint/:endpoint"], { operation: "webhook_endpoints.delete" }, async (call) => {
    const { endpoint } = await endpointOf(deps, call);
    call.request.aboutTenant = endpoint.tenant;
    await endpoints.remove(call.caller.scope, endpoint.id);
    await call.reply.code(204).send();
    return undefined;
  });

  secretRoutes(route, deps);
  headerRoutes(route, deps);
}

function secretRoutes(route: Route, deps: SvixDeps): void {
  const { endpoints } = deps.deliver;

  route(["GET", "/app/:app/endpoint/:endpoint/secret"], { operation: SECRET }, async (call) => {
    const { endpoint } = await endpointOf(deps, call);
    call.request.aboutTenant = endpoint.tenant;
    return { key: (await endpoints.reveal(call.caller, endpoint.id)).secret };
  });

  route(
    ["POST", "/app/:app/endpoint/:endpoint/secret/rotate"],
    { operation: REGENERATE, body: shapes.RotateIn },
    async (call) => {
      const { endpoint } = await endpointOf(deps, call);
      const { key, gracePeriodSeconds } = bodyOf(call) as NonNullable<t.Static<typeof shapes.RotateIn>>;
      call.request.aboutTenant = endpoint.tenant;
      const overlap = gracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
      const changed = await endpoints.regenerate(call.caller, endpoint.id, overlap, secretOf(key, "/key"));
      if (!FIRST_GENERATION.test(call.request.headers["user-agent"] ?? "")) return { key: changed.secret };
      await call.reply.code(204).send();
      return undefined;
    },
  );
}

function headerRoutes(route: Route, deps: SvixDeps): void {
  const url = "/app/:app/endpoint/:endpoint/headers";
  const { endpoints } = deps.deliver;

  route(["GET", url], { operation: "webhook_endpoints.get" }, async (call) => {
    const { endpoint } = await endpointOf(deps, call);
    const names = Object.keys(endpoint.headers);
    if (names.length === 0 || !deps.accessChecks.mayCall(call.caller.key, HEADERS))
      return { headers: {}, sensitive: names };
    const shown = await endpoints.revealHeaders(call.caller.scope, endpoint.id);
    // Their values are secrets, so each look at them is recorded, as it is under /v1.
    await deps.accessChecks.record({
      caller: call.caller,
      subject: "endpoint",
      action: HEADERS,
      parameters: { id: endpoint.id },
      result: null,
      succeeded: true,
      tenant: endpoint.tenant,
    });
    return { headers: shown.headers, sensitive: [] };
  });

  route(["PUT", url], { operation: UPDATE, needs: [CREATE], body: shapes.HeadersIn }, async (call) => {
    const { endpoint } = await endpointOf(deps, call);
    const { headers } = bodyOf(call) as t.Static<typeof shapes.HeadersIn>;
    await endpoints.change(call.caller.scope, endpoint.id, { headers: headersOf(headers) });
    await call.reply.code(204).send();
    return undefined;
  });

  route(["PATCH", url], { operation: UPDATE, needs: [CREATE], body: shapes.HeadersPatch }, async (call) => {
    const { endpoint } = await endpointOf(deps, call);
    const { headers = {}, deleteHeaders } = bodyOf(call) as t.Static<typeof shapes.HeadersPatch>;
    const changed = changedHeaders(endpoint, headers, deleteHeaders ?? []);
    await endpoints.change(call.caller.scope, endpoint.id, { headers: changed });
    await call.reply.code(204).send();
    return undefined;
  });
}

async function create(deps: SvixDeps, { caller }: Call, tenant: string, body: EndpointFields): Promise<EndpointView> {
  const secret = secretOf(body.secret, "/secret");
  const { headers } = body;
  const input = {
    ...wholeInput(body),
    tenant,
    wire: "svix" as const,
    ...(headers == null ? {} : { headers: headersOf(headers) }),
  };
  await deps.deliver.endpoints.assertShown(caller, input);
  return await deps.deliver.endpoints.create(
    caller.scope,
    input,
    namedAuthorOf(caller.key),
    ...(secret === undefined ? [] : [{ secret }]),
  );
}

async function change(
  deps: SvixDeps,
  { caller }: Call,
  { id }: EndpointView,
  body: EndpointFields,
): Promise<EndpointView> {
  const { endpoints } = deps.deliver;
  const input = inputOf(body);
  await endpoints.assertShown(caller, input, id);
  return await endpoints.change(caller.scope, id, input, namedAuthorOf(caller.key));
}

/** Replaces an endpoint. One that does not exist is created, with the name in the path as its `uid`. */
async function put(deps: SvixDeps, call: Call): Promise<object> {
  const { scope } = call.caller;
  const body = bodyOf(call) as EndpointFields;
  const application = await findApplication(deps, scope, call.path["app"] ?? "");
  if (application === undefined) throw noApplication();
  const name = call.path["endpoint"] ?? "";
  const found = await deps.deliver.endpoints.named(scope, application.tenant, name);
  if (found === undefined) {
    if (parseId(name) !== undefined) throw new ServiceError("not_found");
    call.reply.code(201);
    return endpointView(await create(deps, call, application.tenant, { ...body, uid: body.uid ?? name }));
  }
  const input = wholeInput(body);
  await deps.deliver.endpoints.assertShown(call.caller, input, found.id);
  return endpointView(await deps.deliver.endpoints.change(scope, found.id, input, namedAuthorOf(call.caller.key)));
}

async function listEndpoints(deps: SvixDeps, call: Call): Promise<string> {
  const { scope } = call.caller;
  const { tenant } = await applicationOf(deps, scope, call.path["app"] ?? "");
  const wanted = listRequest(call);
  const { endpoints } = deps.deliver;
  const start = wanted.from === undefined ? undefined : await endpoints.named(scope, tenant, wanted.from);
  // An endpoint that was deleted since still has its place.
  const place = start === undefined ? placeOf(wanted.from) : parsed(start.id);
  if (wanted.from !== undefined && place === undefined) throw unknownIterator();
  const span = wanted.isBack ? { after: place } : { before: place };
  const found = await endpoints.ofTenant(scope, tenant, { ...span, limit: wanted.limit + 1 });
  return listText(wanted, { found, idOf: endpointId, textOf: (one) => JSON.stringify(endpointView(one)) });
}

function placeOf(from: string | undefined): Uuid | undefined {
  return from === undefined ? undefined : parsed(from);
}

function parsed(id: string): Uuid | undefined {
  return parseId(id)?.uuid;
}
