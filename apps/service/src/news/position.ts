/** A place among the news of one workspace's environment: after what a transaction has told so far, and after all of those before it. */
export interface Position {
  readonly xid: bigint;
  readonly seq: bigint;
}

/** After all of the transactions before `xid`. */
export function before(xid: bigint): Position {
  return { xid, seq: 0n };
}

export function isBefore(a: Position, b: Position): boolean {
  return a.xid < b.xid || (a.xid === b.xid && a.seq < b.seq);
}

/** As `id:` of a message. */
export function positionText({ xid, seq }: Position): string {
  return `${xid}.${seq}`;
}

/** Undefined for whatever was no `id:` of ours. */
export function readPosition(text: string): Position | undefined {
  const match = /^(\d{1,18})\.(\d{1,18})$/.exec(text);
  return match === null ? undefined : { xid: BigInt(match[1] ?? 0), seq: BigInt(match[2] ?? 0) };
}
