import type { Facts, MatchedEvent } from "../../events/events.ts";
import { readPath, t, TooExpensiveError, wireId } from "../../lib/lib.ts";
import type { Tag, Uuid, Violation, WorkBudget } from "../../lib/lib.ts";
import { laneKeyOf, laneKeyOfText } from "./lane-key.ts";
import type { OrderedKey } from "./ordered-endpoints.store.ts";

/** The order in which an endpoint gets its deliveries: one after another for each value of the key. */
export interface Ordering {
  /** `endpoint`, `subject`, `tenant`, or a path. */
  readonly key: string;
  /** `block`: the lane waits when a delivery fails. `skip`: the next one is sent. */
  readonly on_failed?: "block" | "skip";
}

/** Keeps the lanes of ordered endpoints moving. All functions return at once; the work is done after what the caller has committed. */
export interface Lanes {
  /** Gives places to the deliveries of an endpoint that were committed without one. */
  place(endpoint: OrderedKey): void;
  /** Sends the next delivery of a lane whose head has ended. */
  ended(endpoint: OrderedKey, lane: string): void;
  /** Frees the blocked lanes of an endpoint that nothing blocks now. */
  unblocked(endpoint: OrderedKey): void;
}

const MAX_KEY = 512;

export const OrderingView = t.Nullable(
  t.Object(
    {
      key: t.StringExample("$.data.order.id", {
        minLength: 1,
        maxLength: MAX_KEY,
        description:
          "What the order is kept by: `endpoint` for all deliveries of the endpoint, `subject` or `tenant` of the event, or an RFC 9535 singular query into the event that begins with $.event, $.data, $.subject or $.tenant. Events without a value, or whose value is null, an object or a list, are not ordered.",
      }),
      on_failed: t.Optional(
        t.OneOf(
          ["block", "skip"],
          "What happens when a delivery has failed. `block`, the default: the later ones with its key wait until it is retried or skipped. `skip`: the next one is sent. A change applies to deliveries that wait already.",
        ),
      ),
    },
    {
      ...t.strict,
      title: "EndpointOrdering",
      description:
        "Deliveries with the same key are sent one at a time, in the order in which their events were accepted. Null: no order. A change of the key concerns later events.",
    },
  ),
);

const NAMED = ["endpoint", "subject", "tenant"] as const;
const ROOTS: readonly unknown[] = ["event", "data", "subject", "tenant"];

export function orderingFaults({ key }: Ordering): Violation[] {
  if (NAMED.some((name) => name === key)) return [];
  const path = readPath(key);
  if (path !== undefined && ROOTS.includes(path.steps[0])) return [];
  const message = `must be endpoint, subject, tenant, or an RFC 9535 singular query that begins with $.event, $.data, $.subject or $.tenant, such as $.data.order.id`;
  return [{ pointer: "/ordering/key", code: "ordering_key", message }];
}

interface OrderingColumns {
  readonly ordering_key: string | null;
  readonly on_failed: string | null;
}

export function orderingColumns(ordering: Ordering | null): OrderingColumns {
  if (ordering === null) return { ordering_key: null, on_failed: null };
  return { ordering_key: ordering.key, on_failed: ordering.on_failed ?? "block" };
}

export function orderingOf({ ordering_key: key, on_failed: onFailed }: OrderingColumns): Required<Ordering> | null {
  return key === null ? null : { key, on_failed: onFailed === "skip" ? "skip" : "block" };
}

type OrderedEvent = Pick<MatchedEvent, "name" | "data" | "subject" | "tenant">;

/** The lane of a delivery: a function of its endpoint. Undefined if the data of the event is too large to find it. */
export type LaneOf = ((endpointId: Uuid) => string) | null | undefined;

/** Returns the lane of an event for endpoints with this key; null if there is none. */
export function laneOf(
  key: string,
  event: OrderedEvent & { readonly scope: { readonly tag: Tag } },
  { facts, budget }: { readonly facts: Facts; readonly budget: WorkBudget },
): LaneOf {
  if (key === "endpoint") return (endpointId) => wireId("ep", event.scope.tag, endpointId);
  const value = key === "subject" || key === "tenant" ? textKey(event[key]) : keyAt(key, facts, budget);
  return typeof value === "string" ? () => value : value;
}

function textKey(value: string | null): string | null {
  return value === null ? null : laneKeyOfText(value);
}

function keyAt(key: string, facts: Facts, budget: WorkBudget): string | null | undefined {
  const path = readPath(key);
  if (path === undefined) return null;
  facts.budget = budget;
  try {
    const fact = facts.at(path);
    return fact === undefined ? null : laneKeyOf(fact);
  } catch (error) {
    if (error instanceof TooExpensiveError) return undefined;
    throw error;
  }
}
