import { hashOf } from "./row.ts";
import type { AuditRowView } from "./row.ts";

/** Why a chain does not hold at a seq. */
export type ChainFault = "changed" | "missing" | "cut" | "digest";

/** A place in a chain: a row's number and hash. */
export interface Link {
  readonly seq: number;
  readonly hash: string;
}

/** Before the first row. */
export const START: Link = { seq: 0, hash: "0".repeat(64) };

export interface BadRow {
  readonly seq: number;
  readonly fault: ChainFault;
}

/** What is wrong with the row that comes after `before`; undefined when it is the right one, unchanged. */
export function checkRow(before: Link, row: AuditRowView): BadRow | undefined {
  const seq = before.seq + 1;
  if (row.seq !== seq) return { seq, fault: "missing" };
  if (row.prev_hash !== before.hash || row.hash !== hashOf(row)) return { seq, fault: "changed" };
  return undefined;
}
