import type { Clock, Loop } from "../lib/lib.ts";
import { createSweep } from "../platform/tasks/tasks.ts";
import { HOUR_MS } from "./digests.ts";
import type { Digests } from "./digests.ts";

export interface DigestWorkerDeps {
  readonly clock: Clock;
  readonly digests: Pick<Digests, "sign">;
  readonly log: { warn(fields: object, message: string): void };
}

/** Transactions that began in the hour are committed by then. */
const AFTER_HOUR_MS = 5000;

/** Signs digests after the end of each hour, and at the start, for hours that were missed. */
export function createDigestWorker({ clock, digests, log }: DigestWorkerDeps): Loop {
  return createSweep(log, {
    to: "sign audit digests",
    everyMs: HOUR_MS,
    retryMs: 60_000,
    async run() {
      await digests.sign();
      return { pauseMs: HOUR_MS - (clock.now() % HOUR_MS) + AFTER_HOUR_MS };
    },
  });
}
