import type { Db, Tx } from "../../platform/db/db.ts";
import { createSweep } from "../../platform/tasks/tasks.ts";
import type { Loop, Sealer } from "../../lib/lib.ts";
import { keptToken, secretPlace } from "./inbox.ts";
import type { InboxRow } from "./inbox.store.ts";
import { putSealed, referToInboxes, takeUnsealed } from "./token-sealing.store.ts";
import { inboxReference } from "../endpoints/own-inboxes.ts";

export interface TokenSealingDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly log: { warn(fields: object, message: string): void };
}

const HOUR_MS = 3_600_000;
const RETRY_MS = 60_000;
const AT_ONCE = 500;
/** Every shard has a copy of the inboxes, and a distributed database has no unsealed ones (`junction distribute`). */
const ANY_BUCKET = 0;

/**
 * Seals the inboxes' tokens that the previous version wrote in plain text (0043_inbox_token_hashes.sql): at the start,
 * and every hour for rows that a node of that version wrote later. Each transaction locks one inbox, so that several
 * nodes share the work. A node that is killed leaves complete rows, and the other nodes seal the rest.
 */
export function createTokenSealing({ db, sealer, log }: TokenSealingDeps): Loop {
  async function sealNext(): Promise<boolean> {
    return await db.at(ANY_BUCKET, async () => await db.transaction(sealOne));
  }

  async function sealOne(tx: Tx): Promise<boolean> {
    const inbox = await takeUnsealed(tx);
    if (inbox === undefined) return false;
    const kept = keptToken(sealer, inbox.token);
    await putSealed(tx, inbox, { ...kept, secret_sealed: movedSecret(sealer, inbox, kept.token) });
    return true;
  }

  return createSweep(log, {
    to: "encrypt the tokens of inboxes",
    everyMs: HOUR_MS,
    retryMs: RETRY_MS,
    async run(stopping) {
      while (!stopping.aborted && (await sealNext()));
      await db.onEachShard(async () => {
        while (!stopping.aborted && (await referToInboxes(db.query, inboxReference(""), AT_ONCE)) === AT_ONCE);
        return [];
      });
    },
  });
}

/**
 * Returns the secret of the latest test, sealed for the new key. A secret that does not open is dropped: the next test
 * sets another.
 */
function movedSecret(sealer: Sealer, { token, secret_sealed: sealed }: InboxRow, key: string): Buffer | null {
  if (sealed === null) return null;
  try {
    return sealer.seal(sealer.open(sealed, secretPlace(token)), secretPlace(key));
  } catch {
    return null;
  }
}
