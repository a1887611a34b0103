/**
 * A process that reads the whole database for a long time holds this lock as shared. A process that creates, drops or
 * changes tables holds it as exclusive. So neither waits in a queue in which all other processes then wait.
 */
export const SCHEMA_LOCK = 4_921_090;

/** A table that exists for as long as a restore is not complete (backup/). */
export const UNFINISHED = "restore_unfinished";

/** The reason why the service does not run on this database, in words for the operator. */
export class DatabaseRefusedError extends Error {
  override readonly name = "DatabaseRefusedError";
}
