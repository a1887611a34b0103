import type { Db, Tx } from "../../platform/db/db.ts";
import { after, createLoop, fromDate, toDate, toRfc3339, wireId } from "../../lib/lib.ts";
import type { Clock, Id, IdMaker, Loop, Uuid } from "../../lib/lib.ts";
import { takeExpiring } from "./keys.store.ts";
import type { ExpiringKey } from "./keys.store.ts";
import { scopeOf } from "../workspaces/scope.ts";
import type { Scope } from "../workspaces/scope.ts";

interface Warning {
  readonly scope: Scope;
  readonly id: Uuid;
  readonly name: "key.expiring";
  readonly subject: Id;
  readonly data: object;
}

export interface KeyExpiryDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly log: { warn(fields: object, message: string): void };
  /** Fires the event once the transaction has committed, whatever happens to this process then. */
  announce(tx: Tx, warning: Warning): Promise<void>;
}

/** Warns of keys before they expire, once each. */
export interface KeyExpiry extends Pick<Loop, "start" | "stop"> {
  /** One round; the loop makes one at the start and one a minute. */
  sweep(): Promise<void>;
}

const WARN_MS = 7 * 86_400_000;
const SWEEP_MS = 60_000;
const AT_ONCE = 200;

export function createKeyExpiry(deps: KeyExpiryDeps): KeyExpiry {
  const { db, clock, log } = deps;
  /** The note that a key was warned of and the warning itself are one transaction's: both, or neither. */
  async function warnSome(): Promise<number> {
    return await db.transaction(async (tx) => {
      const now = clock.now();
      const keys = await takeExpiring(tx, toDate(now), toDate(after(now, WARN_MS)), AT_ONCE);
      for (const key of keys) await deps.announce(tx, warningOf(deps, key));
      return keys.length;
    });
  }

  async function sweep(): Promise<void> {
    while ((await warnSome()) === AT_ONCE);
  }

  const loop = createLoop({
    async round() {
      await sweep();
      return SWEEP_MS;
    },
    failed(error) {
      log.warn({ err: error }, "failed to send warnings about expiring keys; retrying in a minute");
      return SWEEP_MS;
    },
  });
  return { ...loop, sweep };
}

function warningOf({ ids }: KeyExpiryDeps, key: ExpiringKey): Warning {
  const id = wireId("key", key.tag, key.id);
  const data = {
    key_id: id,
    name: key.name,
    prefix_hint: key.prefix_hint,
    expires_at: toRfc3339(fromDate(key.expires_at)),
  };
  return { scope: scopeOf(key.workspace_id, key.tag), id: ids.uuid(), name: "key.expiring", subject: id, data };
}
