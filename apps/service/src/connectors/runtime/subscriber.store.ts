import { sql } from "../../platform/db/db.ts";
import type { Query } from "../../platform/db/db.ts";
import { patternsOf } from "../../events/events.ts";
import type { SubscriberQuery } from "../../events/events.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { SANDBOX_PREFIX, storedKey } from "../registry/connectors.ts";

/**
 * Returns the connectors that receive an event, with their priorities: one look-up per pattern of the name, and no row
 * if none is enabled. A live connector that the sandbox has on its own is left out there.
 */
export const CONNECTORS_QUERY: SubscriberQuery = {
  name: "connectors",
  text: `select distinct a.tag, a.event, l.priority || ' ' || replace(l.key, '${SANDBOX_PREFIX}', '') from asked a
    join connector_listener l on l.bucket = a.bucket and l.workspace_id = a.workspace_id
      and l.event = any(a.patterns) and (a.is_sandbox or not l.sandbox_only)
    where not a.is_sandbox or not exists (select from connector_install s where s.bucket = l.bucket
      and s.workspace_id = l.workspace_id and s.key = '${SANDBOX_PREFIX}' || l.key and s.digest is not null)`,
};

export interface Heard {
  readonly key: string;
  readonly priority: number;
  readonly event: string;
}

/** Returns the current handlers of a stage. Those of the event's own name come first, those of `*` last. */
export async function handlersOf(
  query: Query,
  { bucket, workspaceId, environment }: Scope,
  { key, priority, event }: Heard,
): Promise<string[]> {
  const patterns = patternsOf(event);
  const isSandbox = environment === "sandbox";
  const own = storedKey(key, environment);
  const rows = await query
    .selectFrom("connector_listener as l")
    .select(["l.event", "l.handlers"])
    .where("l.bucket", "=", bucket)
    .where("l.workspace_id", "=", workspaceId)
    .where("l.event", "in", [...patterns])
    .where("l.key", "in", isSandbox ? [key, own] : [key])
    .where("l.priority", "=", priority)
    .where("l.sandbox_only", "in", isSandbox ? [true, false] : [false])
    .$if(isSandbox, (all) =>
      all.where(({ or, eb, not, exists, selectFrom }) =>
        or([
          eb("l.key", "=", own),
          not(
            exists(
              selectFrom("connector_install as s")
                .select(sql`1`.as("one"))
                .where("s.bucket", "=", bucket)
                .where("s.workspace_id", "=", workspaceId)
                .where("s.key", "=", own)
                .where("s.digest", "is not", null),
            ),
          ),
        ]),
      ),
    )
    .execute();
  const sorted = rows.toSorted((a, b) => patterns.indexOf(a.event) - patterns.indexOf(b.event));
  return [...new Set(sorted.flatMap((row) => row.handlers))];
}
