import pg from "pg";
import { checkMachines, readCitusState, readLayout } from "../../platform/db/db.ts";
import type { CitusState, Layout, MachineReport, Query } from "../../platform/db/db.ts";
import { SELF_TEST_TAG, systemClock } from "../../lib/lib.ts";

export interface ServerFacts {
  readonly version: string;
  readonly answerMs: number;
  /** The lead of its clock over ours, as precisely as the round-trip time allows. */
  readonly skewMs: number;
}

const CONNECT_MS = 5000;

/** Returns the version, response time and clock of a server. Throws if it cannot connect. */
export async function clockAndVersionOf(url: string): Promise<ServerFacts> {
  return await connected(url, async (client) => {
    const startedMs = systemClock.monotonicMs();
    const { rows } = await client.query<{ ms: number; version: string }>(
      "select extract(epoch from clock_timestamp())::float8 * 1000 as ms, current_setting('server_version') as version",
    );
    const answerMs = systemClock.monotonicMs() - startedMs;
    const [{ ms, version } = { ms: 0, version: "" }] = rows;
    return { version, answerMs, skewMs: ms + answerMs / 2 - systemClock.now() };
  });
}

/** The state of a Citus database. */
export interface CitusFacts {
  readonly state: CitusState;
  readonly machines: readonly MachineReport[];
  /** Undefined if the tables are not distributed. */
  readonly layout: Layout | undefined;
}

/** Connects to the coordinator and to each machine. Returns undefined for a database without Citus. */
export async function citusFactsOf(url: string): Promise<CitusFacts | undefined> {
  return await connected(url, async (client) => {
    const state = await readCitusState(client);
    if (state === undefined) return undefined;
    const machines = await checkMachines(url, state.nodes ?? []);
    return { state, machines, layout: await readLayout(client) };
  });
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "junction doctor",
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const MOST = 5;

/** Returns the hosts of active https endpoints, those of the newest endpoints first. */
export async function targetHosts(query: Query): Promise<string[]> {
  const rows = await query
    .selectFrom("endpoint")
    .select("url")
    .where("active", "=", true)
    .where("tag", "!=", SELF_TEST_TAG)
    .orderBy("id", "desc")
    .limit(100)
    .execute();
  const hosts = rows.flatMap(({ url }) => {
    const { protocol, hostname, port } = URL.parse(url) ?? { protocol: "", hostname: "", port: "" };
    return protocol === "https:" ? [`${hostname}:${port === "" ? "443" : port}`] : [];
  });
  return [...new Set(hosts)].slice(0, MOST);
}
