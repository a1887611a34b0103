import pg from "pg";
import type { TestProject } from "vitest/node";
import { migrate } from "../platform/db/db.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of the test run's PostgreSQL. Its database `template_junction` is migrated and empty. */
    databaseUrl: string;
    /** The servers of a database of several machines, the coordinator first. Undefined for a plain PostgreSQL. */
    machines: readonly string[] | undefined;
  }
}

/**
 * Settings of the shared test servers. Several services of several test files use one server at once, and each may open 24 connections.
 * No test needs its data after a crash of the machine, and waiting for the disk at each commit would take most of the time.
 */
export const SETTINGS = { max_connections: "450", fsync: "off", full_page_writes: "off" } as const;

export const MIGRATIONS_FOLDER = new URL("../platform/db/migrations/", import.meta.url);

/** Creates the migrated database that each test file clones, and provides its server's URL to the tests. */
export async function provideTemplate(project: TestProject, serverUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query("create database template_junction");
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = "/template_junction";
  await migrate(url.href, MIGRATIONS_FOLDER);
  project.provide("databaseUrl", serverUrl);
}
