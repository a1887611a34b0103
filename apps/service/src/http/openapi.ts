import swagger from "@fastify/swagger";
import type { Operation } from "../gate/gate.ts";
import type { App } from "../workspaces/workspaces.ts";
import { Problem } from "../kernel/kernel.ts";
import { isNoBody } from "./general.routes.ts";
import { refusalsOf } from "./refusals.ts";
import type { RouteShape } from "./refusals.ts";

export interface OpenApiDeps {
  readonly version: string;
}

const SESSION =
  "A console session, from POST /v1/auth/sign-in (over plain http the cookie is named junction_session). Requests other than GET send the sign-in's csrf_token as X-CSRF-Token; X-Service-Workspace and X-Service-Environment choose where they go.";

/** Collects every route into one OpenAPI 3.0.3 document. */
export async function registerOpenApi(app: App, deps: OpenApiDeps): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.0.3",
      info: {
        title: "Junction",
        version: deps.version,
        description: "Events in, signed webhooks out, on PostgreSQL alone. Errors are RFC 9457 problem documents.",
      },
      servers: [{ url: "/" }],
      components: {
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer", description: "A scoped API key." },
          session: {
            type: "apiKey",
            in: "cookie",
            name: "__Host-junction_session",
            description: SESSION,
          },
        },
        schemas: { Problem: JSON.parse(JSON.stringify({ ...Problem, $id: undefined })) as object },
      },
    },
    hideUntagged: false,
    transform: ({ schema, url, route }) => {
      const gated = route.config?.gated;
      const operation = gated?.name;
      const { response, body, ...rest } = (schema ?? {}) as { response?: Record<string, unknown>; body?: unknown };
      const tag = operation?.slice(0, operation.indexOf(".")) ?? "service";
      return {
        url,
        schema: {
          ...rest,
          ...(body === undefined || isNoBody(body) ? {} : { body }),
          tags: [tag],
          ...rightsFor(gated),
          response: { ...problems(shapeOf({ ...rest, body }, route)), ...response },
        },
      };
    },
  });
}

/** The document as it is published: sorted where order says nothing, so that a change of it is a change of the contract. */
export function openApiDocument(app: App): object {
  return ordered(down(app.swagger()) as Document);
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const METHODS = ["get", "post", "put", "patch", "delete"];

/** Paths by name and methods in the usual order, whatever the order in which modules are mounted. */
function ordered(document: Document): object {
  const paths = Object.entries(document.paths).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...document,
    paths: Object.fromEntries(
      paths.map(([path, operations]) => [
        path,
        Object.fromEntries(
          METHODS.flatMap((method) => (method in operations ? [[method, operations[method]] as const] : [])),
        ),
      ]),
    ),
  };
}

/** What a caller needs, beside being who they are: the console and the docs show it. */
function rightsFor(gated: Operation | undefined): object {
  if (gated === undefined) return {};
  const { name, access, roles, limit, scoped } = gated;
  return {
    security: [{ bearer: [] }, { session: [] }],
    "x-operation": name,
    "x-access": access,
    "x-roles": roles,
    "x-rate-limit": limit,
    ...(scoped ? { "x-scope": `${name.slice(0, name.indexOf("."))}:${access}` } : {}),
  };
}

interface Mounted {
  readonly method: string | readonly string[];
  readonly config?: {
    gated?: Operation;
    switchboard?: object;
    rawBody?: boolean;
    refusals?: readonly number[];
  };
}

function shapeOf(schema: RouteShape["schema"], { method, config = {} }: Mounted): RouteShape {
  return {
    method: typeof method === "string" ? method : (method[0] ?? ""),
    access: config.switchboard === undefined ? config.gated?.access : "write",
    rawBody: config.rawBody === true,
    schema,
    more: config.refusals ?? [],
  };
}

function problems(route: RouteShape): Record<string, object> {
  const content = {
    "application/problem+json": { schema: { type: "object", additionalProperties: true, "x-problem": true } },
  };
  return Object.fromEntries([...refusalsOf(route)].map(([status, description]) => [status, { description, content }]));
}

/** What 3.0.3 lacks is written its way: one-value unions as enums, examples as one example, problems by reference. */
function down(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(down);
  if (typeof value !== "object" || value === null) return value;
  if ("x-problem" in value) return { $ref: "#/components/schemas/Problem" };
  const entries = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    if (name === "const") return [["enum", [inner]]];
    if (name === "examples" && Array.isArray(inner)) return [["example", inner[0]]];
    if (name === "requestBody") return [[name, down(withRequired(inner as RequestBody))]];
    return [[name, down(inner)]];
  });
  return Object.fromEntries(entries);
}

interface RequestBody {
  readonly content: Readonly<Record<string, { readonly schema?: { readonly nullable?: boolean } }>>;
}

/** A body that may be null may be left out. */
function withRequired(body: RequestBody): object {
  return { ...body, required: Object.values(body.content).every(({ schema }) => schema?.nullable !== true) };
}
