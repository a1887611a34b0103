import type { Input, wire } from "../../api/api.ts";
import { errorClasses } from "../../shared/shared.ts";
import { rangeStart, timeRanges } from "../../ui/ui.ts";
import type { FilterField, Filters, Option } from "../../ui/ui.ts";

export type LogQuery = Omit<NonNullable<Input<"deliveries.list">["query"]>, "limit" | "cursor">;

const STATES: readonly Option[] = [
  { value: "pending", label: "Retrying or pending" },
  { value: "delivered", label: "Delivered" },
  { value: "failed", label: "Failed" },
  { value: "cancelled", label: "Cancelled" },
  { value: "filtered", label: "Filtered" },
];
const STATUS_CLASSES: readonly Option[] = [
  { value: "2xx", label: "2xx: success" },
  { value: "3xx", label: "3xx: redirect" },
  { value: "4xx", label: "4xx: client error" },
  { value: "5xx", label: "5xx: server error" },
];
const ATTEMPTS: readonly Option[] = ["1", "2", "3", "4", "5", "6"].map((value) => ({ value, label: value }));

/** Returns the filter fields of the log. The URL holds the chosen values. */
export function logFields(endpoints: readonly Option[], events: readonly Option[]): readonly FilterField[] {
  return [...customerFields(endpoints, events), TENANT];
}

const TENANT: FilterField = { name: "tenant", label: "Tenant", mono: true, placeholder: "acme" };

/** Returns the fields of a customer, who sees only its own deliveries. */
export function customerFields(endpoints: readonly Option[], events: readonly Option[]): readonly FilterField[] {
  return [
    { name: "q", label: "ID or event type", isPinned: true, mono: true, placeholder: "dlv_…, evt_… or order.created" },
    { name: "state", label: "State", isPinned: true, options: STATES },
    { name: "endpoint", label: "Endpoint", isPinned: true, options: endpoints },
    { name: "event", label: "Event type", isPinned: true, options: events },
    { name: "since", label: "Time", isPinned: true, options: timeRanges },
    { name: "until", label: "Before", placeholder: "2026-11-21T12:00:00Z", mono: true },
    { name: "class", label: "Status class", options: STATUS_CLASSES },
    { name: "code", label: "Status code", placeholder: "503", mono: true },
    { name: "error", label: "Error", options: errorClasses },
    { name: "attempt", label: "Attempts", options: ATTEMPTS },
    { name: "payload", label: "Data field", mono: true, placeholder: "$.order.id=10482" },
  ];
}

/** Returns the API query for these filters. */
export function queryOf(filters: Filters): LogQuery {
  const code = wholeNumber(filters["code"]);
  const attempts = wholeNumber(filters["attempt"]);
  return given({
    q: filters["q"],
    state: filters["state"],
    endpoint_id: filters["endpoint"],
    tenant: filters["tenant"],
    event: filters["event"],
    created_after: rangeStart(filters["since"]),
    created_before: rangeStart(filters["until"]),
    status_class: filters["class"],
    status_code: code,
    error_class: filters["error"],
    attempt_count: attempts,
    payload: filters["payload"],
  });
}

/** Returns the same search for a replay of all matches; null where replays do not support it. Without a state, it finds the failed ones. */
export function replayFilterOf({ q, payload, state, ...rest }: LogQuery): wire.ReplayFilter | null {
  if (q !== undefined || payload !== undefined) return null;
  if (state === undefined) return { ...rest, state: "failed" };
  const replayable = (["failed", "delivered", "filtered", "cancelled", "pending"] as const).find(
    (one) => one === state,
  );
  return replayable === undefined ? null : { ...rest, state: replayable };
}

/** Returns true if a reported delivery belongs to the search; undefined where only the service can decide. */
export function belongs(delivery: wire.Delivery, query: LogQuery): boolean | undefined {
  if ("payload" in query || "tenant" in query) return undefined;
  const { q } = query;
  const code = delivery.last_status_code;
  const wanted: readonly (readonly [unknown, unknown])[] = [
    [query.state, delivery.state],
    [query.endpoint_id, delivery.endpoint_id],
    [query.event, delivery.event],
    [query.status_code, code],
    [query.error_class, delivery.last_error_class],
    [query.attempt_count, delivery.attempt_count],
    [query.status_class, code === null ? null : `${Math.trunc(code / 100)}xx`],
  ];
  const isNamed = q === undefined || [delivery.id, delivery.event_id, delivery.event].includes(q);
  return isNamed && isInTime(delivery, query) && wanted.every(([asked, is]) => asked === undefined || asked === is);
}

function isInTime(delivery: wire.Delivery, { created_after: after, created_before: before }: LogQuery): boolean {
  const at = Date.parse(delivery.created_at);
  return (
    !(after !== undefined && at < Date.parse(String(after))) &&
    !(before !== undefined && at >= Date.parse(String(before)))
  );
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,4}$/.test(text) ? Number(text) : undefined;
}

function given(members: Readonly<Record<string, unknown>>): LogQuery {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== ""),
  ) as LogQuery;
}
