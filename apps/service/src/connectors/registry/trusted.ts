import type { Query } from "../../platform/db/db.ts";
import { fromDate } from "../../lib/lib.ts";
import { keyIdOf } from "./signing-key.ts";
import type { Trust, TrustedKey } from "./trust.ts";
import { listKeys } from "./trust.store.ts";
import type { KeyRow } from "./trust.store.ts";

/** Returns the keys known now: those of the environment, overridden by those of the table. Read them on each use. */
export async function readTrust(query: Query, ofEnvironment: readonly Uint8Array[]): Promise<Trust> {
  return trustOf(await listKeys(query), ofEnvironment);
}

export function trustOf(rows: readonly KeyRow[], ofEnvironment: readonly Uint8Array[]): Trust {
  const named = ofEnvironment.map((publicKey) => keyOfEnvironment(Buffer.from(publicKey)));
  return new Map([...named, ...rows.map(trustedKey)].map((key) => [key.keyId, key]));
}

export function keyOfEnvironment(publicKey: Buffer): TrustedKey {
  const keyId = keyIdOf(publicKey);
  return { keyId, publicKey, name: "JUNCTION_CONNECTOR_TRUST", connectors: null, development: false, revokedAt: null };
}

export function trustedKey(row: KeyRow): TrustedKey {
  return {
    keyId: row.key_id,
    publicKey: row.public_key,
    name: row.name,
    connectors: row.connectors,
    development: row.development,
    revokedAt: row.revoked_at === null ? null : fromDate(row.revoked_at),
  };
}
