import { tagOfId, uuidOf } from "./keys.ts";
import type { TestService } from "./test-service.ts";

/** Returns the number of rows of a workspace in each table that has some, apart from its own. */
export async function rowsOf(
  { database }: Pick<TestService, "database">,
  workspaceId: string,
): Promise<Record<string, number>> {
  const tables = await database.query<{ name: string; by_id: boolean }>(
    `select c.relname as name, bool_or(a.attname = 'workspace_id') as by_id from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attname in ('tag', 'workspace_id') and c.relname <> 'workspace' group by c.relname`,
  );
  const found: Record<string, number> = {};
  const live = tagOfId(workspaceId);
  for (const { name, by_id: byId } of tables) {
    // The sandbox's tenant id differs only in its last character.
    const where = byId ? "workspace_id::text = $1" : "left(tag, 7) = $1";
    const [row] = await database.query<{ n: number }>(`select count(*)::int as n from ${name} where ${where}`, [
      byId ? uuidOf(workspaceId) : live.slice(0, 7),
    ]);
    if (row !== undefined && row.n > 0) found[name] = row.n;
  }
  return found;
}
