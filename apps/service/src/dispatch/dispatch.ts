import type { CommitPart, Db, HotReader } from "../platform/db/db.ts";
import { fromDate, toRfc3339 } from "../lib/lib.ts";
import type { Clock, IdMaker, Instant, Tag, Uuid } from "../lib/lib.ts";
import { findEventType, isSystem } from "../events/events.ts";
import type { DeliveryRef, Fanout, FanoutBatch, NewEvent, SubscriberRef } from "../events/events.ts";
import type { Log, Signals } from "../platform/telemetry/telemetry.ts";
import type { Scope } from "../accounts/workspaces/workspaces.ts";
import { askAll } from "./asking.ts";
import type { Answers, Question } from "./asking.ts";
import { stagePart, stagesOf } from "../events/subscriptions/dispatch.store.ts";
import type { StageInsert } from "../events/subscriptions/dispatch.store.ts";
import { createStageRunner, LEASE_SECONDS } from "../events/subscriptions/stage.worker.ts";

export type { Answers, Question } from "./asking.ts";

/** Where webhook deliveries stand among the stages. Lower numbers run first. */
export const WEBHOOK_PRIORITY = 60;

/** The stage that lets held deliveries go. */
const WEBHOOK_STAGE: SubscriberRef = { kind: "webhook", key: "deliveries", priority: WEBHOOK_PRIORITY };

/** An event as a subscriber sees it. */
export interface DispatchedEvent {
  readonly scope: Scope;
  readonly id: Uuid;
  readonly name: string;
  readonly data: string;
  readonly occurredAt: Instant;
  readonly chain: readonly Uuid[];
  /** Of its caller; null where it began its own trace. */
  readonly traceparent: string | null;
}

/** Reacts to events in a stage of its own: projections, mirrors, rules, workflows, the assistant. */
export type Subscriber = Listener & (Single | Many);

interface Listener {
  readonly kind: Exclude<SubscriberRef["kind"], "webhook">;
  /** Whether a stage of this key is its own, where several subscribers are of one kind; left out, all of its kind are. */
  takes?(key: string): boolean;
  /** What `match` has to know of the database. */
  readonly question?: Question;
  /** Who of this kind reacts, an answer for each event; read fresh. */
  match(events: readonly NewEvent[], answers: Answers): Promise<readonly (readonly SubscriberRef[])[]>;
}

interface Single {
  /** Runs at least once. Throwing means: try again later, in the background. */
  react(event: DispatchedEvent, key: string, priority: number): Promise<void>;
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
  readonly event: DispatchedEvent;
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
  readonly question: Question;
  plan(events: readonly NewEvent[], held: readonly boolean[], answers: Answers): DeliveryBatch;
  /** Lets held deliveries go, and records that in the same commit. Harmless when they are gone already. */
  release(events: readonly Releasable[], ended: CommitPart): Promise<void>;
}

export interface DeliveryBatch {
  readonly deliveries: readonly (readonly DeliveryRef[])[];
  /** Of an event whose deliveries are held. */
  held(position: number): readonly HeldDelivery[];
  part(requests: readonly number[]): CommitPart | undefined;
  committed(written: ReadonlySet<number>): void;
}

/** A delivery that its node may send itself once it is let go. */
export interface HeldDelivery {
  readonly id: Uuid;
  readonly endpointId: Uuid;
  readonly maxInFlight: number;
  /** When it is sent is the database's business, for all nodes. */
  readonly isPaced: boolean;
}

export interface Releasable {
  readonly event: DispatchedEvent;
  /** Undefined where this node did not plan them: it took the event over. */
  readonly deliveries: readonly HeldDelivery[] | undefined;
}

/** One stage of an event, as `GET /v1/events/{id}` shows it. */
export interface StageView {
  readonly kind: string;
  readonly key: string;
  readonly priority: number;
  readonly state: string;
  readonly late: boolean;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly error: string | null;
}

export interface Dispatch extends Fanout {
  stages(scope: Scope, eventId: Uuid): Promise<StageView[]>;
  /** Who would react now to an event of this name, in order. */
  whoReacts(scope: Scope, name: string): Promise<readonly SubscriberRef[]>;
  /** Takes over stages that a dead node left, and retries failed ones, until stopped. */
  start(): void;
  stop(): Promise<void>;
}

export interface DispatchDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly log: Log;
  readonly signals: Pick<Signals, "stageEnded">;
  readonly subscribers: readonly Subscriber[];
  readonly deliveries: DeliverySubscriber;
  readonly stageWaitMs: number;
  /** Reads events of one bucket that this node did not accept itself; one that has been deleted is missing. */
  readonly readEvents: (
    bucket: number,
    places: readonly { readonly tag: Tag; readonly id: Uuid }[],
  ) => Promise<ReadonlyMap<Uuid, DispatchedEvent>>;
}

export function createDispatch(deps: DispatchDeps): Dispatch {
  const { subscribers, deliveries } = deps;
  const runner = createStageRunner(deps);
  const questions = [...subscribers, deliveries].flatMap(({ question }) => (question === undefined ? [] : [question]));

  /** `alwaysHeld` stands for what only the data can tell. */
  async function plan(events: readonly NewEvent[], reader: HotReader, alwaysHeld = false): Promise<FanoutBatch> {
    const answersTo = await askAll(reader, questions, events);
    const staged = await matchAll(subscribers, events, answersTo);
    const held = staged.map((refs) => alwaysHeld || refs.some((ref) => ref.priority < WEBHOOK_PRIORITY));
    const planned = deliveries.plan(events, held, answersTo(deliveries.question));
    return fanoutOf({ runner, events, staged, held, deliveries: planned });
  }

  return {
    plan: async (events, reader) => await plan(events, reader),
    stages: async (scope, eventId) => (await stagesOf(deps.db.query, scope, eventId)).map(stageView),
    async whoReacts(scope, name) {
      // Who reacts may lie in the data: the catalogue's example stands for it.
      const type = findEventType(name);
      const event: NewEvent = {
        scope,
        id: deps.ids.uuid(),
        name,
        canonical: type !== undefined && !isSystem(name),
        data: JSON.stringify(type?.example ?? {}),
        occurredAt: deps.clock.now(),
        subject: null,
        chain: null,
        traceparent: null,
      };
      return (await plan([event], deps.db, true)).reactions[0]?.subscribers ?? [];
    },
    start: () => runner.start(),
    stop: async () => await runner.stop(),
  };
}

interface Planned {
  readonly runner: ReturnType<typeof createStageRunner>;
  readonly events: readonly NewEvent[];
  readonly staged: readonly (readonly SubscriberRef[])[];
  /** Whose deliveries wait for earlier stages. */
  readonly held: readonly boolean[];
  readonly deliveries: DeliveryBatch;
}

function fanoutOf(planned: Planned): FanoutBatch {
  const { runner, events, staged, held, deliveries } = planned;
  const stages = events.map((_event, at): readonly SubscriberRef[] => [
    ...(staged[at] ?? []),
    ...(held[at] === true && (deliveries.deliveries[at] ?? []).length > 0 ? [WEBHOOK_STAGE] : []),
  ]);
  // What this node has no room for waits in the database.
  const admitted = runner.admit(events);
  return {
    reactions: events.map((_event, at) => {
      const made = deliveries.deliveries[at] ?? [];
      const hooks = made.map((delivery): SubscriberRef => ({
        kind: "webhook",
        key: delivery.endpoint_id,
        priority: WEBHOOK_PRIORITY,
      }));
      return { subscribers: [...(staged[at] ?? []), ...hooks].toSorted(byPriority), deliveries: made };
    }),
    parts: (requests) => {
      const rows = events.flatMap((event, at) => {
        const of = { request: requests[at] ?? 0, leased: admitted[at] === true };
        return (stages[at] ?? []).map((ref) => insertOf(event, ref, of));
      });
      const delivery = deliveries.part(requests);
      return [
        ...(rows.length === 0 ? [] : [stagePart(rows, runner.leaseId, LEASE_SECONDS)]),
        ...(delivery === undefined ? [] : [delivery]),
      ];
    },
    committed: (written) => {
      deliveries.committed(written);
      const started = events.map((event, at) => {
        const refs = stages[at] ?? [];
        if (refs.length === 0 || !written.has(at)) return true;
        if (admitted[at] === true) runner.run(dispatched(event), refs, deliveries.held(at));
        return admitted[at];
      });
      if (started.includes(false)) runner.wake();
    },
  };
}

/** Each subscriber answers for all events at once; the order within an event is by priority, then kind, then key, the same on every firing. */
async function matchAll(
  subscribers: readonly Subscriber[],
  events: readonly NewEvent[],
  answersTo: (question: Question | undefined) => Answers,
): Promise<SubscriberRef[][]> {
  const answers = await Promise.all(
    subscribers.map((subscriber) => subscriber.match(events, answersTo(subscriber.question))),
  );
  return events.map((_event, at) => answers.flatMap((answer) => answer[at] ?? []).toSorted(byPriority));
}

function byPriority(a: SubscriberRef, b: SubscriberRef): number {
  return a.priority - b.priority || a.kind.localeCompare(b.kind) || a.key.localeCompare(b.key);
}

function insertOf(
  event: NewEvent,
  ref: SubscriberRef,
  of: { readonly request: number; readonly leased: boolean },
): StageInsert {
  const { bucket, tag } = event.scope;
  return { bucket, tag, event_id: event.id, priority: ref.priority, kind: ref.kind, key: ref.key, ...of };
}

function dispatched(event: NewEvent): DispatchedEvent {
  const { scope, id, name, data, occurredAt, chain, traceparent } = event;
  return { scope, id, name, data, occurredAt, chain: chain ?? [], traceparent };
}

function stageView(row: Awaited<ReturnType<typeof stagesOf>>[number]): StageView {
  const time = (date: Date | null): string | null => (date === null ? null : toRfc3339(fromDate(date)));
  const { kind, key, priority, state, late, error } = row;
  return { kind, key, priority, state, late, started_at: time(row.started_at), ended_at: time(row.ended_at), error };
}
