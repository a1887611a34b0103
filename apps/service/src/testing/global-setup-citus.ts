import type { TestProject } from "vitest/node";
import { distribute, migrate } from "../platform/db/db.ts";
import { createCluster, endCitusProcesses, findCitus, startCitus } from "./citus.ts";
import { MIGRATIONS_FOLDER } from "./template.ts";

/** Starts a coordinator and two workers for the whole run. The template database is distributed. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const binaries = findCitus();
  if (binaries === undefined) throw new Error("the PostgreSQL with Citus was there when vitest.config.ts looked");
  const servers = await startCitus(binaries);
  const url = await createCluster(servers, "template_junction");
  await migrate(url, MIGRATIONS_FOLDER, { distributing: true });
  await distribute(url, { tell: () => undefined });
  const machines = [servers.coordinator, ...servers.workers].map((server) => server.url);
  for (const machine of machines) await endCitusProcesses(machine, "template_junction");
  project.provide("databaseUrl", servers.coordinator.url);
  project.provide("machines", machines);
  return servers.stop;
}
