import type { RequestRow } from "../../platform/db/db.ts";
import type { Clock, IdMaker, Instant, Uuid, Violation } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { isCanonical } from "../catalogue/catalogue.ts";

/** The maximum number of days between the acceptance and the delivery of an event. */
export const MAX_DAYS_AHEAD = 30;

/** An event with its id and time. */
export interface Event extends MatchedEvent {
  readonly id: Uuid;
  readonly occurredAt: Instant;
  /** The trace of the caller, as `readTraceparent` returns it; null if the event began its own trace. */
  readonly traceparent: string | null;
  /** How the data differs from the schema of its type; null if it does not, or is not compared. */
  readonly schemaErrors: readonly Violation[] | null;
  /** The faults because of which a caller's event is refused. An event of the service itself is never refused. */
  readonly refusal: readonly Violation[] | null;
  /** True if `typeVersion` is not a version of the type. */
  readonly versionFault: boolean;
  /** The people behind the call that fired it. Undefined for none, and for a stored event. */
  readonly firedBy?: readonly Uuid[] | undefined;
}

/** The facts of an event that select its subscribers. */
export interface MatchedEvent {
  readonly scope: Scope;
  readonly name: string;
  readonly canonical: boolean;
  /** The JSON text of an object, as received. */
  readonly data: string;
  readonly subject: string | null;
  /** The customer of the workspace, by the workspace's own id, that the event concerns; null for the workspace itself. */
  readonly tenant: string | null;
  /** The service made it about the workspace's own work. It has the tenant that caused it, which does not see it. */
  readonly isInternal: boolean;
  /** The events whose reactions led to this one, oldest first. */
  readonly chain: readonly Uuid[];
  /** The version of its type: the one that the caller names, or else the current one. Null without a type. */
  readonly typeVersion: number | null;
  /** The labels that its caller added; null for nothing, and for a stored event whose labels were not read. */
  readonly labels: EventLabels | null;
}

/** The members that a caller adds to an event besides its data. Endpoints with channels get the events that share one. */
export interface EventLabels {
  /** The caller's own id of the event, unique for each tenant. */
  readonly uid: string | null;
  readonly channels: readonly string[] | null;
  readonly tags: readonly string[] | null;
  /** The JSON text of an object. */
  readonly metadata: string | null;
}

/** An event that is not committed yet. */
export interface EventDraft
  // The tenant is required: what an event of a tenant causes is that tenant's, and a draft that forgot it would be the workspace's own.
  extends
    Pick<Event, "scope" | "name" | "data" | "tenant">,
    Partial<Pick<Event, "chain" | "traceparent" | "typeVersion" | "isInternal" | "labels" | "firedBy">> {
  /** Defaults to a new id. */
  readonly id?: Uuid;
  /** Defaults to the current time. */
  readonly occurredAt?: Instant | undefined;
  readonly subject?: string | null | undefined;
  /** The later time at which the event is fired. */
  readonly deliverAt?: Instant | undefined;
}

export function eventOf(
  { clock, ids }: { readonly clock: Clock; readonly ids: IdMaker },
  {
    scope,
    name,
    data,
    occurredAt = clock.now(),
    id = ids.uuid(),
    subject,
    tenant,
    isInternal = false,
    chain = [],
    traceparent = null,
    typeVersion = null,
    labels = null,
    firedBy,
  }: EventDraft,
): Event {
  return {
    scope,
    id,
    name,
    canonical: isCanonical(name),
    data,
    occurredAt,
    subject: subject ?? null,
    tenant,
    isInternal,
    chain,
    traceparent,
    typeVersion,
    labels,
    firedBy,
    schemaErrors: null,
    refusal: null,
    versionFault: false,
  };
}

/** Returns the tenant whose endpoints get the event, and in whose usage it counts; null for the workspace alone. */
export function audienceOf({ tenant, isInternal }: Pick<MatchedEvent, "tenant" | "isInternal">): string | null {
  return isInternal ? null : tenant;
}

/** Returns the events as the counts of usage and the live stream see them. */
export function signalsOf(events: readonly Event[]): readonly Event[] {
  return events.map((event) => (event.isInternal && event.tenant !== null ? { ...event, tenant: null } : event));
}

export interface SubscriberRef {
  readonly kind: "projection" | "mirror" | "connector" | "rule" | "workflow" | "assistant" | "webhook";
  readonly key: string;
  readonly priority: number;
}

/**
 * A subscriber's question to the database about every batch of events. One statement asks the questions of all
 * subscribers, so that another subscriber costs no further round trip. Answers are not cached: each batch asks again.
 */
export interface SubscriberQuery {
  /** Unique among all subscribers. */
  readonly name: string;
  /**
   * SQL without parameters: a select of `(tag, event, found)`, all text, from `asked (bucket, tag, workspace_id, event,
   * patterns, is_sandbox, tenants)`, the distinct workspaces and names of the batch. If `event` is null, the row applies to
   * all events of the tag. `patterns`: an array of all patterns that select the event, with its name. `tenants`: an array
   * of the tenants of the batch's events of that name.
   */
  readonly text: string;
}

/** A delivery that is created in the commit of its event. */
export interface PlannedDelivery {
  readonly id: Uuid;
  readonly endpointId: Uuid;
  /** The tenant of the endpoint; null for the workspace's own. */
  readonly tenant: string | null;
  readonly maxInFlight: number;
  /** True if the database decides for all nodes when it is sent. */
  readonly isPaced: boolean;
  /** True if the endpoint's filter is too expensive for the event, so that the delivery fails without an attempt. */
  readonly isUnjudged: boolean;
  /** The key by which the order of its endpoint is kept; null: it is sent regardless of others. */
  readonly lane: string | null;
  /**
   * The state after the commit. `leased`: leased to this node. `due`: any node can claim it. `held`: waits until
   * earlier stages have ended.
   */
  readonly initialState: "leased" | "due" | "held";
}

/** An event with everything that is written with it. */
export interface PlannedEvent extends RequestRow {
  readonly event: Event;
  /** The stages in the order in which they run. */
  readonly stages: readonly SubscriberRef[];
  /** True if this node runs the stages. Otherwise they wait for the first node that has room. */
  readonly isAdmitted: boolean;
  readonly deliveries: readonly PlannedDelivery[];
}
