import { randomUUID } from "node:crypto";
import { bulk, defineFreshPart } from "../platform/db/db.ts";
import type { Db, Tx } from "../platform/db/db.ts";
import { createBatcher, sealedColumn, sha256, ServiceError } from "../lib/lib.ts";
import type { Sealer, Uuid } from "../lib/lib.ts";
import {
  abandonIdempotent,
  beginIdempotent,
  claimIdempotents,
  endIdempotents,
  finishIdempotent,
  readIdempotent,
  readIdempotents,
} from "./gate.store.ts";
import type { IdempotencyPlace, IdempotencyRow } from "./gate.store.ts";

/** One write's claim to be done once. */
export interface IdempotencyRef extends IdempotencyPlace {
  readonly requestHash: Buffer;
  /** How the surface that was called words an answer; what is kept is what is sent. */
  readonly wrapBody?: (body: string, status: number) => string;
}

export interface StoredAnswer {
  readonly status: number;
  /** The bytes of the first answer. */
  readonly body: string;
}

/** How a write ended. */
export interface Outcome extends StoredAnswer {
  /** The work was broken off: nothing of it may stay. */
  readonly refused: boolean;
  /** What else is written where the effect is: only if that stays. */
  readonly record?: ((tx: Tx) => void) | undefined;
}

/** A write that this request, and no other, is doing. */
export interface Write {
  /** Runs the work. If its effect is in our database, it is one transaction, and `settle` ends it. */
  run<T>(work: () => T): T;
  /**
   * Keeps the answer in the commit of the effect; or undoes the effect, keeping the answer if it is final. Throws what made the commit fail,
   * 409 `idempotency_in_progress` if a repeat took the write over, with nothing done either way.
   */
  settle(outcome: Outcome): Promise<void>;
}

export interface Idempotency {
  /**
   * The write to go ahead with, or the answer of the first request. Throws when that is still running, or was another request.
   * `remote`: the effect is not in our database, so that its record follows it.
   */
  begin(ref: IdempotencyRef, remote: boolean): Promise<Write | StoredAnswer>;
  /** The stored answer of a request that may have been made before; undefined when it was not. */
  replay(ref: IdempotencyRef): Promise<StoredAnswer | undefined>;
  /** The same of requests that share a statement with others. */
  seen(ref: IdempotencyRef): Promise<StoredAnswer | undefined>;
  /** The 422 for a key that was first sent with another request, whether that is still running or not; undefined without one. */
  reuse(ref: IdempotencyRef): Promise<ServiceError | undefined>;
  seal(ref: IdempotencyRef, answer: StoredAnswer): Buffer;
  /**
   * Claims the keys of many requests in the transaction that records their work, which `end` then ends: no repeat does it again,
   * however long it takes. Answers the positions of those that are the first of their key; nothing may be done for the others.
   */
  claim(tx: Tx, claims: readonly WorkClaim[]): Promise<ReadonlySet<number>>;
  /** Keeps the answers of claimed work in the transaction that records its end, or lets its keys go. */
  end(tx: Tx, ends: readonly WorkEnd[]): Promise<void>;
}

/** Work that is recorded under an id of its own. */
export interface WorkClaim {
  readonly ref: IdempotencyRef;
  readonly work: Uuid;
  /** The answer, where it is known already. */
  readonly answer: StoredAnswer | null;
}

export interface WorkEnd {
  readonly place: IdempotencyPlace;
  readonly work: Uuid;
  /** What is kept; statuses that are never kept let the key go. */
  readonly answer: StoredAnswer;
}

export interface IdempotencyDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly log: { warn(fields: object, message: string): void };
}

/** How long a write that was begun and not ended keeps its repeats out. A slower one is not lost: it is refused at its end, undone, and done by the repeat. */
const LOCAL_LEASE_SECONDS = 30;
/** Longer than any call to elsewhere may take: what was sent there cannot be undone. */
const REMOTE_LEASE_SECONDS = 60;
const NEVER_KEPT: ReadonlySet<number> = new Set([400, 401, 403, 413, 422, 429]);

const FORM = /^[\x21-\x7e]{1,255}$/;

/** The key as sent, bare or quoted; undefined when none was sent. */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const bare = header.length >= 2 && header.startsWith('"') && header.endsWith('"') ? header.slice(1, -1) : header;
  if (!FORM.test(bare)) {
    throw new ServiceError("idempotency_key_invalid", {
      detail: "Send 1 to 255 visible ASCII characters; a UUID is a good choice.",
    });
  }
  return bare;
}

/** What makes two requests the same: method, path and raw body. */
export function requestHash(method: string, target: string, bodyHash: string): Buffer {
  return sha256(`${method}\n${target}\n${bodyHash}`);
}

export function createIdempotency(deps: IdempotencyDeps): Idempotency {
  const { db, sealer } = deps;

  const rows = createBatcher<IdempotencyRef, IdempotencyRow | undefined>({
    maxSize: 500,
    concurrency: 2,
    run: async (refs) => await readIdempotents(db, refs),
  });

  function answerOf(ref: IdempotencyRef, row: IdempotencyRow | undefined): StoredAnswer | undefined {
    if (row === undefined) return undefined;
    if (!row.request_hash.equals(ref.requestHash)) throw reused();
    if (row.status === null || row.response_sealed === null) throw inProgress();
    return { status: row.status, body: sealer.open(row.response_sealed, placeName(ref.lineageId, ref.key)).reveal() };
  }

  async function replay(ref: IdempotencyRef): Promise<StoredAnswer | undefined> {
    return answerOf(ref, await readIdempotent(db, ref));
  }

  return {
    async begin(ref, remote) {
      const owner = randomUUID() as Uuid;
      const leaseSeconds = remote ? REMOTE_LEASE_SECONDS : LOCAL_LEASE_SECONDS;
      const claim = { requestHash: ref.requestHash, owner, leaseSeconds };
      if (await beginIdempotent(db, ref, claim)) return writeOf(deps, { ref, owner, remote });
      const stored = await replay(ref);
      if (stored !== undefined) return stored;
      // Whoever kept the key let go of it between the two statements.
      throw inProgress();
    },
    replay,
    seen: async (ref) => answerOf(ref, await rows.add(ref)),
    async reuse(ref) {
      const row = await rows.add(ref);
      return row === undefined || row.request_hash.equals(ref.requestHash) ? undefined : reused();
    },
    seal: (ref, answer) => seal(sealer, ref, answer),
    claim: async (tx, claims) =>
      await claimIdempotents(
        tx,
        claims.map(({ ref, work, answer }) => ({
          place: ref,
          requestHash: ref.requestHash,
          owner: work,
          answer: answer === null ? null : { status: answer.status, sealed: seal(sealer, ref, answer) },
        })),
      ),
    end: async (tx, ends) =>
      await endIdempotents(
        tx,
        ends.map(({ place, work, answer }) => ({
          place,
          owner: work,
          answer: NEVER_KEPT.has(answer.status) ? null : { status: answer.status, sealed: seal(sealer, place, answer) },
        })),
      ),
  };
}

interface Claimed {
  readonly ref: IdempotencyRef;
  readonly owner: Uuid;
  readonly remote: boolean;
}

function writeOf(deps: IdempotencyDeps, { ref, owner, remote }: Claimed): Write {
  const { db } = deps;
  const unit = remote ? undefined : db.unit();

  async function keep(tx: Tx, outcome: Outcome): Promise<void> {
    const kept = { status: outcome.status, sealed: seal(deps.sealer, ref, outcome) };
    if (!(await finishIdempotent(tx.query, ref, owner, kept))) throw inProgress();
    if (!outcome.refused) outcome.record?.(tx);
  }

  /** For what stands or has failed whether or not it is recorded: without the record a repeat waits for the lease to end, and is done anew. */
  async function quietly(work: Promise<unknown>): Promise<void> {
    await work.catch((error: unknown) =>
      deps.log.warn({ err: error }, "failed to store an idempotency record; its lease will expire"),
    );
  }

  return {
    run: (work) => (unit === undefined ? work() : unit.run(work)),
    async settle(outcome) {
      const undone = outcome.refused || NEVER_KEPT.has(outcome.status);
      if (undone) await unit?.rollback();
      if (NEVER_KEPT.has(outcome.status) || (outcome.refused && outcome.status >= 500)) {
        await quietly(abandonIdempotent(db, ref, owner));
      } else if (undone || unit === undefined) {
        await quietly(db.transaction(async (tx) => await keep(tx, outcome)));
      } else {
        try {
          await unit.commit(async (tx) => await keep(tx, outcome));
        } catch (error) {
          await quietly(abandonIdempotent(db, ref, owner));
          throw error;
        }
      }
    },
  };
}

function reused(): ServiceError {
  return new ServiceError("idempotency_key_reused", {
    detail: "Use a new Idempotency-Key for a request with another method, path or body.",
  });
}

function inProgress(): ServiceError {
  return new ServiceError("idempotency_in_progress", {
    detail: "The first request with this key has no response yet. Repeat this request in a second.",
    headers: { "Retry-After": "1" },
  });
}

function seal(sealer: Sealer, ref: Pick<IdempotencyRef, "lineageId" | "key">, answer: StoredAnswer): Buffer {
  return sealer.seal(answer.body, placeName(ref.lineageId, ref.key));
}

/** An answer that is kept with the commit of its request's effect. */
export interface KeptAnswer {
  readonly ref: IdempotencyRef;
  readonly sealed: Buffer;
}

/** Keeps the answers, and names in `fresh (at)` the positions whose keys were new. Others are repeats, and nothing of theirs is written. Hot. */
export const idempotencyPart = defineFreshPart<KeptAnswer, { readonly status: number }>({
  name: "idempotency",
  columns: [
    bulk("bucket", "smallint", ({ ref }) => ref.bucket),
    bulk("tag", "text", ({ ref }) => ref.tag),
    bulk("lineage_id", "uuid", ({ ref }) => ref.lineageId),
    bulk("key", "text", ({ ref }) => ref.key),
    bulk("request_hash", "bytea", ({ ref }) => ref.requestHash),
    bulk("response_sealed", "bytea", ({ sealed }) => sealed),
  ],
  parameters: { status: "smallint" },
  text: ({ numberedRows, names, selected, $ }) => `asked as (select * from ${numberedRows("a")}),
    kept as (insert into idempotency (${names}, status)
      select ${selected("asked")}, ${$.status} from asked order by bucket, tag, lineage_id, key
      on conflict do nothing returning bucket, tag, lineage_id, key),
    fresh as (select asked.at from asked join kept using (bucket, tag, lineage_id, key))`,
});

/** Copies of one request that met in one batch: the first of each key is done, the others read its answer. */
export function firstOfEachKey<Item extends { readonly ref: IdempotencyRef }>(items: readonly Item[]): Item[] {
  const seen = new Set<string>();
  return items.filter(({ ref }) => {
    const name = `${ref.tag}\n${ref.lineageId}\n${ref.key}`;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

function placeName(lineageId: string, key: string): string {
  return `idempotency:${lineageId}:${key}`;
}

export const sealedByGate = [
  sealedColumn({
    table: "idempotency",
    column: "response_sealed",
    by: ["lineage_id", "key"],
    place: ({ lineage_id: lineageId, key }) => placeName(lineageId, key),
  }),
];
