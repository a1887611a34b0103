import type { Db, Tx } from "../../platform/db/db.ts";
import { createSweep } from "../../platform/tasks/tasks.ts";
import { after, timeText, toDate, wireId } from "../../lib/lib.ts";
import type { Clock, Id, IdMaker, Loop, Uuid } from "../../lib/lib.ts";
import { takeExpiring } from "./keys.store.ts";
import type { ExpiringKey } from "./keys.store.ts";
import { scopeOf } from "../callers/scope.ts";
import type { Scope } from "../callers/scope.ts";

interface Warning {
  readonly scope: Scope;
  readonly id: Uuid;
  readonly name: "key.expiring";
  readonly subject: Id;
  readonly tenant: string | null;
  readonly data: object;
}

export interface KeyExpiryDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly log: { warn(fields: object, message: string): void };
  /** Fires the event once the transaction has committed, even if this process ends then. */
  announce(tx: Tx, warning: Warning): Promise<void>;
}

/** Fires one warning for each key before it expires. */
export interface KeyExpiry extends Pick<Loop, "start" | "stop"> {
  /** Runs one round. The loop runs it at the start and then every minute. */
  sweep(): Promise<void>;
}

const WARN_MS = 7 * 86_400_000;
const SWEEP_MS = 60_000;
const AT_ONCE = 200;

export function createKeyExpiry(deps: KeyExpiryDeps): KeyExpiry {
  const { db, clock, log } = deps;
  /** Marks keys as warned and announces the warnings in one transaction. */
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

  const loop = createSweep(log, { to: "send warnings about expiring keys", everyMs: SWEEP_MS, run: sweep });
  return { ...loop, sweep };
}

function warningOf({ ids }: KeyExpiryDeps, key: ExpiringKey): Warning {
  const id = wireId("key", key.tag, key.id);
  const data = {
    key_id: id,
    name: key.name,
    prefix_hint: key.prefix_hint,
    expires_at: timeText(key.expires_at),
  };
  const { workspace_id: workspaceId, tag, tenant } = key;
  return { scope: scopeOf(workspaceId, tag), id: ids.uuid(), name: "key.expiring", subject: id, tenant, data };
}
