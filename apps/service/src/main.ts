import { ConfigError, readConfig } from "./config.ts";
import { EmbeddedError } from "./db/db.ts";
import { run } from "./run.ts";

/** Faults of the configuration (sysexits.h). */
const EX_CONFIG = 78;

try {
  await run(readConfig());
} catch (error) {
  const told = error instanceof ConfigError || error instanceof EmbeddedError;
  process.stderr.write(`${told ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(error instanceof ConfigError ? EX_CONFIG : 1);
}
