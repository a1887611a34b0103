/**
 * A position in the stream: a snapshot of the database in PostgreSQL's format (`xmin:xmax:running`). Changes of transactions that the
 * snapshot does not see come after it, in whichever order transactions begin and end.
 */
export interface Position {
  /** The text, which is safe to use in a query. */
  readonly text: string;
  /** The first transaction id that was not assigned yet. */
  readonly xmax: bigint;
}

const MOST_CHARACTERS = 4000;

/** Reads the `id:` of a message. Returns undefined if it is not a snapshot. */
export function readPosition(text: string): Position | undefined {
  const match = /^(\d{1,18}):(\d{1,18}):(\d{1,18}(?:,\d{1,18})*)?$/.exec(text);
  if (match === null || text.length > MOST_CHARACTERS) return undefined;
  const [, first = "", last = "", between = ""] = match;
  const [xmin, xmax] = [BigInt(first), BigInt(last)];
  const running = between === "" ? [] : between.split(",").map(BigInt);
  const inOrder = running.every((xid, at) => xid >= xmin && xid < xmax && (at === 0 || xid > (running[at - 1] ?? xid)));
  return xmin > 0n && xmin <= xmax && inOrder ? { text, xmax } : undefined;
}
