import { randomUUID } from "node:crypto";
import { bulk, createShardBatcher, defineFreshPart } from "../platform/db/db.ts";
import type { Db, Tx, Unit } from "../platform/db/db.ts";
import { sealedColumn, sha256, ServiceError } from "../lib/lib.ts";
import type { Sealer, Uuid } from "../lib/lib.ts";
import {
  abandonIdempotent,
  beginIdempotent,
  claimIdempotents,
  endIdempotents,
  finishIdempotent,
  readIdempotent,
  readIdempotents,
} from "./access.store.ts";
import type { IdempotencyPlace, IdempotencyRow } from "./access.store.ts";
import { lengthen, shorten } from "./short-answers.ts";

/** Identifies a write that takes effect once. */
export interface IdempotencyRef extends IdempotencyPlace {
  readonly requestHash: Buffer;
  /** Wraps the response in the format of the called surface. The stored response is the one that is sent. */
  readonly wrapBody?: (body: string, status: number) => string;
}

export interface StoredAnswer {
  readonly status: number;
  /** The bytes of the first answer. */
  readonly body: string;
}

/** A response that is sent byte for byte. */
export interface SentAnswer extends StoredAnswer {
  /** True if it is the response of an earlier request. */
  readonly replayed: boolean;
}

/** The result of a write. */
export interface WriteOutcome extends StoredAnswer {
  /** True if the work was aborted and must be undone. */
  readonly refused: boolean;
  /** Writes further rows in the transaction of the effect, only if the effect is kept. */
  readonly record?: ((tx: Tx) => void) | undefined;
}

/** A write that only this request may do. */
export interface Write {
  /** Runs the work. If its effect is in our database, it runs in one transaction, which `settle` ends. */
  run<T>(work: () => T): T;
  /**
   * Stores the response in the commit of the effect. If the effect is undone, stores the response if it is final.
   * Throws if the commit fails, with 409 `idempotency_in_progress` if a repeat took the write over. In both cases
   * nothing is done. A remote effect throws only if `record` fails.
   */
  settle(outcome: WriteOutcome): Promise<void>;
}

/** A claim for work that is recorded under an id of its own. */
export interface WorkClaim {
  readonly ref: IdempotencyRef;
  readonly work: Uuid;
  /** The response, if it is already known. */
  readonly answer: StoredAnswer | null;
}

export interface WorkEnd {
  readonly place: IdempotencyPlace;
  readonly work: Uuid;
  /** The response to store. A status that is never stored releases the key. */
  readonly answer: StoredAnswer;
}

export interface IdempotencyDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly log: { warn(fields: object, message: string): void };
}

/**
 * The lease of an unfinished write, which refuses repeats. A write that outlives it and was taken over is undone at its
 * end.
 */
const LOCAL_LEASE_SECONDS = 30;
/** The lease is longer than the timeout of any call to another system, because such a call cannot be undone. */
const REMOTE_LEASE_SECONDS = 60;
const NEVER_KEPT: ReadonlySet<number> = new Set([400, 401, 403, 413, 422, 429]);

const FORM = /^[\x21-\x7e]{1,255}$/;

/** Returns the key without quotes, or undefined if none was sent. */
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

/** Hashes the parts that two requests must share to be the same: method, path and raw body. */
export function requestHash(method: string, target: string, bodyHash: string): Buffer {
  return sha256(`${method}\n${target}\n${bodyHash}`);
}

export type Idempotency = ReturnType<typeof createIdempotency>;

/** Lets each write take effect once. */
export function createIdempotency(deps: IdempotencyDeps) {
  const { db, sealer } = deps;

  const rows = createShardBatcher<IdempotencyRef, IdempotencyRow | undefined>(db, {
    bucketOf: ({ bucket }) => bucket,
    maxSize: 500,
    concurrency: 2,
    run: async (refs) => await readIdempotents(db, refs),
  });

  async function replay(ref: IdempotencyRef): Promise<StoredAnswer | undefined> {
    return answerOf(sealer, ref, await readIdempotent(db, ref));
  }

  return {
    /**
     * Returns the write to continue with, or the stored response of the first request. Throws if the first request is
     * still running or was another request. With `remote`, the effect is not in our database and is recorded afterwards.
     */
    async begin(ref: IdempotencyRef, remote: boolean): Promise<Write | StoredAnswer> {
      const owner = randomUUID() as Uuid;
      const leaseSeconds = remote ? REMOTE_LEASE_SECONDS : LOCAL_LEASE_SECONDS;
      const claim = { requestHash: ref.requestHash, owner, leaseSeconds };
      if (await beginIdempotent(db, ref, claim)) return writeOf(deps, ref, owner, remote ? undefined : db.unit());
      const stored = await replay(ref);
      if (stored !== undefined) return stored;
      // Another request released the key between the two statements.
      throw inProgress();
    },
    /** Returns the stored response of an earlier request, or undefined if there was none. */
    replay,
    /** Does the same for a request whose key another one has just used. */
    async first(ref: IdempotencyRef): Promise<SentAnswer> {
      const answer = await replay(ref);
      if (answer === undefined)
        throw new ServiceError("service_unavailable", { internal: "an idempotency record vanished" });
      return { ...answer, replayed: true };
    },
    /** Does the same as `replay`, with one statement for concurrent requests. */
    seen: async (ref: IdempotencyRef): Promise<StoredAnswer | undefined> => answerOf(sealer, ref, await rows.add(ref)),
    /**
     * Returns the 422 for a key that was first sent with another request, even if that is still running. Returns
     * undefined otherwise.
     */
    async reuse(ref: IdempotencyRef): Promise<ServiceError | undefined> {
      const row = await rows.add(ref);
      return row === undefined || row.request_hash.equals(ref.requestHash) ? undefined : reused();
    },
    /** Seals a response for `idempotencyPart`. */
    seal: (ref: IdempotencyRef, { body }: StoredAnswer): Buffer =>
      sealer.seal(shorten(body, ref.tag), placeName(ref.lineageId, ref.key)),
    /**
     * Claims the keys of many requests in the transaction that records their work. The claims last until `end`, so that
     * no repeat does the work again. Returns the positions of the first request of each key; the work of the others must
     * not be done.
     */
    claim: async (tx: Tx, claims: readonly WorkClaim[]): Promise<ReadonlySet<number>> =>
      await claimIdempotents(
        tx,
        claims.map(({ ref, work, answer }) => ({
          place: ref,
          requestHash: ref.requestHash,
          owner: work,
          answer: answer === null ? null : sealed(sealer, ref, answer),
        })),
      ),
    /** Stores the responses of claimed work in the transaction that records its end, or releases its keys. */
    end: async (tx: Tx, ends: readonly WorkEnd[]): Promise<void> =>
      await endIdempotents(
        tx,
        ends.map(({ place, work, answer }) => ({
          place,
          owner: work,
          answer: NEVER_KEPT.has(answer.status) ? null : sealed(sealer, place, answer),
        })),
      ),
  };
}

function answerOf(sealer: Sealer, ref: IdempotencyRef, row: IdempotencyRow | undefined): StoredAnswer | undefined {
  if (row === undefined) return undefined;
  if (!row.request_hash.equals(ref.requestHash)) throw reused();
  const stored = row.response_short_sealed ?? row.response_sealed;
  if (row.status === null || stored === null) throw inProgress();
  const body = sealer.open(stored, placeName(ref.lineageId, ref.key)).reveal();
  return { status: row.status, body: lengthen(body, ref.tag) };
}

function writeOf(deps: IdempotencyDeps, ref: IdempotencyRef, owner: Uuid, unit: Unit | undefined): Write {
  const { db } = deps;

  async function keep(tx: Tx, outcome: WriteOutcome): Promise<void> {
    if (!(await finishIdempotent(tx.query, ref, owner, sealed(deps.sealer, ref, outcome)))) throw inProgress();
    if (!outcome.refused) outcome.record?.(tx);
  }

  /**
   * Logs a failed record instead of throwing, because the effect's result is final. A repeat then runs again after the
   * lease expires.
   */
  async function quietly(work: Promise<unknown>): Promise<void> {
    await work.catch(warn);
  }

  function warn(error: unknown): void {
    deps.log.warn({ err: error }, "failed to store an idempotency record; its lease will expire");
  }

  /**
   * Records a remote effect, which cannot be undone. Its audit entry is written even if a repeat took the record over.
   * Throws if the entry cannot be written.
   */
  async function keepRemote(outcome: WriteOutcome): Promise<void> {
    try {
      await db.transaction(async (tx) => await keep(tx, outcome));
    } catch (error) {
      warn(error);
      const { record } = outcome;
      if (record !== undefined && !outcome.refused)
        await db.transaction(async (tx) => await Promise.resolve(record(tx)));
    }
  }

  return {
    run: (work) => (unit === undefined ? work() : unit.run(work)),
    async settle(outcome) {
      const undone = outcome.refused || NEVER_KEPT.has(outcome.status);
      if (undone) await unit?.rollback();
      if (NEVER_KEPT.has(outcome.status) || (outcome.refused && outcome.status >= 500)) {
        await quietly(abandonIdempotent(db, ref, owner));
      } else if (unit === undefined) {
        await keepRemote(outcome);
      } else if (undone) {
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

function sealed(sealer: Sealer, ref: IdempotencyPlace, answer: StoredAnswer): { status: number; sealed: Buffer } {
  return { status: answer.status, sealed: sealer.seal(answer.body, placeName(ref.lineageId, ref.key)) };
}

/** A response that is stored in the commit of its request's effect. */
export interface KeptAnswer {
  readonly ref: IdempotencyRef;
  readonly sealed: Buffer;
}

/** Stores the responses and returns the positions of new keys as `fresh (at)`. Nothing is written for repeats. Hot. */
export const idempotencyPart = defineFreshPart<KeptAnswer, { readonly status: number }>({
  name: "idempotency",
  columns: [
    bulk("bucket", "smallint", ({ ref }) => ref.bucket),
    bulk("tag", "text", ({ ref }) => ref.tag),
    bulk("lineage_id", "uuid", ({ ref }) => ref.lineageId),
    bulk("key", "text", ({ ref }) => ref.key),
    bulk("request_hash", "bytea", ({ ref }) => ref.requestHash),
    bulk("response_short_sealed", "bytea", (answer) => answer.sealed),
  ],
  parameters: { status: "smallint" },
  text: ({ numberedRows, names, selected, $ }) => `asked as (select * from ${numberedRows("a")}),
    kept as (insert into idempotency (${names}, status)
      select ${selected("asked")}, ${$.status} from asked order by bucket, tag, lineage_id, key
      on conflict do nothing returning bucket, tag, lineage_id, key),
    fresh as (select asked.at from asked join kept using (bucket, tag, lineage_id, key))`,
});

/** Returns the first item of each key in a batch. The other copies read its stored response. */
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

export const sealedByAccess = ["response_sealed", "response_short_sealed"].map((column) =>
  sealedColumn({
    table: "idempotency",
    column,
    by: ["lineage_id", "key"],
    place: ({ lineage_id: lineageId, key }) => placeName(lineageId, key),
  }),
);
