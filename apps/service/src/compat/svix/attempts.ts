import type { Scope } from "../../accounts/accounts.ts";
import type { EventLabels, StoredEvent } from "../../events/events.ts";
import { minUuidAt, parseId, timeText, wireId } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { EndpointView, LoggedAttempt, LoggedDelivery } from "../../webhooks/webhooks.ts";
import { messageWireId } from "../../webhooks/webhooks.ts";
import type { SvixDeps } from "./deps.ts";
import { endpointId } from "./endpoints.ts";
import { optionalText, valuesOf } from "./lists.ts";
import { eventsWithin, STATUSES, storedText } from "./messages.ts";
import { isSet } from "./surface.routes.ts";
import type { Call } from "./surface.routes.ts";

/** An attempt, and the delivery that it was made for. */
export interface Attempted {
  readonly attempt: LoggedAttempt;
  readonly delivery: LoggedDelivery;
}

export function attemptId(scope: Scope, { attempt }: Attempted): string {
  return `atmpt_${wireId("att", scope.tag, attempt.id).slice("att_".length)}`;
}

/** The objects that an answer shows together with attempts. */
export interface AttemptContext {
  readonly endpoints: ReadonlyMap<Uuid, EndpointView>;
  readonly messages: ReadonlyMap<Uuid, StoredEvent>;
  readonly withContent: boolean;
}

const NO_MESSAGES: ReadonlyMap<Uuid, StoredEvent> = new Map();

/** Reads what is shown of attempts. */
export async function attemptContext(
  deps: SvixDeps,
  call: Call,
  attempts: readonly Attempted[],
): Promise<AttemptContext> {
  const { scope } = call.caller;
  const deliveries = attempts.map(({ delivery }) => delivery);
  const known = await deps.deliver.endpoints.known(scope, [...new Set(deliveries.map((one) => one.endpoint_id))]);
  return {
    endpoints: new Map(known.map((one) => [uuidOf(one), one])),
    messages: isSet(call, "with_msg") ? await eventsWithin(deps, scope, deliveries) : NO_MESSAGES,
    withContent: call.query["with_content"] !== "false",
  };
}

/** Returns an attempt as JSON text. */
export function attemptText(scope: Scope, attempted: Attempted, shown: AttemptContext): string {
  const { attempt, delivery } = attempted;
  const endpoint = shown.endpoints.get(delivery.endpoint_id);
  const status = attempt.error_class === null ? 0 : 2;
  const message = shown.messages.get(delivery.event_id);
  const view = {
    id: attemptId(scope, attempted),
    msgId: messageWireId(scope.tag, delivery.event_id),
    endpointId: endpoint === undefined ? wireId("ep", scope.tag, delivery.endpoint_id) : endpointId(endpoint),
    url: endpoint?.url ?? "",
    ...responseView(attempt, shown.withContent),
    status,
    statusText: STATUSES[status],
    triggerType: attempt.trigger === "replay" ? 1 : 0,
    timestamp: timeText(attempt.started_at),
  };
  const msg = message === undefined ? "null" : storedText(scope, message, shown.withContent);
  return `${JSON.stringify(view).slice(0, -1)},"msg":${msg}}`;
}

function responseView(attempt: LoggedAttempt, withContent: boolean): object {
  return {
    response: withContent ? (attempt.response_snippet ?? attempt.error_detail ?? "") : "{}",
    responseStatusCode: attempt.status_code ?? 0,
    responseDurationMs: Math.round(attempt.latency[4] ?? 0),
  };
}

/** Returns the condition of a query for attempts. */
export function chosenBy({ query }: Call): (one: Attempted) => boolean {
  const status = optionalText(query["status"]);
  const statusClass = optionalText(query["status_code_class"]);
  return ({ attempt }) => {
    if (status !== undefined && Number(status) !== (attempt.error_class === null ? 0 : 2)) return false;
    if (statusClass === undefined) return true;
    return Math.floor((attempt.status_code ?? 0) / 100) === Math.floor(Number(statusClass) / 100);
  };
}

/** Returns the condition of a query for the labels of messages; undefined for none. */
export function labelledBy({ query }: Call): ((labels: EventLabels | undefined) => boolean) | undefined {
  const [channel, tag] = [optionalText(query["channel"]), optionalText(query["tag"])];
  if (channel === undefined && tag === undefined) return undefined;
  return (labels) => {
    const { channels = null, tags = null } = labels ?? {};
    const has = (wanted: string | undefined, all: readonly string[] | null): boolean =>
      wanted === undefined || all?.includes(wanted) === true;
    return has(channel, channels) && has(tag, tags);
  };
}

/** The members of a query that select deliveries. */
export interface DeliveryRange {
  readonly from: Uuid | undefined;
  readonly to: Uuid | undefined;
  readonly names: ReadonlySet<string> | undefined;
}

export function rangeOf({ query }: Call): DeliveryRange {
  const names = valuesOf(query["event_types"]);
  return {
    from: minUuidAt(optionalText(query["after"]), "after"),
    to: minUuidAt(optionalText(query["before"]), "before"),
    names: names === undefined ? undefined : new Set(names),
  };
}

function uuidOf({ id }: EndpointView): Uuid {
  const uuid = parseId(id)?.uuid;
  if (uuid === undefined) throw new Error("an endpoint has no id");
  return uuid;
}
