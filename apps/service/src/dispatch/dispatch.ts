import type { CommitPart, Db, HotReader } from "../db/db.ts";
import { fromDate, toRfc3339 } from "../kernel/kernel.ts";
import type { Clock, IdMaker, Instant, Uuid } from "../kernel/kernel.ts";
import { findEventType, isSystem } from "../events/events.ts";
import type { DeliveryRef, Fanout, FanoutBatch, NewEvent, SubscriberRef } from "../events/events.ts";
import type { Log, Signals } from "../telemetry/telemetry.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import { askAll } from "./asking.ts";
import type { Answers, Question } from "./asking.ts";
import { stagePart, stagesOf } from "./dispatch.store.ts";
import type { StageInsert } from "./dispatch.store.ts";
import { createStageRunner, LEASE_SECONDS } from "./stage.worker.ts";

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
export interface Subscriber {
  readonly kind: Exclude<SubscriberRef["kind"], "webhook">;
  /** Whether a stage of this key is its own, where several subscribers are of one kind; left out, all of its kind are. */
  takes?(key: string): boolean;
  /** What `match` has to know of the database. */
  readonly question?: Question;
  /** Who of this kind reacts, an answer for each event; read fresh. */
  match(events: readonly NewEvent[], answers: Answers): Promise<readonly (readonly SubscriberRef[])[]>;
  /** Runs at least once. Throwing means: try again later, in the background. */
  react(event: DispatchedEvent, key: string, priority: number): Promise<void>;
}

/** The subscriber whose reactions are deliveries: made in the event's own commit, and held while earlier stages run. */
export interface DeliverySubscriber {
  readonly question: Question;
  plan(events: readonly NewEvent[], held: readonly boolean[], answers: Answers): DeliveryBatch;
  /** Lets the held deliveries of an event go. Harmless when they are gone already. */
  release(scope: Pick<Scope, "bucket" | "tag">, eventId: Uuid): Promise<void>;
}

export interface DeliveryBatch {
  readonly deliveries: readonly (readonly DeliveryRef[])[];
  part(requests: readonly number[]): CommitPart | undefined;
  committed(written: ReadonlySet<number>): void;
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
  /** Reads an event that this node did not accept itself. */
  readonly readEvent: (scope: Pick<Scope, "bucket" | "tag">, id: Uuid) => Promise<DispatchedEvent | undefined>;
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
  const stagesOfEvent = (at: number): readonly SubscriberRef[] => [
    ...(staged[at] ?? []),
    ...(held[at] === true && (deliveries.deliveries[at] ?? []).length > 0 ? [WEBHOOK_STAGE] : []),
  ];
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
      const rows = events.flatMap((event, at) =>
        stagesOfEvent(at).map((ref) => insertOf(event, ref, requests[at] ?? 0)),
      );
      const delivery = deliveries.part(requests);
      return [
        ...(rows.length === 0 ? [] : [stagePart(rows, runner.leaseId, LEASE_SECONDS)]),
        ...(delivery === undefined ? [] : [delivery]),
      ];
    },
    committed: (written) => {
      deliveries.committed(written);
      events.forEach((event, at) => {
        const refs = stagesOfEvent(at);
        if (refs.length > 0 && written.has(at)) runner.run(dispatched(event), refs);
      });
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

function insertOf(event: NewEvent, ref: SubscriberRef, request: number): StageInsert {
  const { bucket, tag } = event.scope;
  return { bucket, tag, event_id: event.id, priority: ref.priority, kind: ref.kind, key: ref.key, request };
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
