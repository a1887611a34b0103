import type { Query } from "../platform/db/db.ts";
import type { Scope } from "../accounts/accounts.ts";
import { checkRow, START } from "./chain.ts";
import type { BadRow, Link } from "./chain.ts";
import type { Digests, DigestView } from "./digests.ts";
import { viewOfRow } from "./audit-row.ts";
import { findHead, lastSeq, rowsInOrder } from "./rows.store.ts";
import type { t } from "../lib/lib.ts";
import type * as shapes from "./audit.schemas.ts";

export type VerifyRange = t.Static<typeof shapes.VerifyQuery>;

export type Verification = t.Static<typeof shapes.VerificationShape>;

export interface VerifyDeps {
  readonly query: Query;
  readonly digests: Pick<Digests, "all">;
}

type SignedDigests = AsyncIterator<{ readonly view: DigestView; readonly holds: boolean }>;

const CHUNK = 500;

/**
 * Reads the chain in chunks, up to its end at the time of the request. Checks each row's hash and its link to the
 * previous row, and that the chain ends where the head and every signed digest say.
 */
export async function verifyChain(deps: VerifyDeps, scope: Scope, range: VerifyRange): Promise<Verification> {
  const { checked, bad } = await readChain(deps, scope, range);
  return {
    object: "audit_verification",
    ok: bad === undefined,
    checked,
    first_bad_seq: bad?.seq ?? null,
    reason: bad?.fault ?? null,
  };
}

async function readChain({ query, digests }: VerifyDeps, scope: Scope, range: VerifyRange): Promise<CheckedRows> {
  const end = await endOf(query, scope);
  const { from_seq: first = 1, to_seq: wanted = end.seq } = range;
  const upTo = Math.min(wanted, end.seq);
  const before = await linkBefore(query, scope, first);
  if (before === undefined && first <= end.seq + 1)
    return { checked: 0, last: START, bad: { seq: first - 1, fault: "missing" } };
  const signed = createDigestCheck(digests.all(scope), first);
  const read = await readThrough({ query, scope, signed }, before ?? end, upTo);
  if (read.bad !== undefined || upTo < end.seq) return read;
  return { ...read, bad: await checkEnd(query, scope, { ...read, end, signed }) };
}

interface CheckedRows {
  readonly checked: number;
  /** The last valid row. */
  readonly last: Link;
  readonly bad: BadRow | undefined;
}

interface Reading {
  readonly query: Query;
  readonly scope: Scope;
  readonly signed: DigestCheck;
}

async function readThrough({ query, scope, signed }: Reading, before: Link, upTo: number): Promise<CheckedRows> {
  let [last, checked] = [before, 0];
  while (last.seq < upTo) {
    const rows = await rowsInOrder(query, scope, { from: last.seq + 1, to: upTo + 1 }, CHUNK);
    if (rows.length === 0) return { checked, last, bad: { seq: last.seq + 1, fault: "cut" } };
    for (const row of rows) {
      const view = viewOfRow(scope, row);
      const bad = checkRow(last, view) ?? (await signed.check(view));
      if (bad !== undefined) return { checked, last, bad };
      last = view;
      checked += 1;
    }
  }
  return { checked, last, bad: undefined };
}

/** Returns the end of the chain according to its head. */
async function endOf(query: Query, scope: Scope): Promise<Link> {
  const head = await findHead(query, scope);
  return head === undefined ? START : { seq: Number(head.seq), hash: head.hash.toString("hex") };
}

/** Returns the row before the range, which is trusted; undefined if it does not exist. */
async function linkBefore(query: Query, scope: Scope, first: number): Promise<Link | undefined> {
  if (first <= 1) return START;
  const [row] = await rowsInOrder(query, scope, { from: first - 1, to: first }, 1);
  return row === undefined ? undefined : { seq: first - 1, hash: row.hash.toString("hex") };
}

interface ChainEnd {
  readonly last: Link;
  readonly end: Link;
  readonly signed: DigestCheck;
}

/** Reads rows and digests before the head, because the chain may grow during the check, and never shrinks. */
async function checkEnd(query: Query, scope: Scope, { last, end, signed }: ChainEnd): Promise<BadRow | undefined> {
  if (last.seq === end.seq && last.hash !== end.hash) return { seq: end.seq, fault: "changed" };
  const known = Math.max(await lastSeq(query, scope), await signed.lastSeq());
  const { seq } = await endOf(query, scope);
  return known > seq ? { seq: seq + 1, fault: "cut" } : undefined;
}

type DigestCheck = ReturnType<typeof createDigestCheck>;

function createDigestCheck(digests: SignedDigests, first: number) {
  let next: { readonly view: DigestView; readonly holds: boolean } | undefined;
  let ended = false;

  async function step(): Promise<void> {
    const result = await digests.next();
    ended = result.done === true;
    next = result.done === true ? undefined : result.value;
  }

  return {
    /** Compares a row with the digest of its seq, if there is one. Rows must come in order. */
    async check(row: Link): Promise<BadRow | undefined> {
      while (!ended && (next === undefined || next.view.seq < Math.max(row.seq, first))) await step();
      if (next === undefined || next.view.seq !== row.seq) return undefined;
      return next.holds && next.view.hash === row.hash ? undefined : { seq: row.seq, fault: "digest" };
    },
    /** Returns the seq of the last digest that was not compared yet, or 0 if there is none. */
    async lastSeq(): Promise<number> {
      let seq = 0;
      while (!ended) {
        seq = next?.view.seq ?? seq;
        await step();
      }
      return seq;
    },
  };
}
