import type { SecretSource } from "../../audit/audit.ts";
import type { Sealer } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";
import { credentialsIn, documentValues, sealPlainDocument, sealRows } from "../../webhooks/webhooks.ts";
import type { DocumentKind, SealedBefore } from "../../webhooks/webhooks.ts";

/** Returns the credentials in the headers of rules or workflows, for redaction. `placeOf`: what the sealed values are bound to. */
export function headerSecretSource<Row extends { readonly headers_sealed: Buffer }>(
  sealer: Sealer,
  read: (...args: Parameters<SecretSource>) => Promise<readonly Row[]>,
  placeOf: (row: Row) => string,
): SecretSource {
  return async (reader, home) => {
    const rows = await read(reader, home);
    return rows.flatMap((row) => documentValues(sealer, placeOf(row), row.headers_sealed).flatMap(credentialsIn));
  };
}

/** Seals the headers that an earlier version of the service wrote. Returns the number of changed rows. */
export async function sealPlainHeaders<Row>(
  { db, sealer }: { readonly db: Db; readonly sealer: Sealer },
  webhooks: DocumentKind,
  rows: {
    read(last: Row | undefined, limit: number): Promise<readonly Row[]>;
    sealedOf(row: Row): SealedBefore;
    put(row: Row, fresh: Omit<SealedBefore, "place">): Promise<boolean>;
  },
): Promise<number> {
  return await sealRows<Row>(
    db,
    async (last, limit) => await rows.read(last, limit),
    async (row) => {
      const fresh = sealPlainDocument(sealer, webhooks, rows.sealedOf(row));
      return fresh !== undefined && (await rows.put(row, fresh));
    },
  );
}
