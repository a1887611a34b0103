import type { Tx } from "../../platform/db/db.ts";
import type { IdMaker } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { holdSettings, insertAsk, spentOf } from "./assistant.store.ts";

/** The exhausted budget, and the seconds until it allows a request again. */
export interface Spent {
  readonly budget: "minute" | "day";
  readonly seconds: number;
}

/** Counts one model request toward the workspace's budgets, exactly across all nodes. Null means that the request is allowed. */
export async function spend({ ids }: { readonly ids: IdMaker }, tx: Tx, scope: Scope): Promise<Spent | null> {
  const held = await holdSettings(tx, scope);
  if (held === undefined) return { budget: "day", seconds: 86_400 };
  const spent = await spentOf(tx.query, scope, { perMinute: held.max_per_minute, perDay: held.max_per_day });
  if (spent.in_day >= held.max_per_day) return { budget: "day", seconds: Math.max(1, spent.day_over_in) };
  if (spent.in_minute >= held.max_per_minute) return { budget: "minute", seconds: Math.max(1, spent.minute_over_in) };
  await insertAsk(tx, scope, ids.uuid());
  return null;
}
