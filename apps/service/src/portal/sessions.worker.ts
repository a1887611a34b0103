import { createLoop } from "../lib/lib.ts";
import type { Loop } from "../lib/lib.ts";
import type { PortalSessions } from "./sessions.ts";

/** Deletes ended sessions every ten minutes, the first time at once. */
export type SessionCleanup = Pick<Loop, "start" | "stop">;

export interface SessionCleanupDeps {
  readonly sessions: Pick<PortalSessions, "forget">;
  readonly log: { warn(fields: object, message: string): void };
}

const PERIOD_MS = 10 * 60_000;

export function createSessionCleanup({ sessions, log }: SessionCleanupDeps): SessionCleanup {
  return createLoop({
    round: async () => ((await sessions.forget()) ? 0 : PERIOD_MS),
    failed(error) {
      log.warn({ err: error }, "failed to delete expired portal sessions; retrying in ten minutes");
      return PERIOD_MS;
    },
  });
}
