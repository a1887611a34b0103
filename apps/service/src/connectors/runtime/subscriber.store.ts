import type { Query } from "../../platform/db/db.ts";
import type { SubscriberQuery } from "../../events/events.ts";
import type { Scope } from "../../accounts/accounts.ts";

/**
 * Returns the connectors that receive an event, with their priorities: two look-ups per name, and no row if none is
 * enabled.
 */
export const CONNECTORS_QUERY: SubscriberQuery = {
  name: "connectors",
  text: `select distinct a.tag, a.event, l.priority || ' ' || l.key from asked a
    join connector_listener l on l.bucket = a.bucket and l.workspace_id = a.workspace_id
      and (l.event = a.event or (a.is_open and l.event = '*')) and (a.is_sandbox or not l.sandbox_only)`,
};

export interface Heard {
  readonly key: string;
  readonly priority: number;
  readonly event: string;
  /** True if `*` includes the event. */
  readonly isOpen: boolean;
}

/** Returns the current handlers of a stage. Those of the event's own name come first. */
export async function handlersOf(
  query: Query,
  { bucket, workspaceId, environment }: Scope,
  { key, priority, event, isOpen }: Heard,
): Promise<string[]> {
  const rows = await query
    .selectFrom("connector_listener")
    .select(["event", "handlers"])
    .where("bucket", "=", bucket)
    .where("workspace_id", "=", workspaceId)
    .where("event", "in", isOpen ? [event, "*"] : [event])
    .where("key", "=", key)
    .where("priority", "=", priority)
    .where("sandbox_only", "in", environment === "sandbox" ? [true, false] : [false])
    .orderBy("event", "desc")
    .execute();
  return [...new Set(rows.flatMap((row) => row.handlers))];
}
