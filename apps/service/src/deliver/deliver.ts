import type { Db } from "../db/db.ts";
import type { SecretSource } from "../audit/audit.ts";
import type { DeliverySubscriber } from "../dispatch/dispatch.ts";
import type { Clock, IdMaker, Sealer } from "../kernel/kernel.ts";
import type { Net } from "../net/net.ts";
import type { Log, Signals, TraceHeaders } from "../telemetry/telemetry.ts";
import type { Usage } from "../usage/usage.ts";
import { createClaimer } from "./claim.worker.ts";
import { oldestDueAge, pendingEstimate } from "./deliveries.store.ts";
import { createEndpoints } from "./endpoints.ts";
import type { Endpoints } from "./endpoints.ts";
import { WHO_LISTENS } from "./endpoints.store.ts";
import { createEngine } from "./engine.worker.ts";
import type { Announcer, Engine } from "./engine.worker.ts";
import type { Ladder } from "./ladder.ts";
import { endpointSecretSource } from "./own-secrets.ts";
import { createOwnInboxes } from "./own-inboxes.ts";
import type { OwnInboxes } from "./own-inboxes.ts";
import { planDeliveries } from "./plan.ts";
import { createPosting } from "./posting.ts";
import type { Posting } from "./posting.ts";
import { release } from "./release.ts";
import { createInsight } from "./insight.ts";
import type { DeliverInsight } from "./insight.ts";
import { createLog } from "./log.ts";
import type { DeliveryLog } from "./log.ts";
import { createReplays } from "./replays.ts";
import type { Replays } from "./replays.ts";
import { createStatistics } from "./endpoint-stats.ts";
import { createReplayer } from "./replay.worker.ts";
import { createTargets } from "./targets.ts";

export type { DeliveryLog, DeliveryQuery } from "./log.ts";
export type { Ladder } from "./ladder.ts";
export type { Announcer } from "./engine.worker.ts";
export type { AttemptView, DeliveryView, EndpointView } from "./views.ts";
export type { EndpointInput, Endpoints, WithSecret } from "./endpoints.ts";
export { signedRequest } from "./envelope.ts";
export type { Message, SignedRequest } from "./envelope.ts";
export { inboxKey, inboxKeys, inboxReference, inboxTokenPlace, shownToken } from "./own-inboxes.ts";
export type { OwnInboxes } from "./own-inboxes.ts";
export type { Outcome, Posting } from "./posting.ts";
export type { RevealedSecret } from "./secrets.ts";
export { sealedByDeliver } from "./sealed.ts";
export { shownAnswer } from "./echoes.ts";
export { refuseHeaders } from "./headers.ts";
export { revealHeaders, shownHeaders } from "./header-values.ts";
export type { HeaderValues } from "./header-values.ts";
export {
  documentValues,
  openWebhook,
  revealDocument,
  sealDocument,
  sealPlainDocument,
  shownDocument,
} from "./webhook-headers.ts";
export type { DocumentKind, RevealedWebhook, SealedBefore } from "./webhook-headers.ts";
export { credentialsIn } from "./own-secrets.ts";
export { deliverRoutes } from "./deliver.routes.ts";
export { sealPlainEndpoints, sealRows } from "./plain-headers.ts";
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
