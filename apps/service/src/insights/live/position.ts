/**
 * A place among the news: a snapshot of the database, as PostgreSQL writes it (`xmin:xmax:running`). Whatever a transaction told
 * that the snapshot does not see comes after it, in whichever order transactions begin and end.
 */
export interface Position {
  /** Fit for the database. */
  readonly text: string;
  /** No transaction from here on had begun. */
  readonly xmax: bigint;
}

const MOST_CHARACTERS = 4000;

/** Reads `id:` of a message; undefined for whatever is no snapshot. */
export function readPosition(text: string): Position | undefined {
  const match = /^(\d{1,18}):(\d{1,18}):(\d{1,18}(?:,\d{1,18})*)?$/.exec(text);
  if (match === null || text.length > MOST_CHARACTERS) return undefined;
  const [, first = "", last = "", between = ""] = match;
  const [xmin, xmax] = [BigInt(first), BigInt(last)];
  const running = between === "" ? [] : between.split(",").map(BigInt);
  const inOrder = running.every((xid, at) => xid >= xmin && xid < xmax && (at === 0 || xid > (running[at - 1] ?? xid)));
  return xmin > 0n && xmin <= xmax && inOrder ? { text, xmax } : undefined;
}
