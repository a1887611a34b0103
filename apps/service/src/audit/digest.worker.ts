import { createLoop } from "../lib/lib.ts";
import type { Clock, Loop } from "../lib/lib.ts";
import { HOUR_MS } from "./digests.ts";
import type { Digests } from "./digests.ts";

/** Signs digests after the end of each hour, and at the start, for hours that were missed. */
export type DigestWorker = Pick<Loop, "start" | "stop">;

export interface DigestWorkerDeps {
  readonly clock: Clock;
  readonly digests: Pick<Digests, "sign">;
  readonly log: { warn(fields: object, message: string): void };
}

/** Transactions that began in the hour are committed by then. */
const AFTER_HOUR_MS = 5000;
const AGAIN_MS = 60_000;

export function createDigestWorker({ clock, digests, log }: DigestWorkerDeps): DigestWorker {
  return createLoop({
    async round() {
      await digests.sign();
      return HOUR_MS - (clock.now() % HOUR_MS) + AFTER_HOUR_MS;
    },
    failed(error) {
      log.warn({ err: error }, "failed to sign audit digests; retrying in a minute");
      return AGAIN_MS;
    },
  });
}
