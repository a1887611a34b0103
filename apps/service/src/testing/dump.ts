import type { TestService } from "./test-service.ts";

/** Returns every row of every table as text, by the table's name. Bytes are hex. */
export async function dump(service: TestService): Promise<ReadonlyMap<string, string>> {
  const tables = await service.database.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition",
  );
  const texts = tables.map(async ({ name }) => {
    const rows = await service.database.query<{ row: string }>(`select t::text as row from "${name}" t`);
    return [name, rows.map(({ row }) => row).join("\n")] as const;
  });
  return new Map(await Promise.all(texts));
}
