import type { TestService } from "./test-service.ts";

/** Counts the rows that are written, and committed, from now on. */
export interface Effects {
  /** Returns the committed rows since the last call, as `table op: count`. Counters of requests are not included. */
  taken(): Promise<Record<string, number>>;
}

/** Tables that count requests, and three whose changes vary between equal calls: an audit chain's end moves once per batch of rows, and the first change of secrets and of event types starts a count. */
const UNCOUNTED = [
  "effect",
  "audit_head",
  "event_type_lock",
  "idempotency",
  "key_usage",
  "key_use",
  "rate_window",
  "request_log",
  "schema_migration",
  "secret_version",
  "usage_day",
  "usage_hour",
];
const COUNTED = `select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
  and not c.relispartition and c.relname <> all ($1)`;

export async function watchEffects({ database }: TestService): Promise<Effects> {
  await database.query("create table effect (name text not null)");
  await database.query(`create function note_effect() returns trigger language plpgsql security definer as $$ begin
    if tg_op <> 'UPDATE' or to_jsonb(new) <> to_jsonb(old) then
      insert into effect values (tg_argv[0] || ' ' || lower(tg_op));
    end if;
    return null; end $$`);
  for (const { relname } of await database.query<{ relname: string }>(COUNTED, [UNCOUNTED])) {
    await database.query(
      `create trigger note_effect after insert or update or delete on "${relname}" for each row execute function note_effect('${relname}')`,
    );
  }
  return {
    async taken() {
      const rows = await database.query<{ name: string; n: number }>(
        "with gone as (delete from effect returning name) select name, count(*)::int as n from gone group by name order by name",
      );
      return Object.fromEntries(rows.map((row) => [row.name, row.n]));
    },
  };
}
