import swagger from "@fastify/swagger";
import { eventTypes } from "../../events/events.ts";
import { errorCatalogue, Problem } from "../../lib/lib.ts";
import type { App } from "../../accounts/accounts.ts";
import type { DocumentedOperation } from "../docs-site/docs.ts";
import { isNoBody } from "./general.routes.ts";
import { exampleOf } from "./openapi-example.ts";
import { factsOf } from "./openapi-facts.ts";
import type { RouteFacts } from "./openapi-facts.ts";
import * as parts from "./openapi-parts.ts";
import { problemExamples, problemResponses } from "./openapi-problems.ts";
import type { AnswerPart, ProblemRef } from "./openapi-problems.ts";
import { downSchema, hoist } from "./openapi-schema.ts";
import type { Schema } from "./openapi-schema.ts";
import { deliveryCallback, webhookParameters, webhooks, webhookSchemas } from "./openapi-webhooks.ts";

export interface OpenApiDeps {
  readonly version: string;
}

/** The document from the routes' collector. */
interface RawDocument {
  readonly openapi: string;
  readonly info: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
}

/** An operation from the routes' collector. */
interface RawOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly RawParameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
  readonly responses?: Readonly<Record<string, RawResponse>>;
  readonly "x-facts": RouteFacts;
}

interface RawParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface RawResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface RoutePlace {
  readonly path: string;
  readonly method: string;
}

/** The parts that operations share, collected while they are written. */
interface Shared {
  readonly schemas: Map<string, Schema>;
  readonly responses: Map<string, AnswerPart>;
}

const METHODS = ["get", "post", "put", "patch", "delete"];
const MAKES_ENDPOINT = "webhook_endpoints.create";
const ANY_BODY = {
  required: false,
  content: { "*/*": { schema: { type: "string", format: "binary" }, example: "anything" } },
};
const SUCCESS: Readonly<Record<string, string>> = {
  default: "The configured response.",
  200: "Success.",
  201: "Created.",
  202: "Accepted: the request is committed and continues in the background.",
  204: "Success, without a body.",
};

/** Collects every route for the contract (contract, section 9). */
export async function registerOpenApi(app: App, deps: OpenApiDeps): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.0.3",
      info: { title: "Junction", version: deps.version, description: parts.DESCRIPTION },
    },
    hideUntagged: false,
    transform: ({ schema, url, route }) => {
      const facts = factsOf(route.config);
      const area = facts.operation?.slice(0, facts.operation.indexOf(".")) ?? areaOf(url);
      const { body, ...rest } = (schema ?? {}) as { readonly body?: unknown };
      const shown = body === undefined || isNoBody(body) ? {} : { body };
      return { url, schema: { tags: [area], ...rest, ...shown, "x-facts": facts } };
    },
  });
}

/**
 * Returns the published document, OpenAPI 3.0.3. Paths, methods and components are sorted, so that each change of the
 * document is a change of the contract. `url` is where the API is: tools that import the document cannot use a relative one.
 */
export function openApiDocument(app: App, url = "/"): object {
  const { openapi, info, paths } = rawDocument(app);
  const shared: Shared = { schemas: new Map(), responses: new Map() };
  hoist(downSchema(Problem as unknown as Schema), shared.schemas);
  for (const [name, schema] of Object.entries(webhookSchemas(eventTypes))) shared.schemas.set(name, schema);
  const written = sorted(Object.entries(paths)).map(([path, item]) => [path, pathItem(path, item, shared)] as const);
  const used = new Set(Object.values(paths).flatMap((item) => Object.values(item).flatMap(({ tags }) => tags)));
  const text = JSON.stringify([written, [...shared.responses]]);
  return {
    openapi,
    info: {
      ...info,
      contact: { name: "Junction" },
      license: { name: "Proprietary", url: "https://example.com/license" },
    },
    servers: [{ url, description: "The installation that serves this document." }],
    tags: [...used].map((name) => ({ name, description: parts.areas[name] })),
    paths: Object.fromEntries(written),
    components: {
      securitySchemes: parts.securitySchemes,
      parameters: { ...parts.parameters, ...webhookParameters(eventTypes) },
      headers: usedOf("headers", parts.headers, text),
      schemas: Object.fromEntries(sorted([...shared.schemas])),
      // Responses with two forms are written out in their operations.
      responses: usedOf("responses", Object.fromEntries(sorted([...shared.responses])), text),
      examples: usedOf("examples", problemExamples(), text),
    },
    "x-webhooks": webhooks(eventTypes),
    "x-errors": errorCatalogue,
  };
}

/** Returns the operations of the document, for the search of the documentation. */
export function documentedOperations(app: App): DocumentedOperation[] {
  return Object.entries(rawDocument(app).paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const raw = item[method];
      if (raw === undefined) return [];
      const { operationId, summary = operationId, tags } = raw;
      return [{ operationId, summary, tag: tags[0] ?? "", method, path }];
    }),
  );
}

function rawDocument(app: App): RawDocument {
  return app.swagger() as unknown as RawDocument;
}

function areaOf(url: string): string {
  const [first = "", second = ""] = url.split("/").slice(1);
  const word = first === "v1" ? second : first;
  return word in parts.areas ? word : "service";
}

function pathItem(path: string, item: Readonly<Record<string, RawOperation>>, shared: Shared): object {
  return Object.fromEntries(
    METHODS.flatMap((method) => {
      const raw = item[method];
      return raw === undefined ? [] : [[method, operation({ path, method }, raw, shared)] as const];
    }),
  );
}

function operation({ path, method }: RoutePlace, raw: RawOperation, shared: Shared): object {
  const facts = raw["x-facts"];
  const query = (raw.parameters ?? []).filter((one) => one.in === "query").map((one) => one.name);
  const shape = { facts, method, path, query, body: raw.requestBody !== undefined };
  return {
    operationId: raw.operationId,
    summary: raw.summary,
    description: raw.description,
    tags: raw.tags,
    ...(facts.deprecated === null ? {} : { deprecated: true, "x-deprecation": facts.deprecated }),
    security: securityOf(facts),
    ...facts.rights,
    parameters: [
      ...(raw.parameters ?? []).map(parameter),
      { $ref: "#/components/parameters/ServiceVersion" },
      ...(facts.writes ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
    ],
    ...(facts.takesBytes ? { requestBody: ANY_BODY } : {}),
    ...(raw.requestBody === undefined ? {} : { requestBody: requestBody(raw.requestBody, shared) }),
    responses: merged(successes(raw, facts, shared), problemResponses(shape, shared), shared),
    ...(facts.operation === MAKES_ENDPOINT ? { callbacks: deliveryCallback(eventTypes) } : {}),
  };
}

/** Returns the credentials of an operation. The General API's switchboard has operations that need no key. */
function securityOf({ operation: name, switchboard, keysOnly }: RouteFacts): readonly object[] {
  if (keysOnly) return parts.SECURITY.filter((one) => !("session" in one));
  if (switchboard) return [...parts.SECURITY, {}];
  return name === null ? [] : parts.SECURITY;
}

function parameter({ name, in: place, required, description, schema, example }: RawParameter): object {
  const plain = downSchema(schema);
  const { example: inner, ...rest } = plain;
  return {
    name,
    in: place,
    description,
    required: required === true,
    schema: rest,
    example: example ?? inner ?? exampleOf(plain),
  };
}

function requestBody(body: NonNullable<RawOperation["requestBody"]>, shared: Shared): object {
  const [schema] = Object.values(body.content).map((one) => one.schema);
  const plain = downSchema(schema ?? {});
  // A body that may be null may be omitted as well.
  return { required: plain["nullable"] !== true, content: { "application/json": media(plain, shared) } };
}

function media(plain: Schema, shared: Shared): object {
  return { schema: hoist(plain, shared.schemas), example: exampleOf(plain) };
}

function successes(raw: RawOperation, facts: RouteFacts, shared: Shared): Record<string, AnswerPart> {
  const declared = Object.entries(raw.responses ?? {});
  return Object.fromEntries(
    declared.map(([status, { description, content }]) => [
      status,
      {
        description: description === "Default Response" ? (SUCCESS[status] ?? "Success.") : description,
        headers: {
          ...parts.answerHeaders,
          ...(facts.writes ? parts.writeHeaders : {}),
          ...(facts.deprecated === null ? {} : parts.deprecationHeaders),
        },
        ...(content === undefined
          ? {}
          : {
              content: Object.fromEntries(
                Object.entries(content).map(([type, { schema }]) => [type, media(downSchema(schema), shared)]),
              ),
            }),
      },
    ]),
  );
}

/**
 * Merges the responses of an operation. A status that the route uses itself can be a problem as well: then both forms
 * are documented.
 */
function merged(
  own: Readonly<Record<string, AnswerPart>>,
  problems: Readonly<Record<string, ProblemRef>>,
  shared: Shared,
): Record<string, object> {
  const both = Object.entries(own).flatMap(([status, answer]) => {
    const problem = shared.responses.get(problems[status]?.name ?? "");
    if (problem === undefined) return [];
    return [
      [status, { ...answer, headers: problem.headers, content: { ...answer.content, ...problem.content } }] as const,
    ];
  });
  const refs = Object.entries(problems).map(([status, { $ref }]) => [status, { $ref }] as const);
  return { ...own, ...Object.fromEntries(refs), ...Object.fromEntries(both) };
}

/** Returns only components with references. */
function usedOf(kind: string, named: Readonly<Record<string, object>>, text: string): Record<string, object> {
  return Object.fromEntries(Object.entries(named).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)));
}

function sorted<Value>(entries: readonly (readonly [string, Value])[]): (readonly [string, Value])[] {
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
}
