import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from "fastify";
import { t } from "../lib/lib.ts";
import type { ScannedJson } from "../lib/lib.ts";
import type { App } from "../accounts/accounts.ts";
import type { Operation } from "./operations.ts";

/** The part of JSON Schema by which arguments get their place in a request. */
export interface ObjectSchema {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly nullable?: boolean;
}

export interface OperationSchema {
  readonly summary?: string;
  readonly operationId?: string;
  readonly params?: ObjectSchema;
  readonly querystring?: ObjectSchema;
  readonly body?: ObjectSchema;
}

/** An operation that can be called by its name. */
export interface NamedOperation {
  readonly operation: Operation;
  readonly schema: OperationSchema;
}

/** A route of /v1 with its operation's name. */
export interface OperationEntry extends NamedOperation {
  readonly schema: OperationSchema & { readonly response?: Readonly<Record<number, ObjectSchema>> };
  readonly handler: RouteHandlerMethod;
}

export type OperationTable = ReadonlyMap<string, OperationEntry>;

declare module "fastify" {
  interface FastifyInstance {
    /** Every operation that is mounted, by its name. */
    operationTable: OperationTable;
  }
}

const NO_QUERY = t.Object({}, t.strict);
const NO_BODY = t.Nullable(t.Object({}, t.strict));

/** Collects each operation that is mounted from now on. An operation without a query or body refuses unknown ones. */
export function collectOperations(app: App): OperationTable {
  const table = new Map<string, OperationEntry>();
  app.decorate("operationTable", table);
  app.addHook("onRoute", (route) => {
    const mounted = route.config?.checked;
    if (mounted === undefined) return;
    if (table.has(mounted.name)) throw new Error(`two routes are called ${mounted.name}`);
    const schema = { querystring: NO_QUERY, ...(route.method === "GET" ? {} : { body: NO_BODY }), ...route.schema };
    route.schema = schema;
    table.set(mounted.name, { operation: mounted, schema: schema as OperationEntry["schema"], handler: route.handler });
  });
  return table;
}

/** Returns true if a schema stands for no body, which the documentation can leave out. */
export function isNoBody(schema: unknown): boolean {
  return schema === NO_BODY;
}

/** The parts of a request, as the operation's route under /v1 would have received them. */
export interface RequestParts {
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  /** Undefined if the operation gets none. */
  readonly body: unknown;
  /** The body with the exact source text of its parts. */
  readonly scanned: ScannedJson;
  /** Formats the response for the called surface. */
  readonly wrapBody: (body: string, status: number) => string;
}

/** Runs the operation's own handler on a request that passed the access checks for it. Throws the refusals of /v1. */
export async function runOperation(
  app: App,
  entry: OperationEntry,
  parts: RequestParts,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<unknown> {
  const { wrapBody } = parts;
  checkParts(request, entry, parts);
  request.scanned = parts.body === undefined ? null : parts.scanned;
  request.wrapBody = wrapBody;
  const { access } = request;
  if (access.ref !== undefined) access.ref = { ...access.ref, wrapBody };
  reply.serializer((payload: unknown) => {
    if (typeof payload === "string") return payload;
    const schema = entry.schema.response?.[reply.statusCode];
    if (schema === undefined || payload === null) return JSON.stringify(payload);
    return reply.compileSerializationSchema(schema, String(reply.statusCode))(payload as Record<string, unknown>);
  });
  return await entry.handler.call(app, request, reply);
}

/** Gives a request the parts of an operation's request. Throws for parts that its schemas refuse. */
export function checkParts(
  request: FastifyRequest,
  { schema }: OperationEntry,
  parts: Pick<RequestParts, "params" | "query" | "body">,
): void {
  request.params = checked(request, "params", schema.params, parts.params);
  request.query = checked(request, "querystring", schema.querystring, parts.query);
  request.body = checked(request, "body", schema.body, parts.body);
}

type Part = "params" | "querystring" | "body";

function checked(request: FastifyRequest, part: Part, schema: ObjectSchema | undefined, value: unknown): unknown {
  if (schema === undefined) return value;
  const result: unknown = request.compileValidationSchema(schema, part)(value ?? null);
  if (typeof result === "object" && result !== null && "error" in result && result.error instanceof Error)
    throw Object.assign(result.error, { validationContext: part });
  return value;
}
