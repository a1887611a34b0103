import { eventTypes } from "../../events/events.ts";
import { errorCatalogue, Problem } from "../../lib/lib.ts";
import type { App } from "../../accounts/accounts.ts";
import { operationObject } from "./openapi-operation.ts";
import type { SharedParts } from "./openapi-operation.ts";
import * as parts from "./openapi-parts.ts";
import { problemExamples } from "./openapi-problems.ts";
import { published } from "./openapi-schema.ts";
import type { Schema } from "./openapi-schema.ts";
import { webhookParameters, webhooks, webhookSchemas } from "./openapi-webhooks.ts";

const METHODS = ["get", "post", "put", "patch", "delete"];

/**
 * Returns the published document, OpenAPI 3.0.3. Paths, methods and components are sorted, so that each change of the
 * document is a change of the contract. `url` is where the API is: tools that import the document cannot use a relative one.
 */
export function openApiDocument({ contract: { version, routes } }: App, url = "/"): object {
  const shared: SharedParts = { schemas: new Map(Object.entries(webhookSchemas(eventTypes))), responses: new Map() };
  published(Problem as unknown as Schema, shared.schemas);
  const paths = sorted(Map.groupBy(routes, ({ path }) => path)).map(([path, ofPath]) => {
    const ordered = ofPath.toSorted((a, b) => METHODS.indexOf(a.method) - METHODS.indexOf(b.method));
    return [path, Object.fromEntries(ordered.map((one) => [one.method, operationObject(one, shared)]))] as const;
  });
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  const text = JSON.stringify([paths, [...shared.responses]]);
  return {
    openapi: "3.0.3",
    info: {
      title: "Junction",
      version,
      description: parts.DESCRIPTION,
      contact: { name: "Junction" },
      license: { name: "Proprietary", url: "https://example.com/license" },
    },
    servers: [{ url, description: "The installation that serves this document." }],
    tags: tags.map((name) => ({ name, description: parts.areas[name] })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: parts.securitySchemes,
      parameters: { ...parts.parameters, ...webhookParameters(eventTypes) },
      headers: usedOf("headers", parts.headers, text),
      schemas: Object.fromEntries(sorted(shared.schemas)),
      responses: Object.fromEntries(sorted(shared.responses)),
      examples: usedOf("examples", problemExamples(), text),
    },
    "x-webhooks": webhooks(eventTypes),
    "x-errors": errorCatalogue,
  };
}

/** Returns only components with references. */
function usedOf(kind: string, named: Readonly<Record<string, object>>, text: string): Record<string, object> {
  return Object.fromEntries(Object.entries(named).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)));
}

function sorted<Value>(entries: Iterable<readonly [string, Value]>): (readonly [string, Value])[] {
  return [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
