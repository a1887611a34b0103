import { createHash } from "node:crypto";
import pg from "pg";
import { inTransaction } from "./connection.store.ts";
import type { Shard } from "./layout.store.ts";

/** Returns the schema in which a shard's tables have their plain names. */
export function schemaOf({ id }: Pick<Shard, "id">): string {
  return `at_${id}`;
}

/** SQLSTATE of a statement on a shard that Citus has moved to another machine. */
export const MOVED = "JN001";

const ROLES = ["junction_service", "junction_tenant"] as const;
const PRIVILEGES = ["select", "insert", "update", "delete"] as const;
/** An arbitrary number, so that processes prepare the shards of a machine one after another. */
const LOCK = 4_921_079;
/** Stands for the view in a grant. */
const VIEW = "%view%";
/** Raised when the objects of a shard are made in another way, so that the next start makes them again. */
const FORM = 2;

/** The tables, functions and triggers from which the objects of every shard are made. The coordinator has them. */
export interface Blueprint {
  readonly tables: readonly TablePlan[];
  readonly functions: readonly FunctionPlan[];
  readonly triggers: readonly { readonly relation: string; readonly name: string; readonly definition: string }[];
}

interface TablePlan {
  readonly name: string;
  readonly everywhere: boolean;
  readonly partitioned: boolean;
  readonly columns: number;
  readonly grants: readonly string[];
}

interface FunctionPlan {
  readonly definition: string;
  readonly signature: string;
  readonly trigger: boolean;
  readonly roles: readonly string[];
}

/** Reads the blueprint from the coordinator. */
export async function readBlueprint(coordinator: pg.Client): Promise<Blueprint> {
  await coordinator.query("set search_path to public");
  const { rows: tables } = await coordinator.query<TablePlan>(
    `select c.relname::text as name, p.partmethod = 'n' as everywhere, c.relkind = 'p' as partitioned,
        (select count(*)::int from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
        array(select v || ' on ${VIEW} to ' || r from unnest($1::text[]) r, unnest($2::text[]) v
          where has_table_privilege(r, c.oid, v)) as grants
      from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
      where not c.relispartition and c.relnamespace = 'public'::regnamespace order by 1`,
    [ROLES, PRIVILEGES],
  );
  const { rows: functions } = await coordinator.query<FunctionPlan>(
    `select pg_get_functiondef(p.oid) as definition, p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' as signature,
        p.prorettype = 'trigger'::regtype as trigger,
        array(select r from unnest($1::text[]) r where has_function_privilege(r, p.oid, 'execute')) as roles
      from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
        and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
        and (p.provolatile <> 'i' or exists (select from pg_type t join pg_class c on c.oid = t.typrelid
          where t.oid = any (p.proargtypes::oid[] || p.prorettype)))
      order by p.oid`,
    [ROLES],
  );
  const { rows: triggers } = await coordinator.query<Blueprint["triggers"][number]>(
    "select relation, name, definition from shard_trigger order by relation, name",
  );
  return { tables, functions, triggers };
}

/**
 * Creates the objects through which the service uses a shard like a whole database, or brings them up to date. They are
 * a schema with a view of each table, the functions on these tables, and the triggers, which Citus does not keep on
 * distributed tables (decision 0270). Changes nothing if they are up to date. `client` belongs to the owner of the
 * tables and is connected to the shard's machine.
 */
export async function prepareShard(client: pg.Client, shard: Shard, blueprint: Blueprint): Promise<void> {
  const tables = await tablesOf(client, shard, blueprint);
  const wanted = digestOf(shard, tables, blueprint);
  if ((await preparedState(client, shard)) === wanted) return;
  const schema = schemaOf(shard);
  await inTransaction(client, async () => {
    await client.query("set local citus.enable_ddl_propagation to off");
    await client.query("select pg_advisory_xact_lock($1)", [LOCK]);
    await client.query(`create schema if not exists ${schema}`);
    await client.query(`grant usage on schema ${schema} to ${ROLES.join(", ")}`);
    await client.query(`set local search_path to ${schema}, public`);
    await client.query("set local check_function_bodies to off");
    const statements = [
      ...viewsOf(shard, tables),
      ...functionsOf(shard, blueprint),
      ...guardsOf(shard, tables),
      ...triggersOf(shard, tables, blueprint),
      `comment on schema ${schema} is ${pg.escapeLiteral(wanted)}`,
    ];
    for (const statement of statements) await client.query(statement);
  });
}

/** A table with the name that it has in the shard. */
interface ShardTable extends TablePlan {
  readonly own: string;
  /** A table that was moved away and back has another number. */
  readonly oid: string | null;
}

async function tablesOf(client: pg.Client, shard: Shard, { tables }: Blueprint): Promise<ShardTable[]> {
  const { rows } = await client.query<{ name: string; own: string; oid: string | null }>(
    `select c.relname::text as name, c.relname || '_' || s.shardid as own, to_regclass('public.' || c.relname || '_' || s.shardid)::oid::text as oid
      from pg_dist_shard anchor
      join pg_dist_shard s on s.shardminvalue = anchor.shardminvalue or s.shardminvalue is null
      join pg_dist_partition p on p.logicalrelid = s.logicalrelid
      join pg_class c on c.oid = s.logicalrelid
      where anchor.shardid = $1::bigint and c.relname = any($2::text[])`,
    [shard.id, tables.map(({ name }) => name)],
  );
  const found = new Map(rows.map((row) => [row.name, row]));
  return tables.map((table) => {
    const row = found.get(table.name);
    if (row === undefined) throw new Error(`shard ${shard.id} has no table ${table.name}`);
    return { ...table, own: row.own, oid: row.oid };
  });
}

function digestOf(shard: Shard, tables: readonly ShardTable[], { functions, triggers }: Blueprint): string {
  return createHash("sha256")
    .update(JSON.stringify([FORM, shard.buckets, tables, functions, triggers]))
    .digest("hex");
}

async function preparedState(client: pg.Client, shard: Shard): Promise<string | undefined> {
  const { rows } = await client.query<{ state: string | null }>(
    "select obj_description(to_regnamespace($1), 'pg_namespace') as state",
    [schemaOf(shard)],
  );
  return rows[0]?.state ?? undefined;
}

function viewsOf(shard: Shard, tables: readonly ShardTable[]): string[] {
  const schema = schemaOf(shard);
  return [
    `create or replace function ${schema}.everywhere() returns trigger language plpgsql as $$
      begin
        raise exception 'rows of % are written to every machine: write public.%', tg_table_name, tg_table_name;
      end $$`,
    ...tables.flatMap(({ name, own, everywhere, grants }) => [
      `create or replace view ${schema}.${name} with (security_invoker = true) as select * from public.${own}`,
      ...grants.map((grant) => `grant ${grant.replace(VIEW, `${schema}.${name}`)}`),
      ...(everywhere
        ? [
            `create or replace trigger everywhere instead of insert or update or delete on ${schema}.${name}
              for each row execute function ${schema}.everywhere()`,
          ]
        : []),
    ]),
  ];
}

/**
 * Copies the functions that read or write tables, so that they use those of the shard. An immutable function without a
 * row of a table stays the one that indexes use.
 */
function functionsOf(shard: Shard, { functions }: Blueprint): string[] {
  const schema = schemaOf(shard);
  return functions.flatMap(({ definition, signature, trigger, roles }) => [
    ownFunction(definition, schema, trigger),
    `revoke all on function ${schema}.${signature} from public`,
    ...roles.map((role) => `grant execute on function ${schema}.${signature} to ${role}`),
  ]);
}

function ownFunction(definition: string, schema: string, trigger: boolean): string {
  const moved = definition
    .replace("FUNCTION public.", `FUNCTION ${schema}.`)
    .replace("SET search_path TO 'public'", `SET search_path TO '${schema}', 'public'`);
  // A trigger also runs for a statement of Citus itself, whose connection does not know the shard's schema.
  return trigger && !moved.includes("SET search_path")
    ? moved.replace("AS $function$", `SET search_path TO '${schema}', 'public', 'pg_temp'\nAS $function$`)
    : moved;
}

/**
 * Lets the shard refuse a write once Citus has moved it, and a row of a bucket that is not its own. The lock is the one
 * that Citus takes for each of its own writes: a move waits for it, and holds writes back.
 */
function guardsOf(shard: Shard, tables: readonly ShardTable[]): string[] {
  const schema = schemaOf(shard);
  return [
    `create or replace function ${schema}.assert_here() returns void language plpgsql security definer set search_path to pg_catalog as $$
      begin
        if not exists (select from pg_dist_placement p join pg_dist_local_group g on g.groupid = p.groupid
            where p.shardid = ${shard.id} and p.shardstate = 1) then
          raise exception 'shard % is on another machine now', ${shard.id} using errcode = '${MOVED}';
        end if;
      end $$`,
    `create or replace function ${schema}.stay() returns trigger language plpgsql security definer set search_path to pg_catalog as $$
      begin
        perform lock_shard_metadata(5, array[${shard.id}::bigint]);
        perform ${schema}.assert_here();
        return null;
      end $$`,
    `grant execute on function ${schema}.assert_here() to ${ROLES.join(", ")}`,
    `create or replace function ${schema}.own_table(relation text) returns text language sql immutable as $$
      select case relation ${tables.map(({ name, own }) => `when '${name}' then 'public.${own}'`).join(" ")} else relation end $$`,
    ...tables
      .filter(({ everywhere }) => !everywhere)
      .flatMap(({ own, partitioned }) => [
        `create or replace trigger stay before insert or update or delete on public.${own} for each statement execute function ${schema}.stay()`,
        `alter policy service on public.${own} with check (${ownBuckets(shard)})`,
        // The owner's functions are not limited by policies. A partitioned table accepts no check that its partitions lack.
        ...(partitioned
          ? []
          : [
              `alter table public.${own} drop constraint if exists own_bucket`,
              `alter table public.${own} add constraint own_bucket check (${ownBuckets(shard)}) not valid`,
            ]),
      ]),
  ];
}

function ownBuckets({ buckets }: Shard): string {
  return `bucket = any (array[${buckets.join()}]::smallint[])`;
}

function triggersOf(shard: Shard, tables: readonly ShardTable[], { triggers }: Blueprint): string[] {
  return triggers.flatMap((trigger) => {
    const own = tables.find((table) => table.name === trigger.relation)?.own;
    return own === undefined ? [] : createTrigger(trigger, own, schemaOf(shard));
  });
}

function createTrigger(
  { relation, name, definition }: Blueprint["triggers"][number],
  own: string,
  schema: string,
): string[] {
  return [
    `drop trigger if exists ${name} on public.${own}`,
    definition
      .replace(` ON public.${relation} `, ` ON public.${own} `)
      .replace(/EXECUTE FUNCTION (?:public\.)?/, `EXECUTE FUNCTION ${schema}.`),
  ];
}

/** Creates the triggers of the coordinator's copies of tables that are on every machine. */
export async function prepareCoordinator(client: pg.Client, { tables, triggers }: Blueprint): Promise<void> {
  const everywhere = tables.filter((table) => table.everywhere).map(({ name }) => name);
  const { rows } = await client.query<{ name: string; own: string }>(
    `select c.relname::text as name, c.relname || '_' || s.shardid as own from pg_dist_shard s
      join pg_class c on c.oid = s.logicalrelid where c.relname = any($1::text[])`,
    [everywhere],
  );
  await inTransaction(client, async () => {
    await client.query("set local citus.enable_ddl_propagation to off");
    for (const trigger of triggers) {
      const own = rows.find(({ name }) => name === trigger.relation)?.own;
      for (const statement of own === undefined ? [] : createTrigger(trigger, own, "public"))
        await client.query(statement);
    }
  });
}
