import type { AddedSecrets, SecretSource } from "../audit/audit.ts";
import type { DeliverySubscriber } from "../events/events.ts";
import { createBrokerDeps, createBrokers, DRIVERS } from "../platform/brokers/brokers.ts";
import { createAccessTokens } from "../platform/outbound-http/outbound-http.ts";
import type { OutboundRequest } from "../platform/outbound-http/outbound-http.ts";
import type { Tasks } from "../platform/tasks/tasks.ts";
import type { Log, TraceHeaders } from "../platform/telemetry/telemetry.ts";
import type { Usage } from "../insights/insights.ts";
import { createClaimer } from "./deliveries/claim.worker.ts";
import { oldestDueAge, pendingEstimate } from "./deliveries/backlog.store.ts";
import { createAdoption } from "./endpoints/adoption.ts";
import type { Adoption } from "./endpoints/adoption.ts";
import type { EndpointsDeps } from "./endpoints/endpoint.ts";
import { createEndpoints } from "./endpoints/endpoints.ts";
import type { Endpoints } from "./endpoints/endpoints.ts";
import { sendToBroker, testConnection } from "./deliveries/send-to-broker.ts";
import type { BrokerExchange, BrokerRequest, BrokerSender, ConnectionResult } from "./deliveries/send-to-broker.ts";
import { sendSignedIn } from "./requests/sign-in.ts";
import type { SignedExchange, Signer } from "./requests/sign-in.ts";
import { ENDPOINTS_QUERY } from "./endpoints/listeners.store.ts";
import { createEngine } from "./deliveries/engine.worker.ts";
import type { Engine } from "./deliveries/engine.worker.ts";
import { endpointSecretSources } from "./endpoints/redaction-source.ts";
import type { EndpointNotice } from "./endpoints/endpoint-mail.ts";
import { createOwnInboxes } from "./endpoints/own-inboxes.ts";
import type { OwnInboxes } from "./endpoints/own-inboxes.ts";
import { createDeliveryPlans } from "./deliveries/delivery-plans.ts";
import { createSendToOne } from "./deliveries/send-to-one.ts";
import { createOwnedDeliveries } from "./deliveries/owned-deliveries.ts";
import type { OwnedDeliveries } from "./deliveries/owned-deliveries.ts";
import { release } from "./deliveries/release.ts";
import { createInsight } from "./deliveries/console-feed.ts";
import type { DeliverInsight } from "./deliveries/console-feed.ts";
import { createDeliverySpans } from "./deliveries/delivery-spans.ts";
import type { DeliverySpans } from "./deliveries/delivery-spans.ts";
import { createLog } from "./deliveries/delivery-log.ts";
import { createNumbering } from "./pull/numbering.ts";
import { createPulls } from "./pull/pulls.ts";
import type { Pulls } from "./pull/pulls.ts";
import { createWaiting } from "./pull/waiting.ts";
import type { DeliveryLog } from "./deliveries/delivery-log.ts";
import type { LeasedDelivery } from "./deliveries/queue.ts";
import { createLanes } from "./lanes/lanes.worker.ts";
import type { Lanes } from "./endpoints/ordering.ts";
import { createReplays } from "./deliveries/replays.ts";
import type { Replays } from "./deliveries/replays.ts";
import { createEndpointReplays } from "./deliveries/endpoint-replays.ts";
import type { EndpointReplays } from "./deliveries/endpoint-replays.ts";
import { cancelPendingOf } from "./deliveries/deliveries.store.ts";
import { createLaneOperations } from "./lanes/lane-operations.ts";
import type { LaneOperations } from "./lanes/lane-operations.ts";
import { createStatistics } from "./endpoints/endpoint-stats.ts";
import { createReplayer } from "./deliveries/replay.worker.ts";
import { createTargets } from "./endpoints/targets.ts";
import { createTransformRunner } from "./transforms/run-transform.ts";
import type { TransformRunner } from "./transforms/run-transform.ts";
import type { ScriptRunner } from "./transforms/transform-script.ts";
import type { AfterCommitDeps } from "./deliveries/after-commit.ts";

export interface Deliver extends Omit<DeliverySubscriber, "ofEvent">, DeliveryLog, DeliverySpans {
  readonly insight: DeliverInsight;
  readonly replays: Replays & EndpointReplays;
  readonly lanes: Pick<Lanes, "ended">;
  readonly laneOperations: LaneOperations;
  readonly endpoints: Endpoints;
  readonly adoption: Adoption;
  readonly ownedDeliveries: OwnedDeliveries;
  readonly pulls: Pulls;
  /** Answers waiting pulls once the service stops. */
  readonly waitingPulls: { readonly size: number; start(): Promise<void>; stop(): Promise<void> };
  readonly inboxes: OwnInboxes;
  readonly runner: TransformRunner;
  /** Sends a request as the `auth` of an endpoint says. */
  signIn(signer: Signer, request: OutboundRequest): Promise<SignedExchange>;
  /** Sends a message to the broker of an endpoint. */
  toBroker(sender: BrokerSender, request: BrokerRequest): Promise<BrokerExchange>;
  /** Connects to the broker of an endpoint and signs in. */
  testConnection(sender: BrokerSender): Promise<ConnectionResult>;
  /** The source of secrets for redaction. */
  readonly secrets: SecretSource;
  readonly addedSecrets: AddedSecrets;
  start(): Promise<void>;
  stop(): Promise<void>;
  stats(): ReturnType<Engine["stats"]>;
  oldestDueAgeSeconds(): Promise<number>;
  pendingDeliveries(): Promise<number>;
}

export interface DeliverDeps
  extends
    AfterCommitDeps,
    Pick<
      EndpointsDeps,
      "sealer" | "net" | "retrySchedule" | "retentionDays" | "secretFor" | "events" | "hiddenTypes" | "issuesEnded"
    > {
  readonly log: Log;
  readonly tasks: Tasks;
  readonly traces: TraceHeaders;
  /** False in a process that only accepts events. */
  readonly works: boolean;
  /** The base URL without a slash at the end. */
  readonly baseUrl: string;
  readonly blockedNotice: EndpointNotice;
  readonly usage: Pick<Usage, "endpoints">;
  /** Runs the scripts of transformations. */
  readonly scripts: () => ScriptRunner;
}

const CHANNEL = "junction_due";

export function createDeliver(given: DeliverDeps): Deliver {
  const { db, clock } = given;
  const inboxes = createOwnInboxes(given);
  const tokens = createAccessTokens(given);
  const brokers = createBrokers({ ...createBrokerDeps(given), drivers: DRIVERS });
  const deps = { ...given, inboxes, tokens, brokers, runner: createTransformRunner(given.scripts) };
  const targets = createTargets(deps);
  const laneEnded = (delivery: LeasedDelivery, lane: string): void => lanes.ended(delivery, lane);
  const engine: Engine | null = deps.works ? createEngine({ ...deps, targets, laneEnded }) : null;
  const waiting = createWaiting(deps);
  const numbering = createNumbering({ ...deps, targets, numbered: waiting.numbered, putOff: () => wakeAll() });
  const { numberSoon, numberDue } = numbering;
  const claimer = engine === null ? null : createClaimer({ db, clock, engine, numberDue, log: deps.log });
  const notifyOthers = async (): Promise<void> =>
    await db
      .notify(CHANNEL)
      .catch((error: unknown) => deps.log.warn({ err: error }, "failed to notify other nodes; they will poll"));
  const wakeAll = (): void => {
    claimer?.wake();
    void notifyOthers();
  };
  const lanes = createLanes({ ...deps, engine, wakeAll });
  const replayer = createReplayer({ ...deps, wakeAll, lanes });
  const ofEndpoints: EndpointsDeps = {
    ...deps,
    wakeAll,
    cancelPending: async (query, place, endpoint) => await cancelPendingOf(query, place, { endpoint }),
    statistics: createStatistics(deps),
    lanes,
  };
  const endpoints = createEndpoints(ofEndpoints);
  const planning = { ...deps, engine, wakeAll, numberSoon, lanes };
  let unlisten: (() => Promise<void>) | undefined;

  return {
    ...endpointSecretSources(deps.sealer),
    lanes,
    laneOperations: createLaneOperations({ db, lanes, wakeAll }),
    endpoints,
    adoption: createAdoption(ofEndpoints),
    inboxes,
    runner: deps.runner,
    signIn: async (signer, request) => await sendSignedIn(deps, signer, request),
    toBroker: async (sender, request) => await sendToBroker(deps, sender, request),
    testConnection: async (sender) => await testConnection(deps, sender),
    ownedDeliveries: createOwnedDeliveries({ ...deps, wakeAll }),
    question: ENDPOINTS_QUERY,
    pulls: createPulls({ ...deps, targets, numbering, waiting }),
    waitingPulls: waiting,
    ...createDeliveryPlans(planning),
    ...createSendToOne(planning),
    release: async (events, ended) => await release(planning, events, ended),
    ...createLog({ ...deps, wakeAll, lanes }),
    ...createDeliverySpans(deps),
    insight: createInsight(deps),
    replays: { ...createReplays({ ...deps, replayer }), ...createEndpointReplays({ ...deps, replayer }) },
    async start() {
      replayer.jobs.start();
      if (claimer === null) return;
      unlisten = await db.listen(CHANNEL, () => claimer.wake());
      claimer.start();
      lanes.start();
    },
    async stop() {
      await unlisten?.();
      await replayer.jobs.stop();
      await lanes.stop();
      await claimer?.stop();
      await engine?.stop();
      await brokers.close();
      await numbering.stop();
      // The last results have ended heads of lanes.
      await lanes.stop();
      // Deliveries that were given back are due now. Notifying the other nodes spares them the wait for their next
      // poll.
      if (engine !== null) await notifyOthers();
    },
    stats: () => engine?.stats() ?? { waiting: 0, inFlight: 0, proxyFailingMs: 0 },
    oldestDueAgeSeconds: async () => await oldestDueAge(db),
    pendingDeliveries: async () => await pendingEstimate(db),
  };
}
