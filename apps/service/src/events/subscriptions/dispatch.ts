import { fromDate, once, toRfc3339, wireId } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { CommitPart, HotReader, Tx } from "../../platform/db/db.ts";
import { isCanonical } from "../catalogue/catalogue.ts";
import type { Event, MatchedEvent, PlannedEvent, SubscriberRef } from "../event/event.ts";
import { endpointRef, inOrder, WEBHOOK_PRIORITY } from "../event/subscriber-order.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { currentType } from "../types/type-checks.ts";
import { askAll } from "./subscriber-query.ts";
import type { Findings } from "./subscriber-query.ts";
import { stagePart, stagesOf } from "./dispatch.store.ts";
import type { StageRow } from "./dispatch.store.ts";
import { createStageRunner, LEASE_SECONDS } from "./stage.worker.ts";
import type { StageRunner } from "./stage.worker.ts";
import type { DeliveryPlan, DispatchDeps } from "./subscriber.ts";

/** The stage that releases held deliveries. */
const WEBHOOK_STAGE: SubscriberRef = { kind: "webhook", key: "deliveries", priority: WEBHOOK_PRIORITY };

/** The reactions to some events: planned before the commit, written in it, started after it. */
export interface ReactionPlan {
  /** The events of each request, in their order, with the versions and the faults of their types. */
  readonly requests: readonly (readonly PlannedEvent[])[];
  /** Returns the parts that write the stages and the deliveries with their events. */
  insert(): readonly CommitPart<"dependent">[];
  /** Starts the reactions to the events that were written. Called after the commit. */
  start(written: readonly PlannedEvent[]): void;
}

export type Dispatch = ReturnType<typeof createDispatch>;

/** Decides what reacts to events, and runs the reactions. */
export function createDispatch(deps: DispatchDeps) {
  const runner = createStageRunner(deps);
  const { deliveries, types } = deps;
  const questions = once(() =>
    [types, ...deps.subscribers(), deliveries()].flatMap(({ question }) => (question === undefined ? [] : [question])),
  );

  function createMatch(found: Findings): (event: MatchedEvent) => SubscriberRef[] {
    const subscribers = deps.subscribers();
    return (event) =>
      inOrder(subscribers.flatMap((subscriber) => subscriber.match(event, found(subscriber.question, event))));
  }

  return {
    /** Returns the events with the versions and the faults of their types, without planning reactions. */
    async typed(events: readonly Event[], reader: HotReader): Promise<readonly Event[]> {
      const found = await askAll(reader, [types.question], events);
      const [checked = events] = await types.check([events], (event) => found(types.question, event), reader);
      return checked;
    },
    /**
     * Plans the events of some requests, in their order. Inside a transaction, `reader` is that transaction: a second
     * connection might never become free.
     */
    async plan(requests: readonly (readonly Event[])[], reader: HotReader): Promise<ReactionPlan> {
      const found = await askAll(reader, questions(), requests.flat());
      const checked = await types.check(requests, (event) => found(types.question, event), reader);
      const match = createMatch(found);
      const webhooks = await deliveries().plan(checked.flat(), (event) => found(deliveries().question, event));
      // Events that exceed this node's capacity wait in the database.
      const admits = runner.admission();
      const planned = checked.map((events, request) =>
        events.map((event): PlannedEvent => {
          const matched = match(event);
          const isHeld = matched.some(({ priority }) => priority < WEBHOOK_PRIORITY);
          const made = webhooks.of(event, isHeld);
          const stages = isHeld && made.length > 0 ? [...matched, WEBHOOK_STAGE] : matched;
          return { event, request, stages, isAdmitted: admits(event), deliveries: made };
        }),
      );
      return planOf(runner, planned, webhooks);
    },
    /** Plans one more delivery of a stored event: see `DeliverySubscriber`. No other subscriber reacts. */
    async planTo(tx: Tx, scope: Scope, event: Event, endpointId: string): Promise<ReactionPlan> {
      const webhooks = await deliveries().planTo(tx, scope, event, endpointId);
      const planned = { event, request: 0, stages: [], isAdmitted: true, deliveries: webhooks.of(event, false) };
      return planOf(runner, [[planned]], webhooks);
    },
    /** Returns the stages and the deliveries of one event. */
    reactionsOf: async (scope: Scope, { id }: { readonly id: Uuid }) => ({
      stages: (await stagesOf(deps.db.query, scope, id)).map(stageView),
      deliveries: await deliveries().ofEvent(scope, id),
    }),
    /** Returns the subscribers that would react now to an event with this name and data as JSON text, in order. */
    async whoReacts(scope: Scope, name: string, data: string): Promise<readonly SubscriberRef[]> {
      const asked = { ...UNFIRED, scope, name, canonical: isCanonical(name), data };
      const found = await askAll(deps.db, questions(), [asked]);
      const event = { ...asked, typeVersion: currentType(found(types.question, asked)[0])?.version ?? null };
      const endpoints = await deliveries().endpointsFor(event, found(deliveries().question, event));
      return inOrder([
        ...createMatch(found)(event),
        ...endpoints.map((endpoint) => endpointRef(wireId("ep", scope.tag, endpoint))),
      ]);
    },
    /** Takes over stages of stopped nodes and retries failed stages, until stopped. */
    start: runner.start,
    stop: runner.stop,
  };
}

function planOf(
  runner: StageRunner,
  requests: readonly (readonly PlannedEvent[])[],
  webhooks: DeliveryPlan,
): ReactionPlan {
  return {
    requests,
    insert() {
      const events = requests.flat();
      const stages = events.flatMap(({ event, request, isAdmitted, stages: all }) =>
        all.map((stage) => ({ event, request, isAdmitted, stage })),
      );
      const lease = { leaseId: runner.leaseId, leaseSeconds: LEASE_SECONDS };
      return [...(stages.length === 0 ? [] : [stagePart(stages, lease)]), ...webhooks.insert(events)];
    },
    start(written) {
      webhooks.start(written);
      const staged = written.filter(({ stages }) => stages.length > 0);
      for (const one of staged) if (one.isAdmitted) runner.run(one);
      if (staged.some(({ isAdmitted }) => !isAdmitted)) runner.wake();
    },
  };
}

const UNFIRED = { subject: null, tenant: null, isInternal: false, chain: [], labels: null };

/** Returns one stage of an event, as `GET /v1/events/{id}` shows it. */
function stageView({ kind, key, priority, state, late, error, ...row }: StageRow): object {
  const time = (date: Date | null): string | null => (date === null ? null : toRfc3339(fromDate(date)));
  return { kind, key, priority, state, late, started_at: time(row.started_at), ended_at: time(row.ended_at), error };
}
