import type { CommitPart, Db } from "../../platform/db/db.ts";
import type { Clock, IdMaker, Tag, Uuid } from "../../lib/lib.ts";
import type { Event, EventCommit, MatchedEvent, PlannedDelivery, SubscriberRef } from "../fire/event.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { SubscriberQuery } from "./question.ts";

/** Reacts to events in a stage of its own: projections, mirrors, rules, workflows, the assistant. */
export type Subscriber = Listener & (Single | Many);

interface Listener {
  readonly kind: Exclude<SubscriberRef["kind"], "webhook">;
  /** Whether a stage of this key is its own, where several subscribers are of one kind; left out, all of its kind are. */
  takes?(key: string): boolean;
  /** What `match` has to know of the database. */
  readonly question?: SubscriberQuery;
  /** Who of this kind reacts to the event, by what the question found for it. */
  match(event: MatchedEvent, found: readonly string[]): readonly SubscriberRef[];
}

interface Single {
  /** Runs at least once. Throwing means: try again later, in the background. */
  react(event: Event, key: string, priority: number): Promise<void>;
}

interface Many {
  /**
   * Runs at least once for each reaction, for those of many events and workspaces at once; those of one workspace come in the order in which
   * their events were accepted. What it writes, it writes in one transaction, which `ended` is part of. When it throws, nothing was written: it is called again with each
   * half, so that what cannot be written stops no other.
   */
  reactAll(reactions: readonly Reaction[], ended: Ended): Promise<Reacted>;
}

/** One stage of one event. */
export interface Reaction {
  readonly event: Event;
  readonly key: string;
}

/** Records that the stages at these positions are done, in the commit of what they did. */
export type Ended = (positions: readonly number[]) => CommitPart;

/** By position: undefined where the stage has ended, the fault of one that failed alone, or what is left to do before it ends. */
export type Reacted = readonly (Error | Later | undefined)[];

/** What takes its time: it holds up no other event. Throwing means: try the stage again. */
export interface Later {
  later(): Promise<void>;
}

/** The subscriber whose reactions are deliveries: made in the event's own commit, and held while earlier stages run. */
export interface DeliverySubscriber {
  readonly question: SubscriberQuery;
  /** The endpoints that would be sent the event, by what the question found for it. */
  endpointsFor(event: MatchedEvent, found: readonly string[]): readonly Uuid[];
  /** Throws 422 where the events lead to more deliveries than one commit may have. Gives the deliveries of each of them. */
  plan(
    events: readonly Event[],
    foundOf: (event: Event) => readonly string[],
  ): (event: Event, isHeld: boolean) => readonly PlannedDelivery[];
  /** Writes the deliveries of events with them; undefined where there are none. */
  part(commits: readonly EventCommit[]): CommitPart<"dependent"> | undefined;
  /** Called after the commit with what it holds. */
  committed(commits: readonly EventCommit[]): void;
  /** The deliveries of one event, as they are shown with it. */
  ofEvent(scope: Scope, eventId: Uuid): Promise<readonly object[]>;
  /** Lets held deliveries go, and records that in the same commit. Harmless when they are gone already. */
  release(events: readonly Releasable[], ended: CommitPart): Promise<void>;
}

export interface Releasable {
  readonly event: Event;
  /** Undefined where this node did not plan them: it took the event over. */
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
  readonly stageWaitMs: number;
  /** Reads events of one bucket that this node did not accept itself; one that has been deleted is missing. */
  readonly readEvents: (
    bucket: number,
    places: readonly { readonly tag: Tag; readonly id: Uuid }[],
  ) => Promise<ReadonlyMap<Uuid, Event>>;
}
