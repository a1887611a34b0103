import { hashOf } from "./audit-row.ts";
import type { AuditRowView } from "./audit-row.ts";

/** The reason why a chain is broken at a seq. */
export type ChainFault = "changed" | "missing" | "cut" | "digest";

/** A position in a chain: a row's number and hash. */
export interface Link {
  readonly seq: number;
  readonly hash: string;
}

/** The position before the first row. */
export const START: Link = { seq: 0, hash: "0".repeat(64) };

export interface BadRow {
  readonly seq: number;
  readonly fault: ChainFault;
}

/** Returns the fault of the row that comes after `before`; undefined if it is the expected row, unchanged. */
export function checkRow(before: Link, row: AuditRowView): BadRow | undefined {
  const seq = before.seq + 1;
  if (row.seq !== seq) return { seq, fault: "missing" };
  if (row.prev_hash !== before.hash || row.hash !== hashOf(row)) return { seq, fault: "changed" };
  return undefined;
}
