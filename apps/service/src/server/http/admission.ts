import { ServiceError } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import type { App } from "../../accounts/workspaces/workspaces.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** While more of these requests come in than can be worked off, some are refused with 503 before anything else is done for them. */
    sheds?: boolean;
  }
  interface FastifyRequest {
    /** It was refused so. */
    isShed: boolean;
  }
}

/** What accepting an event takes in the mean, at most; beyond it fewer are taken on at a time. */
const TARGET_MS = 120;
const WINDOW_MS = 100;
const START = 512;
const LEAST = 32;
const MOST = 4096;
/** Under way for one caller: who has fewer is taken on beside others who flood. */
const OWN = 8;

/** Decides which requests are taken on, so that those that are do not wait for seconds behind more than can be worked off. */
export interface Admission {
  /** False: it is to be refused at once. Otherwise `left` is called when it was answered. `caller` tells callers apart, proven or not. */
  enter(caller: string): boolean;
  left(caller: string, startedMs: number): void;
  /** Requests that were refused, ever. */
  readonly refused: number;
}

/**
 * The number under way is bounded, and the bound follows what requests take: a tenth of a second in which they take longer than the target in
 * the mean, or in which none ends, makes it smaller, any other one larger. Twice the bound is kept for callers who have few under way.
 */
export function createAdmission(clock: Pick<Clock, "monotonicMs">): Admission {
  let limit = START;
  let underWay = 0;
  const ofCaller = new Map<string, number>();
  let refused = 0;
  let window = { sinceMs: clock.monotonicMs(), ended: 0, tookMs: 0 };
  /** When the last call ended, or the first of those under way began. */
  let movedMs = window.sinceMs;

  function look(nowMs: number): void {
    if (nowMs - window.sinceMs < WINDOW_MS) return;
    const isStuck = underWay > 0 && nowMs - movedMs > TARGET_MS;
    const isSlow = window.ended > 0 && window.tookMs / window.ended > TARGET_MS;
    if (isStuck || isSlow) limit = Math.max(LEAST, Math.floor(limit * 0.8));
    else if (underWay === 0 || window.ended > 0) limit = Math.min(MOST, Math.ceil(limit * 1.05) + 4);
    window = { sinceMs: nowMs, ended: 0, tookMs: 0 };
  }

  return {
    enter(caller) {
      look(clock.monotonicMs());
      const own = ofCaller.get(caller) ?? 0;
      if (underWay >= (own < OWN ? 2 * limit : limit)) {
        refused += 1;
        return false;
      }
      if (underWay === 0) movedMs = clock.monotonicMs();
      underWay += 1;
      ofCaller.set(caller, own + 1);
      return true;
    },
    left(caller, startedMs) {
      const nowMs = clock.monotonicMs();
      const own = (ofCaller.get(caller) ?? 1) - 1;
      if (own === 0) ofCaller.delete(caller);
      else ofCaller.set(caller, own);
      underWay -= 1;
      movedMs = nowMs;
      window.ended += 1;
      window.tookMs += nowMs - startedMs;
      look(nowMs);
    },
    get refused() {
      return refused;
    },
  };
}

const LOG_EVERY_MS = 10_000;

/** After the gate's hooks, which give each request what its answer needs. */
export function admissionHooks(app: App, { clock, log }: { readonly clock: Clock; readonly log: Log }): void {
  const admission = createAdmission(clock);
  let loggedMs = -Infinity;
  app.decorateRequest("isShed", false);
  app.addHook("onRequest", (request, reply, done) => {
    if (request.routeOptions.config.sheds !== true) return done();
    const caller = request.headers.authorization ?? request.ip;
    if (admission.enter(caller)) {
      // A caller that goes away leaves too.
      reply.raw.once("close", () => admission.left(caller, request.startedMs));
      return done();
    }
    request.isShed = true;
    const nowMs = clock.monotonicMs();
    if (nowMs - loggedMs > LOG_EVERY_MS) {
      loggedMs = nowMs;
      log.warn({ refused: admission.refused }, "more events come in than can be written: some are refused with 503");
    }
    const detail = "More events come in than can be written now. Send it again, with the same idempotency key.";
    return done(new ServiceError("service_unavailable", { detail, headers: { "Retry-After": "1" } }));
  });
}
