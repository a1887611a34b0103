import { addressOf } from "./address.ts";
import { connectedTo } from "./connection.store.ts";
import type { CitusNode } from "./state.store.ts";

/** The result of the checks of one machine, for `distribute`, `doctor` and the start. */
export interface MachineReport {
  readonly host: string;
  readonly port: number;
  readonly role: "coordinator" | "worker";
  readonly postgres: string | null;
  readonly citus: string | null;
  readonly max_connections: number | null;
  readonly reached: boolean;
  /** Reasons why the service cannot use the machine, each with the command that corrects it. */
  readonly faults: readonly string[];
  /** Settings that should be changed. */
  readonly warnings: readonly string[];
}

/** A process holds at most this many connections on a machine for each of its shards. */
const PER_SHARD = 13;
const LEAST_CONNECTIONS = 100;

export interface MachineChecks {
  /** True before `distribute`, which creates the roles that a machine lacks. */
  readonly createsRoles?: boolean;
}

/** Connects to each machine directly, as the service does, and checks it. Changes nothing. */
export async function checkMachines(
  databaseUrl: string,
  nodes: readonly CitusNode[],
  checks: MachineChecks = {},
): Promise<MachineReport[]> {
  return await Promise.all(nodes.map(async (node) => await checkMachine(databaseUrl, node, checks)));
}

/** Creates the roles on the workers that lack them: those of a database that is older than its Citus are not copied by Citus. */
export async function createRoles(databaseUrl: string, machines: readonly MachineReport[]): Promise<void> {
  for (const node of machines.filter(({ role }) => role === "worker"))
    await connectedTo(addressOf(databaseUrl, node), async (client) => {
      await client.query("set citus.enable_ddl_propagation to off");
      await client.query(CREATE_ROLES);
    });
}

/** In the form of the migration that creates them on the coordinator, and with the right to connect that `distribute` gives them there. */
const CREATE_ROLES = `do $$
  declare
    wanted text;
  begin
    foreach wanted in array array['junction_service', 'junction_tenant'] loop
      if not exists (select from pg_roles where rolname = wanted) then
        execute format('create role %I login', wanted);
      end if;
      if not pg_has_role(current_user, wanted, 'member') then
        execute format('grant %I to current_user', wanted);
      end if;
    end loop;
  end $$`;

async function checkMachine(databaseUrl: string, node: CitusNode, checks: MachineChecks): Promise<MachineReport> {
  const { host, port } = node;
  const base = { host, port, role: node.isCoordinator ? ("coordinator" as const) : ("worker" as const) };
  const url = node.isCoordinator ? databaseUrl : addressOf(databaseUrl, node);
  try {
    const { rows } = await connectedTo(
      url,
      async (client) =>
        await client.query<Settings>(
          `select current_setting('server_version') as postgres, (select extversion from pg_extension where extname = 'citus') as citus,
        current_setting('max_connections') as connections, current_setting('max_prepared_transactions') as prepared,
        current_setting('wal_level') as wal,
        array(select rolname::text from pg_roles where rolname in ('junction_service', 'junction_tenant')) as roles`,
        ),
    );
    const [found] = rows;
    if (found === undefined) throw new Error("no settings");
    return {
      ...base,
      postgres: found.postgres,
      citus: found.citus,
      max_connections: Number(found.connections),
      reached: true,
      ...judged(found, node, checks),
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message.replaceAll(/\s+/g, " ") : String(error);
    const faults = [
      `${host}:${port} cannot be reached from here (${reason}). The service connects to every machine under the address in \`pg_dist_node\`, with the user, password and database of DATABASE_URL.`,
    ];
    return { ...base, postgres: null, citus: null, max_connections: null, reached: false, faults, warnings: [] };
  }
}

interface Settings {
  readonly postgres: string;
  readonly citus: string | null;
  readonly connections: string;
  readonly prepared: string;
  readonly wal: string;
  readonly roles: readonly string[];
}

function judged(
  { citus, connections, prepared, wal, roles }: Settings,
  { host, port, isActive }: CitusNode,
  { createsRoles = false }: MachineChecks,
): Pick<MachineReport, "faults" | "warnings"> {
  const place = `${host}:${port}`;
  const faults: string[] = [];
  const warnings: string[] = [];
  if (citus === null)
    faults.push(`${place} has no extension citus in this database. Run \`create extension citus\` there.`);
  if (!isActive)
    faults.push(`${place} is not active. Run \`select citus_activate_node('${host}', ${port})\` on the coordinator.`);
  if (roles.length < 2) {
    const lacks = `${place} lacks the roles junction_service and junction_tenant`;
    if (createsRoles) warnings.push(`${lacks}. \`junction distribute\` creates them.`);
    else faults.push(`${lacks}. Stop all nodes of the service, and run \`junction distribute\`, which creates them.`);
  }
  if (Number(prepared) === 0)
    faults.push(
      `${place} has max_prepared_transactions = 0. Set it to max_connections, because Citus commits on several machines in two phases.`,
    );
  if (Number(connections) < LEAST_CONNECTIONS)
    warnings.push(
      `${place} has max_connections = ${connections}; a process may hold ${PER_SHARD} connections for each shard.`,
    );
  if (wal !== "logical")
    warnings.push(`${place} has wal_level = ${wal}. Set it to logical; otherwise writes wait while a shard is moved.`);
  return { faults, warnings };
}
