import { sendAnswer } from "../../access/access.ts";
import { scopeOfWorkspace } from "../../accounts/accounts.ts";
import { deliverAtOf, firingFault } from "../../events/events.ts";
import type { EventDraft } from "../../events/events.ts";
import { minUuidAt, parseId, parseJson, ServiceError } from "../../lib/lib.ts";
import { t } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { readTraceparent } from "../../platform/telemetry/telemetry.ts";
import { applicationOf, findApplication, noApplication } from "./applications.ts";
import type { Application } from "./applications.ts";
import { inputOf } from "./applications.routes.ts";
import type { SvixDeps } from "./deps.ts";
import { listText, optionalText, unknownIterator, valuesOf, listRequest, withinBytes } from "./lists.ts";
import { messageWireId } from "../../webhooks/webhooks.ts";
import { messageOf, messageText, messageUuid, storedText } from "./messages.ts";
import { rawPayloadOf } from "./raw-payload.ts";
import { MessageIn } from "./shapes.schemas.ts";
import type { ApplicationIn } from "./shapes.schemas.ts";
import { bodyOf } from "./surface.routes.ts";
import type { Call, Route } from "./surface.routes.ts";

type Message = t.Static<typeof MessageIn>;

const FIRE = "events.fire";
const UPDATE = "tenants.update";

export function messageRoutes(route: Route, deps: SvixDeps): void {
  route(["GET", "/app/:app/msg"], { operation: "events.list" }, async (call) => await listMessages(deps, call));

  route(
    ["POST", "/app/:app/msg"],
    { operation: FIRE, body: MessageIn, ownIdempotency: true },
    async (call) => await create(deps, call),
  );

  route(["GET", "/app/:app/msg/:msg"], { operation: "events.get" }, async (call) => {
    const { event } = await messageOf(deps, call);
    return storedText(call.caller.scope, event, withContent(call));
  });
}

/** The libraries of the second generation ask for no content, and those of the first expect it without asking. */
export function withContent({ query }: Call): boolean {
  return query["with_content"] !== "false";
}

async function create(deps: SvixDeps, call: Call<"POST">): Promise<undefined> {
  const { request, reply, caller } = call;
  const body = bodyOf(call) as Message;
  const payload = rawPayloadOf(body.transformationsParams) ?? request.scanned?.slice(["payload"]) ?? "{}";
  const { tenant } = await applicationFor(deps, call, body.application);
  const draft = { ...draftOf(deps, call, { body, tenant, payload }), firedBy: caller.key.people };
  const isShown = withContent(call);
  const ref = {
    ...call.ref,
    wrapBody: (fired: string) => firedText(caller.scope, { fired, draft, payload: isShown ? payload : "{}" }),
  };
  await sendAnswer(reply, await deps.events.fire([draft], { ref, batch: false, tenant: caller.scope.tenant }));
  return undefined;
}

/** Returns the application, which the message may bring itself. */
async function applicationFor(
  deps: SvixDeps,
  { caller, path }: Call,
  brought: t.Static<typeof ApplicationIn> | null | undefined,
): Promise<Application> {
  const name = path["app"] ?? "";
  const found = await findApplication(deps, caller.scope, name);
  if (found !== undefined) return found;
  if (brought == null) throw noApplication();
  return await bringApplication(deps, { caller, name, brought });
}

interface Bringing {
  readonly caller: Call["caller"];
  readonly name: string;
  readonly brought: t.Static<typeof ApplicationIn>;
}

/** Creates the application that a call brings. Throws 422 if its `uid` is not the name in the path. */
export async function bringApplication(
  { accessChecks, tenants }: SvixDeps,
  { caller, name, brought }: Bringing,
): Promise<Application> {
  if (!accessChecks.mayCall(caller.key, UPDATE))
    throw new ServiceError("scope_missing", { detail: `Creating the application needs the right to ${UPDATE}.` });
  if ((brought.uid ?? name) !== name || parseId(name) !== undefined) {
    const message = "must be the uid in the path";
    throw new ServiceError("validation_failed", { errors: [{ pointer: "/application/uid", code: "uid", message }] });
  }
  const input = { ...inputOf(brought), name: brought.name, uid: name };
  const profile = await tenants.profiles.create(caller.scope, input);
  return { tenant: profile.tenant, profile };
}

interface Drafting {
  readonly body: Message;
  readonly tenant: string;
  readonly payload: string;
}

function draftOf({ clock }: SvixDeps, { request, caller }: Call, { body, tenant, payload }: Drafting): EventDraft {
  const fault = firingFault(body.eventType);
  if (fault !== undefined) throw new ServiceError("validation_failed", { errors: [{ pointer: "/event", ...fault }] });
  const { eventId: uid = null, channels = null, tags = null } = body;
  const isLabelled = uid !== null || channels !== null || tags !== null;
  return {
    scope: scopeOfWorkspace(caller.scope),
    name: body.eventType,
    data: payload,
    tenant,
    traceparent: readTraceparent(request.headers["traceparent"]),
    deliverAt: deliverAtOf(body.deliverAt ?? undefined, "/deliver_at", clock.now()),
    labels: isLabelled ? { uid, channels, tags, metadata: null } : null,
  };
}

interface Fired {
  /** The answer under `/v1`. */
  readonly fired: string;
  readonly draft: EventDraft;
  readonly payload: string;
}

function firedText(scope: Call["caller"]["scope"], { fired, draft, payload }: Fired): string {
  const made = parseJson(fired) as { id: string; occurred_at: string; deliver_at?: string };
  const id = parseId(made.id)?.uuid;
  if (id === undefined) throw new Error("a fired event has no id");
  const { uid = null, channels = null, tags = null } = draft.labels ?? {};
  const head = { id, name: draft.name, timestamp: made.occurred_at, deliverAt: made.deliver_at, uid, channels, tags };
  return messageText(scope, head, payload);
}

/** The largest id of all. */
const LAST = "ffffffff-ffff-7fff-bfff-ffffffffffff" as Uuid;

async function listMessages(deps: SvixDeps, call: Call): Promise<string> {
  const { caller, query } = call;
  const { tenant } = await applicationOf(deps, caller.scope, call.path["app"] ?? "");
  const wanted = listRequest(call);
  const place = wanted.from === undefined ? undefined : messageUuid(caller.scope, wanted.from);
  if (wanted.from !== undefined && place === undefined) throw unknownIterator();
  const from = minUuidAt(optionalText(query["after"]), "after");
  const to = minUuidAt(optionalText(query["before"]), "before");
  const span = wanted.isBack
    ? { after: place }
    : { before: earliest(place, to) ?? (from === undefined ? undefined : LAST), after: from };
  const found = await deps.events.ofTenant(caller.scope, {
    tenant,
    ...span,
    names: valuesOf(query["event_types"]),
    channel: optionalText(query["channel"]),
    tag: optionalText(query["tag"]),
    limit: wanted.limit + 1,
  });
  return listText(wanted, {
    ...withinBytes(wanted, found, ({ row }) => Buffer.byteLength(row.data)),
    idOf: ({ id }) => messageWireId(caller.scope.tag, id),
    textOf: (event) => storedText(caller.scope, event, withContent(call)),
  });
}

function earliest(one: Uuid | undefined, other: Uuid | undefined): Uuid | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}
