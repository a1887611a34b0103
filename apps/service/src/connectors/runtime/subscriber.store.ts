import type { Query } from "../../platform/db/db.ts";
import type { SubscriberQuery } from "../../events/events.ts";
import type { Scope } from "../../accounts/accounts.ts";

/** Which connectors hear, and at which priorities: two look-ups a name, and no row where none is enabled. */
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
  /** Whether `*` takes it. */
  readonly isOpen: boolean;
}

/** The handlers of a stage as they are now, those of the event's own name first. */
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
