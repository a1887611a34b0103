import type { Query } from "../../platform/db/db.ts";
import { patternsOf } from "../../events/events.ts";
import type { SubscriberQuery } from "../../events/events.ts";
import type { Scope } from "../../accounts/accounts.ts";

/**
 * Returns the connectors that receive an event, with their priorities: one look-up per pattern of the name, and no row if none is
 * enabled.
 */
export const CONNECTORS_QUERY: SubscriberQuery = {
  name: "connectors",
  text: `select distinct a.tag, a.event, l.priority || ' ' || l.key from asked a
    join connector_listener l on l.bucket = a.bucket and l.workspace_id = a.workspace_id
      and l.event = any(a.patterns) and (a.is_sandbox or not l.sandbox_only)`,
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
  const rows = await query
    .selectFrom("connector_listener")
    .select(["event", "handlers"])
    .where("bucket", "=", bucket)
    .where("workspace_id", "=", workspaceId)
    .where("event", "in", [...patterns])
    .where("key", "=", key)
    .where("priority", "=", priority)
    .where("sandbox_only", "in", environment === "sandbox" ? [true, false] : [false])
    .execute();
  const sorted = rows.toSorted((a, b) => patterns.indexOf(a.event) - patterns.indexOf(b.event));
  return [...new Set(sorted.flatMap((row) => row.handlers))];
}
