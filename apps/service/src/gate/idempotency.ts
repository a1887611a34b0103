import { columnOf } from "../db/db.ts";
import type { CommitPart, Db } from "../db/db.ts";
import { sha256, ServiceError } from "../kernel/kernel.ts";
import type { Sealer, Uuid } from "../kernel/kernel.ts";
import { abandonIdempotent, beginIdempotent, finishIdempotent, readIdempotent } from "./gate.store.ts";
import type { IdempotencyPlace } from "./gate.store.ts";

/** One write's claim to be done once. */
export interface IdempotencyRef extends IdempotencyPlace {
  readonly requestHash: Buffer;
}

export interface StoredAnswer {
  readonly status: number;
  /** The bytes of the first answer. */
  readonly body: string;
}

export interface Idempotency {
  /** Undefined: go ahead. Otherwise the answer of the first request. Throws when it is still running, or was another request. */
  begin(ref: IdempotencyRef): Promise<StoredAnswer | undefined>;
  /** The stored answer of a request that may have been made before; undefined when it was not. */
  replay(ref: IdempotencyRef): Promise<StoredAnswer | undefined>;
  finish(ref: IdempotencyRef, answer: StoredAnswer): Promise<void>;
  abandon(ref: IdempotencyRef): Promise<void>;
  seal(ref: IdempotencyRef, answer: StoredAnswer): Buffer;
}

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

export function createIdempotency(db: Db, sealer: Sealer): Idempotency {
  const seal = (ref: IdempotencyRef, answer: StoredAnswer): Buffer =>
    sealer.seal(answer.body, placeName(ref.lineageId, ref.key));

  async function replay(ref: IdempotencyRef): Promise<StoredAnswer | undefined> {
    const row = await readIdempotent(db, ref);
    if (row === undefined) return undefined;
    if (!row.request_hash.equals(ref.requestHash)) {
      throw new ServiceError("idempotency_key_reused", {
        detail: "Use a new Idempotency-Key for a request with another method, path or body.",
      });
    }
    if (row.status === null || row.response_sealed === null) {
      throw new ServiceError("idempotency_in_progress", { headers: { "Retry-After": "1" } });
    }
    return { status: row.status, body: sealer.open(row.response_sealed, placeName(ref.lineageId, ref.key)) };
  }

  return {
    async begin(ref) {
      if (await beginIdempotent(db, ref, ref.requestHash)) return undefined;
      return await replay(ref);
    },
    replay,
    finish: async (ref, answer) => await finishIdempotent(db, ref, answer.status, seal(ref, answer)),
    abandon: async (ref) => await abandonIdempotent(db, ref),
    seal,
  };
}

/** Part of a hot commit: keeps the answers, and names in `fresh (at)` the positions whose keys were new. Others are repeats, and nothing of theirs is written. */
export function idempotencyPart(
  refs: readonly IdempotencyRef[],
  sealed: readonly Buffer[],
  status: number,
): CommitPart {
  return {
    name: "idempotency",
    text: (
      first,
    ) => `asked as (select * from unnest($${first}::smallint[], $${first + 1}::text[], $${first + 2}::uuid[], $${first + 3}::text[],
        $${first + 4}::bytea[], $${first + 5}::bytea[]) with ordinality as a (bucket, tag, lineage_id, key, request_hash, sealed, at)),
      kept as (insert into idempotency (bucket, tag, lineage_id, key, request_hash, status, response_sealed)
        select bucket, tag, lineage_id, key, request_hash, $${first + 6}::smallint, sealed from asked order by bucket, tag, lineage_id, key
        on conflict do nothing returning bucket, tag, lineage_id, key),
      fresh as (select asked.at from asked join kept using (bucket, tag, lineage_id, key))`,
    values: [
      columnOf.smallint(refs, (ref) => ref.bucket),
      columnOf.text(refs, (ref) => ref.tag),
      columnOf.uuid(refs, (ref) => ref.lineageId),
      columnOf.text(refs, (ref) => ref.key),
      columnOf.bytea(refs, (ref) => ref.requestHash),
      columnOf.bytea(sealed, (bytes) => bytes),
      status,
    ],
  };
}

function placeName(lineageId: Uuid, key: string): string {
  return `idempotency:${lineageId}:${key}`;
}
