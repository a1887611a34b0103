import type { CommitPart, HotReader } from "../../platform/db/db.ts";
import type { Clock, IdMaker, Instant, Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { isCanonical } from "../catalogue/catalogue.ts";

/** An event that happened. */
export interface Event extends MatchedEvent {
  readonly id: Uuid;
  readonly occurredAt: Instant;
  /** Of its caller, as `readTraceparent` gives it; null where it began its own trace. */
  readonly traceparent: string | null;
}

/** The facts of an event by which its subscribers are found. */
export interface MatchedEvent {
  readonly scope: Scope;
  readonly name: string;
  readonly canonical: boolean;
  /** JSON text of an object, as it came. */
  readonly data: string;
  readonly subject: string | null;
  /** Events whose reactions led to this one, oldest first. */
  readonly chain: readonly Uuid[];
}

/** An event that is about to happen. */
export interface EventDraft
  extends Pick<Event, "scope" | "name" | "data">, Partial<Pick<Event, "chain" | "traceparent">> {
  /** Left out: it gets a new one. */
  readonly id?: Uuid;
  /** Left out: now. */
  readonly occurredAt?: Instant | undefined;
  readonly subject?: string | null | undefined;
}

export function eventOf(
  { clock, ids }: { readonly clock: Clock; readonly ids: IdMaker },
  { scope, name, data, occurredAt = clock.now(), id = ids.uuid(), subject, chain = [], traceparent = null }: EventDraft,
): Event {
  return {
    scope,
    id,
    name,
    canonical: isCanonical(name),
    data,
    occurredAt,
    subject: subject ?? null,
    chain,
    traceparent,
  };
}

export interface SubscriberRef {
  readonly kind: "projection" | "mirror" | "connector" | "rule" | "workflow" | "assistant" | "webhook";
  readonly key: string;
  readonly priority: number;
}

/** A delivery that is made in its event's commit. */
export interface PlannedDelivery {
  readonly id: Uuid;
  readonly endpointId: Uuid;
  readonly maxInFlight: number;
  /** When it is sent is the database's business, for all nodes. */
  readonly isPaced: boolean;
  /** leased: to this node from the start; due: for the node that comes first; held: until earlier stages have ended. */
  readonly initialState: "leased" | "due" | "held";
}

/** An event with all that is written with it. */
export interface EventCommit {
  readonly event: Event;
  /** Position of the request that brought it, from 1: it is written only if that is in `fresh (at)`. */
  readonly request: number;
  /** In the order in which they run. */
  readonly stages: readonly SubscriberRef[];
  /** This node runs the stages; else they wait for the one that first has room. */
  readonly isAdmitted: boolean;
  readonly deliveries: readonly PlannedDelivery[];
}

/** Decides what reacts to events: planned before the commit, written in it, set going after it. `dispatch` is one; this folder knows only the shape. */
export interface Fanout {
  /** Of the events of some requests, in their order. Inside a transaction, `reader` is it: a second connection could be one that never becomes free. */
  plan(requests: readonly (readonly Event[])[], reader: HotReader): Promise<readonly EventCommit[]>;
  /** Stages and deliveries. */
  parts(commits: readonly EventCommit[]): readonly CommitPart<"dependent">[];
  /** Called after the commit with what it holds. */
  committed(commits: readonly EventCommit[]): void;
}
