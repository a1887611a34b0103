import type { Scope } from "../../accounts/accounts.ts";
import type { StoredEvent } from "../../events/events.ts";
import { parseId, parseTimestamp, ServiceError, toRfc3339, uuidOfHex, uuidTime, wireId } from "../../lib/lib.ts";
import { t } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { LoggedDelivery } from "../../webhooks/webhooks.ts";
import { messageWireId } from "../../webhooks/webhooks.ts";
import { attemptId, attemptText, chosenBy, attemptContext } from "./attempts.ts";
import type { Attempted } from "./attempts.ts";
import type { SvixDeps } from "./deps.ts";
import { endpointId, endpointOf, endpointView } from "./endpoints.ts";
import { listText, optionalText, unknownIterator, listRequest, withinBytes } from "./lists.ts";
import type { Listed, ListRequest } from "./lists.ts";
import { scanDeliveries, stateOf } from "./scan-deliveries.ts";
import { eventsWithin, messageOf, messageText, messageUuid, statusOf, statusView, storedText } from "./messages.ts";
import type { FoundMessage } from "./messages.ts";
import { withContent } from "./messages.routes.ts";
import { AnyBody, RangeIn } from "./shapes.schemas.ts";
import { bodyOf } from "./surface.routes.ts";
import type { Call, Route } from "./surface.routes.ts";

const ATTEMPTS = "deliveries.attempts";
const REPLAY = "deliveries.replay";
/** The libraries read at most this much of the attempts of one message. */
const MOST_ATTEMPTS = 5000;
const DAY_MS = 86_400_000;
const MOST_DAYS = 14;

export function attemptRoutes(route: Route, deps: SvixDeps): void {
  route(["GET", "/app/:app/attempt/endpoint/:endpoint"], { operation: ATTEMPTS }, async (call) => {
    return await ofEndpoint(deps, call);
  });
  route(["GET", "/app/:app/attempt/msg/:msg"], { operation: ATTEMPTS }, async (call) => await ofMessage(deps, call));

  route(["GET", "/app/:app/msg/:msg/attempt/:attempt"], { operation: ATTEMPTS }, async (call) => {
    const { scope } = call.caller;
    const message = await messageOf(deps, call);
    const found = (await attemptsOf(deps, scope, message)).find(
      (one) => attemptId(scope, one) === call.path["attempt"],
    );
    if (found === undefined) throw new ServiceError("not_found", { detail: "The message has no such attempt." });
    return attemptText(scope, found, await attemptContext(deps, call, [found]));
  });

  route(["GET", "/app/:app/endpoint/:endpoint/msg"], { operation: "deliveries.list" }, async (call) => {
    return await messagesOf(deps, call);
  });
  route(["GET", "/app/:app/msg/:msg/endpoint"], { operation: "deliveries.list" }, async (call) => {
    return await endpointsOf(deps, call);
  });

  route(
    ["POST", "/app/:app/msg/:msg/endpoint/:endpoint/resend"],
    { operation: REPLAY, body: AnyBody },
    async (call) => await resend(deps, call),
  );
  recoveryRoutes(route, deps);
}

function recoveryRoutes(route: Route, deps: SvixDeps): void {
  const { replays } = deps.deliver;
  const task = (id: string, kind: string): object => ({
    id,
    status: "running",
    task: kind,
    updatedAt: toRfc3339(deps.clock.now()),
    data: {},
  });

  route(
    ["POST", "/app/:app/endpoint/:endpoint/recover"],
    { operation: "webhook_endpoints.replay_failed", body: RangeIn },
    async (call) => {
      const { endpoint } = await endpointOf(deps, call);
      const { since, until } = timesOf(deps, call);
      const { job_id: id } = await replays.replayFailed(call.caller.scope, endpoint.id, { since, until });
      call.reply.code(202);
      return task(id, "endpoint.recover");
    },
  );

  route(
    ["POST", "/app/:app/endpoint/:endpoint/replay-missing"],
    { operation: "webhook_endpoints.backfill", body: RangeIn },
    async (call) => {
      const { endpoint } = await endpointOf(deps, call);
      const { since: from, until: to } = timesOf(deps, call);
      const wish = { from, to, missing_only: true };
      const { job_id: id } = await replays.backfill(call.caller.scope, endpoint.id, wish);
      call.reply.code(202);
      return task(id, "endpoint.replay");
    },
  );

  route(["GET", "/background-task/:task"], { operation: "replays.get" }, async ({ caller: { scope }, path }) => {
    const id = path["task"] ?? "";
    const job = await replays.get(scope, id);
    const status = { running: "running", finished: "finished", cancelled: "failed" }[job.state] ?? "running";
    return { ...task(id, job.kind === "replay" ? "endpoint.recover" : "endpoint.replay"), status };
  });
}

/** Throws 422 for a time that is longer ago than Svix takes. */
function timesOf({ clock }: SvixDeps, call: Call): { readonly since: string; readonly until: string } {
  const { since, until } = bodyOf(call) as t.Static<typeof RangeIn>;
  if ((parseTimestamp(since, "/since") ?? 0) < clock.now() - MOST_DAYS * DAY_MS) {
    const message = `must be at most ${MOST_DAYS} days ago`;
    throw new ServiceError("validation_failed", { errors: [{ pointer: "/since", code: "range", message }] });
  }
  return { since, until: until ?? toRfc3339(clock.now()) };
}

/** Returns the attempts of a message, newest first, without those to endpoints of the workspace itself. */
async function attemptsOf(
  { deliver }: SvixDeps,
  scope: Scope,
  { application, event }: FoundMessage,
): Promise<Attempted[]> {
  const deliveries = await deliver.rowsOfEvent(scope, event.id);
  const endpoints = await deliver.endpoints.known(scope, [...new Set(deliveries.map((row) => row.endpoint_id))]);
  const own = new Set(endpoints.filter(({ tenant }) => tenant === application.tenant).map(({ id }) => id));
  const theirs = deliveries.filter((row) => own.has(wireId("ep", scope.tag, row.endpoint_id)));
  return await withAttempts(deliver, scope, theirs);
}

async function withAttempts(
  deliver: SvixDeps["deliver"],
  scope: Scope,
  deliveries: readonly LoggedDelivery[],
): Promise<Attempted[]> {
  const byId = new Map(deliveries.map((one) => [one.id, one]));
  const attempts = await deliver.attemptsOfAll(scope, [...byId.keys()], MOST_ATTEMPTS);
  return attempts.flatMap((attempt): Attempted[] => {
    const delivery = byId.get(attempt.delivery_id);
    return delivery === undefined ? [] : [{ attempt, delivery }];
  });
}

/** Lists the attempts of a message, newest first. */
async function ofMessage(deps: SvixDeps, call: Call): Promise<string> {
  const { scope } = call.caller;
  const message = await messageOf(deps, call);
  const { application } = message;
  const wanted = listRequest(call);
  const named = optionalText(call.query["endpoint_id"]);
  const only = named === undefined ? undefined : await deps.deliver.endpoints.named(scope, application.tenant, named);
  const isChosen = chosenBy(call);
  const all = (await attemptsOf(deps, scope, message)).filter(
    (one) => isChosen(one) && (named === undefined || wireId("ep", scope.tag, one.delivery.endpoint_id) === only?.id),
  );
  const found = partOf(all, wanted, (one) => attemptId(scope, one));
  return await attemptList(deps, call, { wanted, found, idOf: (one) => attemptId(scope, one) });
}

/** Returns the part of a whole list, with one more than the limit. */
function partOf<Item>(all: readonly Item[], wanted: ListRequest, idOf: (item: Item) => string): readonly Item[] {
  const { from, isBack, limit } = wanted;
  const at = from === undefined ? -1 : all.findIndex((one) => idOf(one) === from);
  if (from !== undefined && at === -1) throw unknownIterator();
  return isBack ? all.slice(Math.max(0, at - limit - 1), at) : all.slice(at + 1, at + limit + 2);
}

type AttemptList = Omit<Listed<Attempted>, "textOf"> & { readonly wanted: ListRequest };

async function attemptList(deps: SvixDeps, call: Call, { wanted, ...list }: AttemptList): Promise<string> {
  const shown = await attemptContext(deps, call, list.found);
  const bytesOf = ({ delivery }: Attempted): number =>
    Buffer.byteLength(shown.messages.get(delivery.event_id)?.row.data ?? "");
  return listText(wanted, {
    ...list,
    ...withinBytes(wanted, list.found, bytesOf),
    textOf: (one) => attemptText(call.caller.scope, one, shown),
  });
}

/**
 * Lists the attempts of an endpoint: those of the newest message first. An iterator names a delivery and the number of its attempt,
 * because the log has no index of attempts by their time.
 */
async function ofEndpoint(deps: SvixDeps, call: Call): Promise<string> {
  const { scope } = call.caller;
  const { endpoint } = await endpointOf(deps, call);
  const wanted = listRequest(call);
  const start = wanted.from === undefined ? undefined : placeOf(scope, wanted.from);
  const isChosen = chosenBy(call);
  const isLeft = ({ attempt, delivery }: Attempted): boolean =>
    start === undefined || delivery.id !== start.delivery || attempt.number < start.number;
  const { found, cutAt } = await scanDeliveries(deps, call, {
    endpointId: endpoint.id,
    before: start === undefined ? undefined : after(start.delivery),
    filter: {},
    pick: async (rows) =>
      (await withAttempts(deps.deliver, scope, rows))
        .filter((one) => isChosen(one) && isLeft(one))
        .toSorted(newestFirst),
    most: wanted.isBack ? 0 : wanted.limit + 1,
  });
  const idOf = (delivery: Uuid, number: number): string => `${wireId("dlv", scope.tag, delivery)}.${number}`;
  return await attemptList(deps, call, {
    wanted,
    found,
    idOf: ({ attempt, delivery }) => idOf(delivery.id, attempt.number),
    cutAt: cutAt && idOf(cutAt.id, 0),
  });
}

interface AttemptPlace {
  readonly delivery: Uuid;
  readonly number: number;
}

function placeOf(scope: Scope, text: string): AttemptPlace {
  const [id = "", number = ""] = text.split(".");
  const parsed = parseId(id);
  if (parsed?.tag !== scope.tag || !/^\d{1,4}$/.test(number)) throw unknownIterator();
  return { delivery: parsed.uuid, number: Number(number) };
}

function newestFirst(a: Attempted, b: Attempted): number {
  if (a.delivery.id !== b.delivery.id) return a.delivery.id > b.delivery.id ? -1 : 1;
  return b.attempt.number - a.attempt.number;
}

/** Returns an id right after another one. */
function after(id: Uuid): Uuid {
  return uuidOfHex((BigInt(`0x${id.replaceAll("-", "")}`) + 1n).toString(16).padStart(32, "0"));
}

/** Lists the messages that an endpoint got, newest first, with the state of their deliveries. */
async function messagesOf(deps: SvixDeps, call: Call): Promise<string> {
  const { scope } = call.caller;
  const { endpoint } = await endpointOf(deps, call);
  const wanted = listRequest(call);
  const start = wanted.from === undefined ? undefined : await deliveryOf(deps, scope, wanted.from, endpoint.id);
  const status = optionalText(call.query["status"]);
  const state = stateOf(status);
  const { found, cutAt } = await scanDeliveries(deps, call, {
    endpointId: endpoint.id,
    before: start?.id,
    filter: state === undefined ? {} : { state },
    pick: async (rows) =>
      await Promise.resolve(rows.filter((row) => status === undefined || Number(status) === statusOf(row))),
    most: wanted.isBack ? 0 : wanted.limit + 1,
  });
  const events = await eventsWithin(deps, scope, found);
  const shown = withinBytes(wanted, found, ({ event_id: id }) => Buffer.byteLength(events.get(id)?.row.data ?? ""));
  return listText(wanted, {
    ...shown,
    idOf: (row) => messageWireId(scope.tag, row.event_id),
    textOf: (row) => messageOfDelivery(scope, row, { event: events.get(row.event_id), withContent: withContent(call) }),
    cutAt: cutAt && messageWireId(scope.tag, cutAt.event_id),
  });
}

interface Logged {
  /** Undefined if retention has deleted it. */
  readonly event: StoredEvent | undefined;
  readonly withContent: boolean;
}

function messageOfDelivery(scope: Scope, row: LoggedDelivery, { event, withContent: isShown }: Logged): string {
  if (event !== undefined) return storedText(scope, event, isShown, statusView(row));
  const { event_id: id, event_name: name } = row;
  const nothing = { deliverAt: undefined, uid: null, channels: null, tags: null };
  return messageText(scope, { id, name, timestamp: toRfc3339(uuidTime(id)), ...nothing }, "{}", statusView(row));
}

/** Returns the delivery of a message to an endpoint. */
async function deliveryOf(
  { deliver }: SvixDeps,
  scope: Scope,
  message: string,
  endpoint: string,
): Promise<LoggedDelivery> {
  const id = messageUuid(scope, message);
  const rows = id === undefined ? [] : await deliver.rowsOfEvent(scope, id);
  const found = rows.find((row) => wireId("ep", scope.tag, row.endpoint_id) === endpoint);
  if (found === undefined) throw unknownIterator();
  return found;
}

/** Lists the endpoints that a message went to, newest first. */
async function endpointsOf(deps: SvixDeps, call: Call): Promise<string> {
  const { scope } = call.caller;
  const { application, event } = await messageOf(deps, call);
  const wanted = listRequest(call);
  const rows = new Map((await deps.deliver.rowsOfEvent(scope, event.id)).map((row) => [row.endpoint_id, row]));
  const known = await deps.deliver.endpoints.known(scope, [...rows.keys()]);
  const all = known.filter(({ tenant }) => tenant === application.tenant).toSorted((a, b) => (a.id > b.id ? -1 : 1));
  return listText(wanted, {
    found: partOf(all, wanted, endpointId),
    idOf: endpointId,
    textOf(endpoint) {
      const row = rows.get(parseId(endpoint.id)?.uuid ?? ("" as Uuid));
      return JSON.stringify({ ...endpointView(endpoint), ...(row === undefined ? {} : statusView(row)) });
    },
  });
}

/** Sends a message to an endpoint again, or for the first time. */
async function resend(deps: SvixDeps, call: Call<"POST">): Promise<object> {
  const { scope } = call.caller;
  const { event } = await messageOf(deps, call);
  const { endpoint } = await endpointOf(deps, call);
  const rows = await deps.deliver.rowsOfEvent(scope, event.id);
  const row = rows.find((one) => wireId("ep", scope.tag, one.endpoint_id) === endpoint.id);
  if (row === undefined) {
    const sent = { eventId: event.id, endpointId: endpoint.id };
    // A record of its own: that of the call has the answer of this API.
    await deps.events.sendTo(scope, sent, { ...call.ref, key: `${call.ref.key}:send` });
  } else {
    await deps.deliver.replay(scope, wireId("dlv", scope.tag, row.id), false);
  }
  call.reply.code(202);
  return {};
}
