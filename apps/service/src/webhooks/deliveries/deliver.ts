import type { Db } from "../../platform/db/db.ts";
import type { SecretSource } from "../../audit/audit.ts";
import type { DeliverySubscriber } from "../../dispatch/dispatch.ts";
import type { Clock, IdMaker, Sealer } from "../../lib/lib.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import type { Log, Signals, TraceHeaders } from "../../platform/telemetry/telemetry.ts";
import type { Usage } from "../../insights/usage/usage.ts";
import { createClaimer } from "./claim.worker.ts";
import { oldestDueAge, pendingEstimate } from "./deliveries.store.ts";
import { createEndpoints } from "../endpoints/endpoints.ts";
import type { Endpoints } from "../endpoints/endpoints.ts";
import { WHO_LISTENS } from "../endpoints/endpoints.store.ts";
import { createEngine } from "../../deliver/engine.worker.ts";
import type { Announcer, Engine } from "../../deliver/engine.worker.ts";
import type { Ladder } from "../../deliver/ladder.ts";
import { endpointSecretSource } from "../endpoints/redaction-source.ts";
import { createOwnInboxes } from "../endpoints/own-inboxes.ts";
import type { OwnInboxes } from "../endpoints/own-inboxes.ts";
import { planDeliveries } from "../../deliver/plan.ts";
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

export type { DeliveryLog, DeliveryQuery } from "./log.ts";
export type { Ladder } from "../../deliver/ladder.ts";
export type { Announcer } from "../../deliver/engine.worker.ts";
export type { AttemptView, DeliveryView, EndpointView } from "./views.ts";
export type { EndpointInput, Endpoints, WithSecret } from "../endpoints/endpoints.ts";
export { signedRequest } from "./envelope.ts";
export type { Message, SignedRequest } from "./envelope.ts";
export { inboxKey, inboxKeys, inboxReference, inboxTokenPlace, shownToken } from "../endpoints/own-inboxes.ts";
export type { OwnInboxes } from "../endpoints/own-inboxes.ts";
export type { Outcome, Posting } from "./owned-deliveries.ts";
export type { RevealedSecret } from "../../lib/rotating-secret.ts";
export { sealedByDeliver } from "./encrypted-columns.ts";
export { shownAnswer } from "./echoes.ts";
export { refuseHeaders } from "../endpoints/headers.ts";
export { revealHeaders, shownHeaders } from "../endpoints/header-values.ts";
export type { HeaderValues } from "../endpoints/header-values.ts";
export {
  documentValues,
  openWebhook,
  revealDocument,
  sealDocument,
  sealPlainDocument,
  shownDocument,
} from "../endpoints/webhook-headers.ts";
export type { DocumentKind, RevealedWebhook, SealedBefore } from "../endpoints/webhook-headers.ts";
export { credentialsIn } from "../endpoints/redaction-source.ts";
export { deliverRoutes } from "./deliver.routes.ts";
export { sealPlainEndpoints, sealRows } from "../endpoints/plain-headers.ts";
export { RegenerateBody, RevealedWebhooks, Secret, SecretView } from "./deliver.schemas.ts";

export interface Deliver extends DeliverySubscriber, DeliveryLog {
  readonly insight: DeliverInsight;
  readonly replays: Replays;
  readonly endpoints: Endpoints;
  readonly posting: Posting;
  readonly inboxes: OwnInboxes;
  /** For redaction. */
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
  readonly ladder: Ladder;
  /** False in a process that only accepts. */
  readonly works: boolean;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly announcer: Announcer;
  readonly usage: Pick<Usage, "endpoints">;
  /** Called after an awaited delivery has ended: see `Posting`. */
  readonly outcomeWritten: () => void;
}

const CHANNEL = "junction_due";

export function createDeliver(given: DeliverDeps): Deliver {
  const { db, clock } = given;
  const inboxes = createOwnInboxes(given);
  const deps = { ...given, inboxes };
  const targets = createTargets(deps);
  const engine: Engine | null = deps.works ? createEngine({ ...deps, targets }) : null;
  const claimer = engine === null ? null : createClaimer({ db, clock, engine, log: deps.log });
  const notifyOthers = async (): Promise<void> =>
    await db
      .notify(CHANNEL)
      .catch((error: unknown) =>
        deps.log.warn({ err: error }, "other nodes could not be woken; they look by themselves"),
      );
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
    posting: createPosting({ ...deps, wakeAll }),
    question: WHO_LISTENS,
    plan: (events, held, answers) => planDeliveries({ ...deps, engine, wakeAll }, events, held, answers),
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
      // What was given back is due now: the other nodes need not find it by themselves.
      if (engine !== null) await notifyOthers();
    },
    stats: () => engine?.stats() ?? { waiting: 0, inFlight: 0 },
    oldestDueAgeSeconds: async () => await oldestDueAge(db.query),
    pendingDeliveries: async () => await pendingEstimate(db.query),
  };
}
