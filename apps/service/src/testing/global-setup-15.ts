import type { TestProject } from "vitest/node";
import { startPostgres15 } from "./postgres-15.ts";
import { findPostgres15 } from "./store-tests.ts";
import { provideTemplate } from "./template.ts";

/** Starts the oldest supported PostgreSQL for the whole run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const binaries = findPostgres15();
  if (binaries === undefined) throw new Error("PostgreSQL 15 was there when vitest.config.ts looked");
  const server = await startPostgres15(binaries);
  await provideTemplate(project, server.url);
  return server.stop;
}
