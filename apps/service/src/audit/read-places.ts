import type { ServerResponse } from "node:http";
import { createTurns, holdTurn, ServiceError } from "../lib/lib.ts";
import type { Uuid } from "../lib/lib.ts";

/** The places of a process for reads of a whole audit log, which last as long as their readers. */
export type ReadPlaces = ReturnType<typeof createReadPlaces>;

const OF_WORKSPACE = 3;
const OF_PROCESS = 24;
const PATIENCE_MS = 2000;

export function createReadPlaces() {
  const late = (): ServiceError =>
    new ServiceError("too_many_streams", {
      detail: `A workspace can read its whole audit log at most ${OF_WORKSPACE} times at once. Wait for the end of an export.`,
      headers: { "Retry-After": "30" },
    });
  const ofWorkspace = createTurns({ most: OF_WORKSPACE, patienceMs: PATIENCE_MS, late });
  const ofProcess = createTurns({ most: OF_PROCESS, patienceMs: PATIENCE_MS, late });
  return {
    /** Takes a place until the response is over. Throws 429 `too_many_streams` if none becomes free soon. */
    async takeFor(workspaceId: Uuid, response: ServerResponse): Promise<void> {
      await holdTurn(ofWorkspace, workspaceId, response);
      await holdTurn(ofProcess, "all", response);
    },
  };
}
