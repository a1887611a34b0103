import pg from "pg";
import type { TestProject } from "vitest/node";
import { migrate } from "../platform/db/db.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the test run's PostgreSQL listens; its database `template_junction` is migrated and empty. */
    databaseUrl: string;
  }
}

/**
 * Of the servers that the tests share. Several services of several test files use one at once; each may open 24 connections. What is
 * in them nobody needs when the machine itself fails: a commit that waits for the disk is most of what a test would wait for.
 */
export const SETTINGS = { max_connections: "450", fsync: "off" } as const;

/** Makes the migrated database that each test file clones, and tells the tests where it is. */
export async function provideTemplate(project: TestProject, serverUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query("create database template_junction");
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = "/template_junction";
  await migrate(url.href, new URL("../platform/db/migrations/", import.meta.url));
  project.provide("databaseUrl", serverUrl);
}
