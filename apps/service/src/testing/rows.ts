import { tagOf } from "../lib/lib.ts";
import type { Tag } from "../lib/lib.ts";
import type { TestService } from "./test-service.ts";

/** Tables that count requests of all callers. */
const COUNTS = ["idempotency", "key_usage", "key_use", "rate_window", "request_log", "usage_day", "usage_hour"];
const TABLES = `select distinct on (c.relname) c.relname as table, a.attname as column
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('tag', 'workspace_id')
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all ($1)
  order by c.relname, a.attname`;

/** Returns every row of the service's own workspace, in both environments, as text by table. */
export async function rowsOfWorkspace({ database }: TestService): Promise<Readonly<Record<string, readonly string[]>>> {
  const [own] = await database.query<{ id: string; tag: Tag }>("select id, tag from workspace where name = 'Test'");
  if (own === undefined) throw new Error("the service's workspace is gone");
  const kept: Record<string, readonly string[]> = {};
  for (const { table, column } of await database.query<{ table: string; column: string }>(TABLES, [COUNTS])) {
    const mine = column === "tag" ? [own.tag, tagOf(own.tag, "sandbox")] : [own.id];
    const rows = await database.query<{ row: string }>(
      `select to_jsonb(t)::text as row from "${table}" t where "${column}" = any ($1) order by 1`,
      [mine],
    );
    kept[table] = rows.map(({ row }) => row);
  }
  return kept;
}
