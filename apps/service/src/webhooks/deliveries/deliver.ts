import type { Db } from "../../platform/db/db.ts";
import type { SecretSource } from "../../audit/audit.ts";
import type { DeliverySubscriber, Events } from "../../events/events.ts";
import type { Clock, IdMaker, Sealer } from "../../lib/lib.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import type { Log, Signals, TraceHeaders } from "../../platform/telemetry/telemetry.ts";
import type { Usage } from "../../insights/insights.ts";
import { createClaimer } from "./claim.worker.ts";
import { oldestDueAge, pendingEstimate } from "./deliveries.store.ts";
import { createEndpoints } from "../endpoints/endpoints.ts";
import type { Endpoints } from "../endpoints/endpoints.ts";
import { ENDPOINTS_QUERY } from "../endpoints/listeners.store.ts";
import { createEngine } from "./engine.worker.ts";
import type { Engine } from "./engine.worker.ts";
import type { SystemEvents } from "./after-commit.ts";
import type { RetrySchedule } from "./retry-schedule.ts";
import { endpointSecretSource } from "../endpoints/redaction-source.ts";
import type { FailingNotice } from "../endpoints/endpoint-mail.ts";
import { createOwnInboxes } from "../endpoints/own-inboxes.ts";
import type { OwnInboxes } from "../endpoints/own-inboxes.ts";
import { createDeliveryPlans } from "../endpoints/match-endpoints.ts";
import { createPosting } from "./owned-deliveries.ts";
import type { Posting } from "./owned-deliveries.ts";
import { release } from "./release.ts";
import { createInsight } from "./console-feed.ts";
import type { DeliverInsight } from "./console-feed.ts";
import { createLog } from "./log.ts";
import type { DeliveryLog } from "./log.ts";
import { createReplays } from "./replays.ts";
import type { Replays } from "./replays.ts";
import { createStatistics } from "../endpoints/endpoint-stats.ts";
import { createReplayer } from "./replay.worker.ts";
import { createTargets } from "../endpoints/targets.ts";
import { createTransformRunner } from "../transforms/run.ts";
import type { TransformRunner } from "../transforms/run.ts";
import type { ScriptRunner } from "../transforms/script.ts";

export type { DeliveryLog, DeliveryQuery } from "./log.ts";
export type { RetrySchedule } from "./retry-schedule.ts";
export type { SystemEvents } from "./after-commit.ts";
export type { AttemptView, DeliveryView, EndpointView } from "./views.ts";
export type { EndpointInput, Endpoints, WithSecret } from "../endpoints/endpoints.ts";
export { headersOf, signedRequest } from "./envelope.ts";
export type { Message, SignedRequest } from "./envelope.ts";
export { inboxKey, inboxKeys, inboxReference, inboxTokenPlace, shownToken } from "../endpoints/own-inboxes.ts";
export type { OwnInboxes } from "../endpoints/own-inboxes.ts";
export type { Outcome, Posting } from "./owned-deliveries.ts";
export { sealedByDeliver } from "./encrypted-columns.ts";
export { shownAnswer } from "./echoes.ts";
export { revealHeaders, shownHeaders } from "../endpoints/header-values.ts";
export type { HeaderValues } from "../endpoints/header-values.ts";
export type { DocumentKind, RevealedWebhook, SealedBefore } from "../endpoints/webhook-headers.ts";
export { sealPlainEndpoints } from "../endpoints/plain-headers.ts";

export interface Deliver extends Omit<DeliverySubscriber, "ofEvent">, DeliveryLog {
  readonly insight: DeliverInsight;
  readonly replays: Replays;
  readonly endpoints: Endpoints;
  readonly posting: Posting;
  readonly inboxes: OwnInboxes;
  readonly runner: TransformRunner;
  /** The source of secrets for redaction. */
  readonly secrets: SecretSource;
  start(): Promise<void>;
  stop(): Promise<void>;
  stats(): { waiting: number; inFlight: number };
  oldestDueAgeSeconds(): Promise<number>;
  pendingDeliveries(): Promise<number>;
}

export interface DeliverDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly net: Net;
  readonly log: Log;
  readonly signals: Signals;
  readonly traces: TraceHeaders;
  readonly retrySchedule: RetrySchedule;
  /** False in a process that only accepts events. */
  readonly works: boolean;
  /** The base URL without a slash at the end. */
  readonly baseUrl: string;
  readonly announcer: SystemEvents;
  readonly failingNotice: FailingNotice;
  readonly events: Pick<Events, "get" | "list">;
  readonly usage: Pick<Usage, "endpoints">;
  /** Called after an awaited delivery has ended: see `Posting`. */
  readonly awaited: () => readonly (() => void)[];
  /** Runs the scripts of transformations. */
  readonly scripts: () => ScriptRunner;
}

const CHANNEL = "junction_due";

export function createDeliver(given: DeliverDeps): Deliver {
  const { db, clock } = given;
  const inboxes = createOwnInboxes(given);
  const deps = { ...given, inboxes, runner: createTransformRunner(given.scripts) };
  const targets = createTargets(deps);
  const engine: Engine | null = deps.works ? createEngine({ ...deps, targets }) : null;
  const claimer = engine === null ? null : createClaimer({ db, clock, engine, log: deps.log });
  const notifyOthers = async (): Promise<void> =>
    await db
      .notify(CHANNEL)
      .catch((error: unknown) => deps.log.warn({ err: error }, "failed to notify other nodes; they will poll"));
  const wakeAll = (): void => {
    claimer?.wake();
    void notifyOthers();
  };
  const replayer = createReplayer({ ...deps, wakeAll });
  const statistics = createStatistics(deps);
  const endpoints = createEndpoints({ ...deps, wakeAll, startReplay: replayer.start, statistics });
  let unlisten: (() => Promise<void>) | undefined;

  return {
    secrets: endpointSecretSource(deps.sealer),
    endpoints,
    inboxes,
    runner: deps.runner,
    posting: createPosting({ ...deps, wakeAll }),
    question: ENDPOINTS_QUERY,
    ...createDeliveryPlans({ ...deps, engine, wakeAll }),
    release: async (events, ended) => await release({ ...deps, engine, wakeAll }, events, ended),
    ...createLog({ ...deps, wakeAll }),
    insight: createInsight(deps),
    replays: createReplays({ ...deps, replayer }),
    async start() {
      if (claimer === null) return;
      unlisten = await db.listen(CHANNEL, () => claimer.wake());
      claimer.start();
      replayer.resume();
    },
    async stop() {
      await unlisten?.();
      await replayer.stop();
      await claimer?.stop();
      await engine?.stop();
      // Deliveries that were given back are due now. Notifying the other nodes spares them the wait for their next
      // poll.
      if (engine !== null) await notifyOthers();
    },
    stats: () => engine?.stats() ?? { waiting: 0, inFlight: 0 },
    oldestDueAgeSeconds: async () => await oldestDueAge(db),
    pendingDeliveries: async () => await pendingEstimate(db),
  };
}
