/**
 * Writes the types of the migrated database: apps/service/src/platform/db/tables.generated.ts. Starts a PostgreSQL of its own in a temporary folder.
 * A test compares the file with what this makes.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate, startEmbedded } from "../apps/service/src/platform/db/db.ts";
import { tableTypes } from "../apps/service/src/testing/table-types.ts";

const source = new URL("../apps/service/src/platform/db/", import.meta.url);
const quiet = { info: () => undefined, warn: () => undefined, error: console.error };
const dataDir = await mkdtemp(join(tmpdir(), "junction-tables-"));
const embedded = await startEmbedded({ dataDir, log: quiet });
try {
  await migrate(embedded.url, new URL("migrations/", source));
  await writeFile(new URL("tables.generated.ts", source), await tableTypes(embedded.url));
} finally {
  await embedded.stop();
  await rm(dataDir, { recursive: true, force: true });
}
