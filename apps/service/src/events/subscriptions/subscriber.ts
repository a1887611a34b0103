import type { CommitPart, Db, Tx } from "../../platform/db/db.ts";
import type { Clock, IdMaker, Uuid } from "../../lib/lib.ts";
import type { EventReader } from "../event/event-reader.ts";
import type {
  Event,
  MatchedEvent,
  PlannedDelivery,
  PlannedEvent,
  SubscriberQuery,
  SubscriberRef,
} from "../event/event.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { TypeChecks } from "../types/type-checks.ts";

/**
 * A part of the service that reacts to events in a stage of its own: projections, mirrors, rules, workflows, the
 * assistant.
 */
export type Subscriber = Listener & (Single | Many);

interface Listener {
  readonly kind: Exclude<SubscriberRef["kind"], "webhook">;
  /**
   * Returns true if a stage with this key belongs to the subscriber, if several subscribers share a kind. Without it,
   * all stages of the kind do.
   */
  takes?(key: string): boolean;
  /** The information from the database that `match` needs. */
  readonly question?: SubscriberQuery;
  /** Returns the subscribers of this kind that react to the event, based on the answers for it. */
  match(event: MatchedEvent, found: readonly string[]): readonly SubscriberRef[];
}

interface Single {
  /** Runs at least once. If it throws, the stage is retried later in the background. */
  react(event: Event, key: string, priority: number): Promise<void>;
}

interface Many {
  /**
   * Runs at least once for each reaction, for many events and workspaces at once. The reactions of one workspace are in
   * the order in which their events were accepted. All writes are in one transaction that includes `ended`. If it
   * throws, nothing may have been written: it is called again with each half, so that one event that cannot be written
   * does not stop the others.
   */
  reactAll(reactions: readonly Reaction[], ended: Ended): Promise<Reacted>;
}

/** One stage of one event. */
export interface Reaction {
  readonly event: Event;
  readonly key: string;
}

/** Records that the stages at these positions are done, in the commit of their reactions. */
export type Ended = (positions: readonly number[]) => CommitPart;

/**
 * The results by position: undefined if the stage has ended, an error if it failed alone, or the work that remains
 * before it ends.
 */
export type Reacted = readonly (Error | Later | undefined)[];

/** Remaining work that takes time. It delays no other event. If it throws, the stage is retried. */
export interface Later {
  later(): Promise<void>;
}

/**
 * The subscriber whose reactions are deliveries. They are created in the event's own commit, and held while earlier
 * stages run.
 */
export interface DeliverySubscriber {
  readonly question: SubscriberQuery;
  /** Returns the endpoints that would receive the event, based on the answers for it. */
  endpointsFor(event: MatchedEvent, found: readonly string[]): Promise<readonly Uuid[]>;
  /** Decides which endpoints get which events. Throws 422 if they lead to more deliveries than one commit may have. */
  plan(events: readonly Event[], foundOf: (event: Event) => readonly string[]): Promise<DeliveryPlan>;
  /**
   * Plans one more delivery of a stored event, to an endpoint of the caller, and locks out other deliveries of past events to it until
   * the transaction ends. Throws 404, 409 `conflict` if the endpoint is inactive, and 422 if it may not get the event.
   */
  planTo(tx: Tx, scope: Scope, event: Event, endpointId: string): Promise<DeliveryPlan>;
  /** Returns the deliveries of one event for its view. */
  ofEvent(scope: Scope, eventId: Uuid): Promise<readonly object[]>;
  /**
   * Releases held deliveries, and records that in the same commit. Deliveries that were already released are unchanged.
   */
  release(events: readonly Releasable[], ended: CommitPart): Promise<void>;
}

/** The deliveries of some events, from their plan to their start. */
export interface DeliveryPlan {
  /** Returns the deliveries of one event. They wait for its earlier stages if they are held. */
  of(event: Event, isHeld: boolean): readonly PlannedDelivery[];
  /** Returns the parts that write the deliveries with their events. */
  insert(events: readonly PlannedEvent[]): readonly CommitPart<"dependent">[];
  /** Sends the deliveries of the events that were written. Called after the commit. */
  start(written: readonly PlannedEvent[]): void;
}

/** An event, and its deliveries to release. */
export interface Releasable {
  readonly event: Event;
  /** Undefined if this node did not plan them, because it took over the event. */
  readonly deliveries: readonly PlannedDelivery[] | undefined;
}

export interface DispatchDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly log: Log;
  readonly signals: Pick<Signals, "stageEnded">;
  readonly subscribers: () => readonly Subscriber[];
  readonly deliveries: () => DeliverySubscriber;
  readonly types: TypeChecks;
  readonly stageWaitMs: number;
  readonly readEvents: EventReader;
}
