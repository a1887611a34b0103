import type { Db } from "../../platform/db/db.ts";
import { resultOf } from "../../lib/lib.ts";
import type { Sealer } from "../../lib/lib.ts";
import type { EndpointRow } from "./endpoints.store.ts";
import { headersPlace, openHeaders, sealHeaders } from "../requests/header-values.ts";
import { plainEndpoints, putSealedHeaders } from "./plain-headers.store.ts";
import { fingerprintOf } from "./signing-channels.ts";

const BATCH = 200;

/**
 * Seals rows that an earlier version wrote in plain text, in the order in which `read` returns them, and returns their
 * number. Each row is one statement that changes nothing if the row changed since it was read. Several processes may
 * therefore do it at once, and after a crash the next start does the rest.
 */
export async function sealRows<Row>(
  db: Pick<Db, "onEachShard">,
  read: (last: Row | undefined, limit: number) => Promise<readonly Row[]>,
  seal: (row: Row) => Promise<boolean>,
): Promise<number> {
  const sealed = await db.onEachShard(async () => [await sealOnShard(read, seal)]);
  return sealed.reduce((total, rows) => total + rows, 0);
}

async function sealOnShard<Row>(
  read: (last: Row | undefined, limit: number) => Promise<readonly Row[]>,
  seal: (row: Row) => Promise<boolean>,
): Promise<number> {
  let sealed = 0;
  let last: Row | undefined;
  for (;;) {
    const rows = await read(last, BATCH);
    for (const row of rows) if (await seal(row)) sealed += 1;
    if (rows.length < BATCH) return sealed;
    last = rows.at(-1);
  }
}

/** Seals the headers of all endpoints: those of callers, and those of rules and workflows. */
export async function sealPlainEndpoints({
  db,
  sealer,
}: {
  readonly db: Db;
  readonly sealer: Sealer;
}): Promise<number> {
  return await sealRows<EndpointRow>(
    db,
    async (last, limit) => await plainEndpoints(db.query, last, limit),
    async (row) => {
      const place = headersPlace(row.id);
      const headers = resultOf(() => openHeaders(sealer, place, row));
      // A part of the values is sealed with a master key that this process does not have.
      if (headers instanceof Error) return false;
      const fingerprint = row.channel_id === null ? null : fingerprintOf(sealer, row.channel_id, { ...row, headers });
      return await putSealedHeaders(db.query, row, { ...sealHeaders(sealer, place, headers), fingerprint });
    },
  );
}
