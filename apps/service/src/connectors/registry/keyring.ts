import type { ConnectorContracts } from "../../actions/actions.ts";
import type { Db } from "../../platform/db/db.ts";
import { ServiceError, toRfc3339 } from "../../lib/lib.ts";
import { lockAll } from "./connectors.store.ts";
import { quarantineUntrusted } from "./scan-folders.ts";
import { keyIdOf } from "./signing-key.ts";
import type { TrustedKey } from "./trust.ts";
import { readTrust, trustedKey } from "./trusted.ts";
import { putKey, revokeKey } from "./trust.store.ts";

export interface KeyView {
  readonly key_id: string;
  readonly name: string;
  readonly public_key: string;
  readonly connectors: readonly string[] | null;
  readonly development: boolean;
  readonly revoked_at: string | null;
}

export interface NewTrust {
  readonly publicKey: Buffer;
  readonly name: string;
  readonly connectors: readonly string[] | null;
  readonly development: boolean;
}

/** The keys that this installation trusts. Only the operator changes them, by command and never through the API. */
export type Keyring = ReturnType<typeof createKeyring>;

export interface KeyringDeps {
  readonly db: Db;
  readonly trusted: readonly Uint8Array[];
  readonly contracts: ConnectorContracts;
}

export function createKeyring(deps: KeyringDeps) {
  const { db } = deps;
  return {
    list: async (): Promise<KeyView[]> => [...(await readTrust(db.query, deps.trusted)).values()].map(keyView),
    /**
     * Trusts the key with these limits, which replace all earlier ones and a revocation. Connectors that it may no longer
     * sign are stopped.
     */
    async trust({ publicKey, name, connectors, development }: NewTrust): Promise<KeyView> {
      const key = { key_id: keyIdOf(publicKey), public_key: publicKey, name, development };
      return await db.transaction(async (tx) => {
        await lockAll(tx);
        const row = await putKey(tx, { ...key, connectors: connectors === null ? null : [...connectors] });
        await quarantineUntrusted(deps, tx);
        return keyView(trustedKey(row));
      });
    },
    /**
     * Revokes a key at once, including one of the environment. Connectors that only this key signed are stopped. Throws
     * 404 for an unknown key.
     */
    async revoke(keyId: string): Promise<KeyView & { readonly quarantined: number }> {
      return await db.transaction(async (tx) => {
        await lockAll(tx);
        const known = (await readTrust(tx.query, deps.trusted)).get(keyId);
        if (known === undefined)
          throw new ServiceError("not_found", {
            detail: `The key ${keyId} is unknown. To list the keys, run connector trust.`,
          });
        const row = await revokeKey(tx, { key_id: keyId, public_key: known.publicKey, name: known.name });
        return { ...keyView(trustedKey(row)), quarantined: await quarantineUntrusted(deps, tx) };
      });
    },
  };
}

function keyView({ keyId, name, publicKey, connectors, development, revokedAt }: TrustedKey): KeyView {
  return {
    key_id: keyId,
    name,
    public_key: publicKey.toString("base64"),
    connectors,
    development,
    revoked_at: revokedAt === null ? null : toRfc3339(revokedAt),
  };
}
