import { isEventName, nameOf } from "../../events/events.ts";
import { orNotFound, ServiceError } from "../../lib/lib.ts";
import type { SvixDeps } from "./deps.ts";
import { findType, saveType, typesOf, typeText } from "./event-types.ts";
import type { EventTypeFields, ShownType } from "./event-types.ts";
import { listText, listRequest } from "./lists.ts";
import { EventTypeChange, EventTypeIn } from "./shapes.schemas.ts";
import { bodyOf, isSet } from "./surface.routes.ts";
import type { Call, Route } from "./surface.routes.ts";

const UPDATE = "event_types.update";
const CREATE = "event_types.create";
const VERSION = "event_types.versions.create";

export function eventTypeRoutes(route: Route, deps: SvixDeps): void {
  const url = "/event-type/:type";

  route(["GET", "/event-type"], { operation: "event_types.list" }, async (call) => await listTypes(deps, call));

  route(["POST", "/event-type"], { operation: CREATE, body: EventTypeIn }, async (call) => {
    const { name = "" } = bodyOf(call) as { readonly name?: string };
    const current = await findType(deps, call.caller.scope, name);
    if (current !== undefined && current.type.row?.archived_at == null) throw taken();
    call.reply.code(201);
    return await saved(deps, call, name, current);
  });

  route(["GET", url], { operation: "event_types.get" }, async (call) => typeText(await existing(deps, call), true));

  route(["PUT", url], { operation: UPDATE, also: [CREATE, VERSION], body: EventTypeChange }, async (call) => {
    const name = call.path["type"] ?? "";
    const current = await findType(deps, call.caller.scope, name);
    if (current === undefined) call.reply.code(201);
    return await saved(deps, call, name, current);
  });

  route(["PATCH", url], { operation: UPDATE, also: [VERSION], body: EventTypeChange }, async (call) => {
    return await saved(deps, call, call.path["type"] ?? "", await existing(deps, call));
  });

  route(["DELETE", url], { operation: "event_types.archive" }, async (call) => {
    const { type } = await existing(deps, call);
    if (type.row?.archived_at == null) await deps.types.archive(call.caller.scope, nameOf(type));
    await call.reply.code(204).send();
    return undefined;
  });
}

async function existing(deps: SvixDeps, { caller: { scope }, path }: Call): Promise<ShownType> {
  const found = await findType(deps, scope, path["type"] ?? "");
  if (found === undefined) throw new ServiceError("not_found", { detail: "There is no event type of this name." });
  return found;
}

function taken(): ServiceError {
  return new ServiceError("conflict", { detail: "There is an event type of this name." });
}

async function saved(deps: SvixDeps, call: Call, name: string, current: ShownType | undefined): Promise<string> {
  const { scope } = call.caller;
  if (!isEventName(name)) {
    const message = "must be an event name such as invoice.paid";
    throw new ServiceError("validation_failed", { errors: [{ pointer: "/name", code: "event_name", message }] });
  }
  const body: EventTypeFields = bodyOf(call);
  await saveType(deps, scope, {
    name,
    body: { ...body, archived: isArchived(call, body, current) },
    scanned: call.request.scanned,
    current,
  });
  return typeText(orNotFound(await findType(deps, scope, name)), true);
}

/** A change of other members leaves an archived type in the archive. */
function isArchived({ request }: Call, { archived }: EventTypeFields, current: ShownType | undefined): boolean {
  if (archived !== undefined || request.method !== "PATCH") return archived === true;
  return (current?.type.row?.archived_at ?? null) !== null;
}

async function listTypes(deps: SvixDeps, call: Call): Promise<string> {
  const wanted = listRequest(call);
  const { limit, from, isBack } = wanted;
  const isArchivedToo = isSet(call, "include_archived");
  const all = (await typesOf(deps, call.caller.scope)).filter(
    ({ type }) => isArchivedToo || (type.row?.archived_at ?? null) === null,
  );
  const nameIn = ({ type }: ShownType): string => nameOf(type);
  const found = isBack
    ? all.filter((one) => nameIn(one) < (from ?? "")).slice(-limit - 1)
    : all.filter((one) => nameIn(one) > (from ?? "")).slice(0, limit + 1);
  return listText(wanted, { found, idOf: nameIn, textOf: (one) => typeText(one, isSet(call, "with_content")) });
}
