import { createService } from "../service.ts";
import { readConfig } from "../config/config.ts";
import { openApiDocument } from "../server/server.ts";
import { VERSION } from "../lib/lib.ts";

const NOWHERE = "postgres://127.0.0.1:1/none";
const NO_KEY = Buffer.alloc(32);

/** Returns the current text of openapi/openapi.json from the routes. Needs no database, because the service is not started. */
export async function contractText(): Promise<string> {
  const config = readConfig({
    JUNCTION_LOG_LEVEL: "silent",
    JUNCTION_MASTER_KEY: NO_KEY.toString("base64"),
    DATABASE_URL: NOWHERE,
  });
  const version = { version: VERSION, node: process.version, git_sha: null };
  const service = await createService({ config, databaseUrl: NOWHERE, masterKey: NO_KEY, version });
  try {
    return `${JSON.stringify(openApiDocument(service.http), null, 2)}\n`;
  } finally {
    await service.stop();
  }
}
