import type { Events, StoredEvent } from "../../../events/events.ts";
import { isRecord, parseId, pointerOf, ServiceError, wireId } from "../../../lib/lib.ts";
import type { ScannedJson, Uuid } from "../../../lib/lib.ts";
import type { Caller, Scope } from "../../../accounts/accounts.ts";
import { RECENT_EVENTS } from "../../../webhooks/webhooks.ts";
import type { Deliver, DeliveryView, Endpoints } from "../../../webhooks/webhooks.ts";
import { fault } from "../mcp-fault.ts";
import { canonicalArguments, writtenArguments } from "./event-arguments.ts";
import { invalid } from "./refusals.ts";

export interface RecentEventsDeps {
  readonly events: Pick<Events, "byId">;
  readonly deliveries: Pick<Deliver, "ofEndpoints">;
  readonly endpoints: Pick<Endpoints, "subscriptionsOfClient">;
}

/** One call of the tool. */
export interface RecentCall {
  readonly caller: Caller;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The message, for the digits of the arguments. */
  readonly scanned: ScannedJson | null;
}

const MOST_EVENTS = 50;
const USUAL_EVENTS = 5;
/** The data of a response. The first event may be larger. */
const MOST_BYTES = 1024 * 1024;

/** Returns the events that the caller's own subscriptions were sent, newest first, as JSON text. Throws 422 for unknown arguments. */
export async function recentEvents(deps: RecentEventsDeps, call: RecentCall): Promise<string> {
  const { scope, key } = call.caller;
  const wanted = wantedOf(call);
  const open = await deps.endpoints.subscriptionsOfClient(scope, key.lineageId);
  const chosen = open.filter(
    (one) =>
      (wanted.name === undefined || one.events.includes(wanted.name)) &&
      (wanted.arguments === undefined || one.subscription_arguments === wanted.arguments),
  );
  const ids = new Map(chosen.map((one) => [wireId("ep", scope.tag, one.id), one.subscription_id]));
  const endpointIds = chosen.map(({ id }) => id);
  const found = await deps.deliveries.ofEndpoints(scope, { endpointIds, eventId: wanted.eventId }, wanted.limit);
  return await eventsText(deps, scope, { found, ids });
}

interface RecentEventsQuery {
  readonly name: string | undefined;
  readonly eventId: Uuid | undefined;
  /** Canonical text. */
  readonly arguments: string | undefined;
  readonly limit: number;
}

function wantedOf({ caller: { scope }, arguments: given, scanned }: RecentCall): RecentEventsQuery {
  const errors = [
    ...Object.keys(given)
      .filter((name) => !Object.hasOwn(FAULTS, name))
      .map((name) => fault(pointerOf([name]), "unknown", "is not an argument of this tool")),
    ...Object.entries(FAULTS).flatMap(([name, { isGood, message }]) =>
      given[name] === undefined || isGood(given[name], scope) ? [] : [fault(`/${name}`, "type", message)],
    ),
  ];
  if (errors.length > 0) throw invalid(errors);
  const { event_name: name, event_id: id, arguments: selecting, limit = USUAL_EVENTS } = given;
  return {
    name: name as string | undefined,
    eventId: id === undefined ? undefined : uuidOf(id as string),
    arguments:
      selecting === undefined
        ? undefined
        : canonicalArguments(writtenArguments(selecting, scanned, ["params", "arguments", "arguments"])),
    limit: Number(limit),
  };
}

interface Check {
  readonly message: string;
  isGood(value: unknown, scope: Scope): boolean;
}

const FAULTS: Readonly<Record<string, Check>> = {
  event_name: { message: "must be a string", isGood: (value) => typeof value === "string" },
  event_id: { message: "must be the eventId of an event, evt_…", isGood: isEventId },
  arguments: { message: "must be an object", isGood: isRecord },
  limit: { message: `must be an integer from 1 to ${MOST_EVENTS}`, isGood: isLimit },
};

function isEventId(value: unknown, scope: Scope): boolean {
  const parsed = typeof value === "string" ? parseId(value) : undefined;
  return parsed?.prefix === "evt" && parsed.tag === scope.tag;
}

function isLimit(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MOST_EVENTS;
}

interface FoundDeliveries {
  readonly found: readonly DeliveryView[];
  /** The subscriptions' own ids by those of their endpoints. */
  readonly ids: ReadonlyMap<string, string>;
}

async function eventsText(
  { events }: RecentEventsDeps,
  scope: Scope,
  { found, ids }: FoundDeliveries,
): Promise<string> {
  const uuids = new Set(found.map(({ event_id: id }) => uuidOf(id)));
  const stored = new Map<string, StoredEvent>();
  for (const event of await events.byId(scope, [...uuids])) stored.set(wireId("evt", scope.tag, event.id), event);
  let bytes = 0;
  const texts = found.flatMap((delivery) => {
    const event = stored.get(delivery.event_id);
    if (event === undefined) return [];
    const isFull = bytes > 0 && bytes + event.row.data.length > MOST_BYTES;
    bytes += isFull ? 0 : event.row.data.length;
    return [eventText(delivery, event, { isFull, subscriptionId: ids.get(delivery.endpoint_id) })];
  });
  return `{"events":[${texts.join(",")}]}`;
}

function uuidOf(id: string): Uuid {
  const parsed = parseId(id);
  if (parsed === undefined) throw new ServiceError("not_found");
  return parsed.uuid;
}

interface Telling {
  /** True if the response has no more room: the event can be read alone. */
  readonly isFull: boolean;
  readonly subscriptionId: string | undefined;
}

function eventText(view: DeliveryView, { row, occurredAt }: StoredEvent, { isFull, subscriptionId }: Telling): string {
  const { id, event_id: eventId, state, attempt_count: attempts, last_status_code: status } = view;
  const head = JSON.stringify({ eventId, name: view.event, timestamp: occurredAt }).slice(0, -1);
  const stub = JSON.stringify({ truncated: true, event_id: eventId, read_tool: RECENT_EVENTS });
  const delivery = JSON.stringify({
    id,
    subscription_id: subscriptionId,
    state,
    attempt_count: attempts,
    last_status_code: status,
  });
  return `${head},"data":${isFull ? stub : row.data},"delivery":${delivery}}`;
}
