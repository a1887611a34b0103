import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { migrate, startEmbedded } from "../db/db.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the test run's PostgreSQL listens; its database `template_junction` is migrated and empty. */
    databaseUrl: string;
  }
}

const quiet = {
  info: () => undefined,
  warn: () => undefined,
  error: (fields: object, message: string) => console.error(message, fields),
};

/** One real PostgreSQL for the whole run; each test file clones the template. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), "junction-test-"));
  const embedded = await startEmbedded({ dataDir, log: quiet });
  const client = new pg.Client({ connectionString: embedded.url });
  await client.connect();
  await client.query("create database template_junction");
  await client.end();
  const url = new URL(embedded.url);
  url.pathname = "/template_junction";
  await migrate(url.href, new URL("../db/migrations/", import.meta.url));
  project.provide("databaseUrl", embedded.url);
  return async () => {
    await embedded.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
