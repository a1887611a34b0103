import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startEmbedded } from "../platform/db/db.ts";
import { provideTemplate, SETTINGS } from "./template.ts";

const quiet = {
  info: () => undefined,
  warn: () => undefined,
  error: (fields: object, message: string) => console.error(message, fields),
};

/** Starts one real, embedded PostgreSQL for the whole run. Each test file clones the template database. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), "junction-test-"));
  const embedded = await startEmbedded({ dataDir, log: quiet, settings: SETTINGS });
  await provideTemplate(project, embedded.url);
  return async () => {
    await embedded.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
