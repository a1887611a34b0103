import { ServiceError } from "../../lib/lib.ts";

const MOST_OF_WORKSPACE = 50;
const MOST_OF_PROCESS = 2000;

/** Throws 429 `too_many_streams` if no further stream can be opened. */
export function assertRoom(open: { readonly ofWorkspace: number; readonly ofProcess: number }): void {
  if (open.ofWorkspace >= MOST_OF_WORKSPACE)
    throw tooMany(`A workspace can have at most ${MOST_OF_WORKSPACE} streams at a time. Close a stream, or share it.`);
  if (open.ofProcess >= MOST_OF_PROCESS)
    throw tooMany(`A process of the service can have at most ${MOST_OF_PROCESS} streams at a time. Try again later.`);
}

function tooMany(detail: string): ServiceError {
  return new ServiceError("too_many_streams", { detail, headers: { "Retry-After": "30" } });
}
