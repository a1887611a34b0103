import { ServiceError } from "../../lib/lib.ts";

const MOST_OF_WORKSPACE = 50;
const MOST_OF_PROCESS = 2000;
/** In a process. One customer must not use up the streams of its workspace. */
const MOST_OF_TENANT = 5;

/** Throws 429 `too_many_streams` if no further stream can be opened. */
export function assertRoom(open: {
  readonly ofWorkspace: number;
  readonly ofProcess: number;
  /** The streams of the tenant of the caller's key; 0 for a caller of the workspace. */
  readonly ofTenant: number;
}): void {
  if (open.ofTenant >= MOST_OF_TENANT)
    throw tooMany(`A tenant can have at most ${MOST_OF_TENANT} streams at a time. Close a stream, or share it.`);
  if (open.ofWorkspace >= MOST_OF_WORKSPACE)
    throw tooMany(`A workspace can have at most ${MOST_OF_WORKSPACE} streams at a time. Close a stream, or share it.`);
  if (open.ofProcess >= MOST_OF_PROCESS)
    throw tooMany(`A process of the service can have at most ${MOST_OF_PROCESS} streams at a time. Try again later.`);
}

function tooMany(detail: string): ServiceError {
  return new ServiceError("too_many_streams", { detail, headers: { "Retry-After": "30" } });
}
