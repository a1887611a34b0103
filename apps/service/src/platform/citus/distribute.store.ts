import type pg from "pg";
import { inTransaction } from "./connection.store.ts";
import { ANCHOR, PLACEMENT } from "./placement.ts";
import type { Placement } from "./placement.ts";
import { DistributeError } from "./distribute-error.ts";
import type { CitusState } from "./state.store.ts";

/** A table that `distribute` will place. */
export interface TableStep {
  readonly name: string;
  readonly placement: Placement;
  readonly rows: number;
}

/** The fewest shards, and the most, which is one for each bucket. */
const LEAST_SHARDS = 8;
const MOST_SHARDS = 64;
const SHARDS_PER_WORKER = 4;

/** Returns how many shards fit these workers: a power of two, so that each new worker can take some. */
export function shardsFor(workers: number): number {
  const wanted = Math.max(LEAST_SHARDS, workers * SHARDS_PER_WORKER);
  return Math.min(MOST_SHARDS, 2 ** Math.ceil(Math.log2(wanted)));
}

/**
 * Returns the steps for the tables that are not placed yet, in an order in which each table follows those that its
 * foreign keys name. The table whose shards name the others' is the first of the distributed ones.
 */
export async function stepsFor(client: pg.Client, { missing }: Pick<CitusState, "missing">): Promise<TableStep[]> {
  const { rows: keys } = await client.query<{ from: string; to: string }>(
    `select k.conrelid::regclass::text as from, k.confrelid::regclass::text as to from pg_constraint k
      where k.contype = 'f' and k.connamespace = 'public'::regnamespace and k.conparentid = 0`,
  );
  const order = (name: string): number => (PLACEMENT[name] === "everywhere" ? 0 : name === ANCHOR ? 1 : 2);
  const wanted = [...missing].toSorted((a, b) => order(a) - order(b) || (a < b ? -1 : 1));
  const names: string[] = [];
  const add = (name: string): void => {
    if (names.includes(name)) return;
    for (const { from, to } of keys) if (from === name && to !== name && wanted.includes(to)) add(to);
    names.push(name);
  };
  wanted.forEach(add);
  const steps: TableStep[] = [];
  for (const name of names)
    steps.push({ name, placement: PLACEMENT[name] ?? "coordinator", rows: await countOf(client, name) });
  return steps;
}

async function countOf(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query<{ n: string }>(`select count(*) as n from public.${table}`);
  return Number(rows[0]?.n);
}

/**
 * Places one table with its rows, in one transaction: its triggers are kept for the shards (`prepareShard`), because
 * Citus refuses them on distributed tables. Throws if a row is missing afterwards.
 */
export async function placeTable(client: pg.Client, step: TableStep, shards: number): Promise<void> {
  await inTransaction(client, async () => {
    await client.query("set local client_min_messages to warning");
    await keepTriggers(client, step.name);
    await logWrites(client, step.name);
    await client.query(...placing(step, shards));
    const after = await countOf(client, step.name);
    if (after !== step.rows)
      throw new DistributeError(`${step.name} had ${step.rows} rows and has ${after} after it was distributed`);
  });
}

function placing({ name, placement }: TableStep, shards: number): [string, unknown[]] {
  if (placement === "everywhere") return ["select create_reference_table($1::regclass)", [`public.${name}`]];
  return name === ANCHOR
    ? [
        "select create_distributed_table($1::regclass, 'bucket', colocate_with => 'none', shard_count => $2)",
        [`public.${name}`, shards],
      ]
    : [
        "select create_distributed_table($1::regclass, 'bucket', colocate_with => $2)",
        [`public.${name}`, `public.${ANCHOR}`],
      ];
}

async function keepTriggers(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select tgname::text as name, pg_get_triggerdef(oid) as definition from pg_trigger
      where tgrelid = $1::regclass and not tgisinternal and tgparentid = 0`,
    [`public.${table}`],
  );
  for (const { name, definition } of rows) {
    await client.query("insert into shard_trigger (relation, name, definition) values ($1, $2, $3)", [
      table,
      name,
      definition,
    ]);
    await client.query(`drop trigger ${name} on public.${table}`);
  }
}

/** Lets Citus move the table while it is written: a logged one, whose rows can be named. */
async function logWrites(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query<{ unlogged: boolean; keyless: boolean }>(
    `select c.relpersistence = 'u' as unlogged,
        not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary) as keyless
      from pg_class c where c.oid = $1::regclass`,
    [`public.${table}`],
  );
  if (rows[0]?.unlogged === true) await client.query(`alter table public.${table} set logged`);
  if (rows[0]?.keyless === true) await client.query(`alter table public.${table} replica identity full`);
}

/** Replaces the policy of the messages, because Citus accepts no subquery in a policy of a distributed table. */
export async function replacePolicy(client: pg.Client): Promise<void> {
  await client.query(
    "alter policy tenant on inbox_message using (inbox_is_visible(token)) with check (inbox_is_visible(token))",
  );
}

/** Removes the rows that a distributed table left on the coordinator, which queries no longer read. */
export async function removeLeftovers(client: pg.Client, tables: readonly string[]): Promise<void> {
  for (const table of tables)
    await client.query("select truncate_local_data_after_distributing_table($1::regclass)", [`public.${table}`]);
}

/** Lets the machines reach each other as the service's roles. */
export async function allowRoles(client: pg.Client): Promise<void> {
  await client.query("alter role junction_service login");
  await client.query("alter role junction_tenant login");
  // Citus locks the tables that a foreign key names for every role that writes a table. Its policies show a tenant no person.
  await client.query("grant update on person to junction_tenant");
}

/**
 * Lets the role that changes a secret also write the count of changed secrets: Citus refuses two users on tables
 * that are everywhere in one transaction. Each machine would count a change of such a table, so that only the machine
 * counts it whose connection is not one of Citus itself.
 */
export async function countSecretsOnce(client: pg.Client): Promise<void> {
  await client.query(`create or replace function secret_changed() returns trigger language plpgsql as $$
    begin
      if current_setting('application_name') like 'citus_internal%' then return null; end if;
      insert into public.secret_version as v values (new.workspace_id, 1)
        on conflict (workspace_id) do update set version = v.version + 1;
      return null;
    end $$`);
  await client.query(`create or replace function connectors_changed() returns trigger language plpgsql as $$
    begin
      if current_setting('application_name') like 'citus_internal%' then return null; end if;
      perform pg_notify('connectors_changed', '');
      return null;
    end $$`);
  await client.query("grant select, insert, update on secret_version to junction_service, junction_tenant");
}

/** Copies the function that writes audit entries of other shards to every machine. */
export async function copyFunctions(client: pg.Client): Promise<void> {
  await client.query(
    "select create_distributed_function(p.oid::regprocedure) from pg_proc p where p.oid::regproc::text = 'audit_append'",
  );
}

/** Returns the number of connections of nodes and other commands. */
export async function runningNodes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and application_name like 'junction%' and application_name not in ('junction distribute', 'junction migrate')`,
  );
  return rows[0]?.n ?? 0;
}

export async function hasUnsealedInboxes(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("select from inbox where token_sealed is null limit 1");
  return rows.length > 0;
}
