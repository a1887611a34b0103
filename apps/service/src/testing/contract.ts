import type { RouteOptions } from "fastify";
import { createService } from "../service.ts";
import type { Service } from "../service.ts";
import { defineModule } from "../composition/module.ts";
import type { Module } from "../composition/module.ts";
import { readConfig } from "../config/config.ts";
import { openApiDocument } from "../server/server.ts";
import { VERSION } from "../lib/lib.ts";

const NOWHERE = "postgres://127.0.0.1:1/none";
const NO_KEY = Buffer.alloc(32);

/** Creates a service that is not started, and so needs no database. The caller stops it. */
async function detachedService(modules: readonly Module[] = []): Promise<Service> {
  const config = readConfig({
    JUNCTION_LOG_LEVEL: "silent",
    JUNCTION_MASTER_KEY: NO_KEY.toString("base64"),
    DATABASE_URL: NOWHERE,
  });
  const version = { version: VERSION, node: process.version, git_sha: null };
  return await createService({ config, databaseUrl: NOWHERE, masterKey: NO_KEY, version, modules });
}

/** Returns the current text of openapi/openapi.json from the routes. */
export async function contractText(): Promise<string> {
  const service = await detachedService();
  try {
    return `${JSON.stringify(openApiDocument(service.http), null, 2)}\n`;
  } finally {
    await service.stop();
  }
}

/** Returns all routes of the service, as they are declared. */
export async function routesOfService(): Promise<RouteOptions[]> {
  const routes: RouteOptions[] = [];
  const listening = defineModule({
    name: "test",
    needs: {},
    create: () => undefined,
    provides: () => ({ routes: [(app) => void app.addHook("onRoute", (route) => void routes.push(route))] }),
  });
  const service = await detachedService([listening]);
  await service.stop();
  return routes;
}
