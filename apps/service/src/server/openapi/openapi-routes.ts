import type { FastifyContextConfig, FastifySchema } from "fastify";
import { isNoBody } from "../../access/access.ts";
import type { App } from "../../accounts/accounts.ts";
import type { DocumentedOperation } from "../docs-site/docs.ts";
import * as parts from "./openapi-parts.ts";
import type { Schema } from "./openapi-schema.ts";

/** One method of a path of the contract, as its route declares it. */
export interface DocumentedRoute {
  /** In lower case. */
  readonly method: string;
  /** Such as `/v1/events/{id}`. */
  readonly path: string;
  readonly tag: string;
  readonly config: Partial<FastifyContextConfig>;
  readonly schema: RouteSchema;
}

interface RouteSchema extends FastifySchema {
  readonly operationId: string;
  readonly querystring?: Schema;
  readonly params?: Schema;
  readonly body?: Schema;
  readonly response?: Readonly<Record<string, Schema>>;
}

declare module "fastify" {
  interface FastifySchema {
    /** The name of the route's method in clients. */
    readonly operationId?: string;
    readonly summary?: string;
    readonly description?: string;
    /** The media types of the responses. Default: JSON. */
    readonly produces?: readonly string[];
    /** Keeps the route out of the contract. */
    readonly hide?: boolean;
  }
  interface FastifyInstance {
    contract: { readonly version: string; readonly routes: readonly DocumentedRoute[] };
  }
}

/** Collects each route that is mounted from now on for the contract (contract, section 9). */
export function collectRoutes(app: App, version: string): void {
  const routes: DocumentedRoute[] = [];
  app.decorate("contract", { version, routes });
  app.addHook("onRoute", ({ method, url, config = {}, schema = {} }) => {
    const { body, ...rest } = schema as RouteSchema;
    if (rest.hide === true) return;
    routes.push({
      method: String(method).toLowerCase(),
      path: url.replaceAll(/:(\w+)/g, "{$1}"),
      tag: config.checked?.name.split(".")[0] ?? areaOf(url),
      config,
      schema: body === undefined || isNoBody(body) ? rest : { ...rest, body },
    });
  });
}

/** Returns the operations of the contract, for the search of the documentation. */
export function documentedOperations(app: App): DocumentedOperation[] {
  return app.contract.routes.map(({ method, path, tag, schema: { operationId, summary = operationId } }) => {
    return { operationId, summary, tag, method, path };
  });
}

function areaOf(url: string): string {
  const [first = "", second = ""] = url.split("/").slice(1);
  const word = first === "v1" ? second : first;
  return word in parts.areas ? word : "service";
}
