import { fromDate, once, toRfc3339, wireId } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { isCanonical } from "../catalogue/catalogue.ts";
import type { EventCommit, Fanout, MatchedEvent, SubscriberRef } from "../event/event.ts";
import { endpointRef, inOrder, WEBHOOK_PRIORITY } from "../event/subscriber-order.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { currentType } from "../types/type-checks.ts";
import { askAll } from "./subscriber-query.ts";
import type { Findings } from "./subscriber-query.ts";
import { stagePart, stagesOf } from "./dispatch.store.ts";
import { createStageRunner, LEASE_SECONDS } from "./stage.worker.ts";
import type { DispatchDeps } from "./subscriber.ts";

export { createEventReader } from "./event-reader.ts";

/** The stage that releases held deliveries. */
const WEBHOOK_STAGE: SubscriberRef = { kind: "webhook", key: "deliveries", priority: WEBHOOK_PRIORITY };

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
  /** Returns the stages and the deliveries of one event. */
  reactionsOf(
    scope: Scope,
    event: { readonly id: Uuid },
  ): Promise<{ readonly stages: readonly StageView[]; readonly deliveries: readonly object[] }>;
  /** Returns the subscribers that would react now to an event with this name and data as JSON text, in order. */
  whoReacts(scope: Scope, name: string, data: string): Promise<readonly SubscriberRef[]>;
  /** Takes over stages of stopped nodes and retries failed stages, until stopped. */
  start(): void;
  stop(): Promise<void>;
}

export function createDispatch(deps: DispatchDeps): Dispatch {
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
    async typed(events, reader) {
      const found = await askAll(reader, [types.question], events);
      const [checked = events] = await types.check([events], (event) => found(types.question, event), reader);
      return checked;
    },
    async plan(asked, reader) {
      const found = await askAll(reader, questions(), asked.flat());
      const requests = await types.check(asked, (event) => found(types.question, event), reader);
      const events = requests.flat();
      const match = createMatch(found);
      const webhooks = deliveries();
      const deliveriesOf = await webhooks.plan(events, (event) => found(webhooks.question, event));
      // Events that exceed this node's capacity wait in the database.
      const admits = runner.admission();
      return requests.flatMap((ofRequest, at) =>
        ofRequest.map((event): EventCommit => {
          const matched = match(event);
          const isHeld = matched.some(({ priority }) => priority < WEBHOOK_PRIORITY);
          const made = deliveriesOf(event, isHeld);
          const stages = isHeld && made.length > 0 ? [...matched, WEBHOOK_STAGE] : matched;
          return { event, request: at + 1, stages, isAdmitted: admits(event), deliveries: made };
        }),
      );
    },
    planTo: async (tx, scope, event, endpointId) => await deliveries().planTo(tx, scope, event, endpointId),
    parts(commits) {
      const stages = commits.flatMap((commit) => commit.stages.map((stage) => ({ commit, stage })));
      return [
        ...(stages.length === 0 ? [] : [stagePart(stages, { leaseId: runner.leaseId, leaseSeconds: LEASE_SECONDS })]),
        ...deliveries().parts(commits),
      ];
    },
    committed(commits) {
      deliveries().committed(commits);
      const staged = commits.filter(({ stages }) => stages.length > 0);
      for (const commit of staged) if (commit.isAdmitted) runner.run(commit);
      if (staged.some(({ isAdmitted }) => !isAdmitted)) runner.wake();
    },
    reactionsOf: async (scope, { id }) => ({
      stages: (await stagesOf(deps.db.query, scope, id)).map(stageView),
      deliveries: await deliveries().ofEvent(scope, id),
    }),
    async whoReacts(scope, name, data) {
      const asked = { ...UNFIRED, scope, name, canonical: isCanonical(name), data };
      const found = await askAll(deps.db, questions(), [asked]);
      const event = { ...asked, typeVersion: currentType(found(types.question, asked)[0])?.version ?? null };
      const endpoints = await deliveries().endpointsFor(event, found(deliveries().question, event));
      return inOrder([
        ...createMatch(found)(event),
        ...endpoints.map((endpoint) => endpointRef(wireId("ep", scope.tag, endpoint))),
      ]);
    },
    start: () => runner.start(),
    stop: async () => await runner.stop(),
  };
}

const UNFIRED = { subject: null, tenant: null, isInternal: false, chain: [], labels: null };

function stageView(row: Awaited<ReturnType<typeof stagesOf>>[number]): StageView {
  const time = (date: Date | null): string | null => (date === null ? null : toRfc3339(fromDate(date)));
  const { kind, key, priority, state, late, error } = row;
  return { kind, key, priority, state, late, started_at: time(row.started_at), ended_at: time(row.ended_at), error };
}
