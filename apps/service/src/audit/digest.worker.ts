import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../kernel/kernel.ts";
import { HOUR_MS } from "./digests.ts";
import type { Digests } from "./digests.ts";

/** Signs digests after the end of each hour, and at the start, for what a standstill has missed. */
export interface DigestWorker {
  start(): void;
  stop(): Promise<void>;
}

export interface DigestWorkerDeps {
  readonly clock: Clock;
  readonly digests: Pick<Digests, "sign">;
  readonly log: { warn(fields: object, message: string): void };
}

/** What began in the hour is committed by then. */
const AFTER_HOUR_MS = 5000;
const AGAIN_MS = 60_000;

export function createDigestWorker({ clock, digests, log }: DigestWorkerDeps): DigestWorker {
  let stopping: AbortController | undefined;
  let loop: Promise<void> | undefined;

  /** How long until the next round. */
  async function round(): Promise<number> {
    try {
      await digests.sign();
      return HOUR_MS - (clock.now() % HOUR_MS) + AFTER_HOUR_MS;
    } catch (error) {
      log.warn({ err: error }, "audit digests could not be signed; it is tried again in a minute");
      return AGAIN_MS;
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await sleep(await round(), undefined, { signal }).catch(() => undefined);
  }

  return {
    start() {
      stopping = new AbortController();
      loop = run(stopping.signal);
    },
    async stop() {
      stopping?.abort();
      await loop;
    },
  };
}
