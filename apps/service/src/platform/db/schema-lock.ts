/** Held, shared, by whoever reads the whole database for long; taken alone by whoever makes, drops or changes tables. So neither waits in a queue that all others then wait in. */
export const SCHEMA_LOCK = 4_921_090;

/** A table that is there for as long as a restore is not complete (backup/). */
export const UNFINISHED = "restore_unfinished";

/** Why the service does not run on this database, in words for the operator. */
export class DatabaseRefusedError extends Error {
  override readonly name = "DatabaseRefusedError";
}
