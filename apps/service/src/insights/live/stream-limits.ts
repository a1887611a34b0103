import { createStreamPool, ServiceError } from "../../lib/lib.ts";
import type { StreamPool } from "../../lib/lib.ts";

/** The streams of a workspace, on all nodes. */
const MOST_OF_WORKSPACE = 50;
const ADVICE = "Close a stream, or share it.";

/** The places for streams of a process. */
export function createLivePool(): StreamPool {
  return createStreamPool({
    most: 2000,
    shares: { tenant: 5, member: 20, workspace: MOST_OF_WORKSPACE, network: 500 },
    advice: ADVICE,
    mostUnreadOfStream: 256 * 1024,
    mostUnread: 64 * 1024 * 1024,
  });
}

/** Throws 429 `too_many_streams` if the workspace has its share on this node and others. */
export function assertRoomOnAllNodes(ofWorkspace: number): void {
  if (ofWorkspace < MOST_OF_WORKSPACE) return;
  throw new ServiceError("too_many_streams", {
    detail: `A workspace can have at most ${MOST_OF_WORKSPACE} streams at a time. ${ADVICE}`,
    headers: { "Retry-After": "30" },
  });
}
