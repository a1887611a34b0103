import type { Parsed, TestService } from "./test-service.ts";

/** One operation of the service's own OpenAPI document. */
export interface Documented {
  /** Such as `POST /v1/events/{id}/refire`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** True if the access checks apply to the operation. */
  readonly gated: boolean;
  /** The declared statuses. */
  readonly statuses: readonly number[];
  /** The names of the query's parameters. */
  readonly query: readonly string[];
  /** The schemas of the query's parameters and of the body's members. */
  readonly members: Readonly<Record<string, Parsed>>;
  /** The schema of the body. Undefined if the operation takes none. */
  readonly body: Parsed;
  /** Returns the schema of the JSON response with this status. Undefined if there is none. */
  answer(status: number): Parsed;
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly description?: string;
  readonly schema: Parsed;
}

/** Returns every operation of `GET /openapi.json`. */
export async function documentedOperations(service: TestService): Promise<Documented[]> {
  const { body: document } = await service.api("GET", "/openapi.json", undefined, { key: null });
  const body = { paths: inline(document, document.paths) };
  return Object.entries<Record<string, Parsed>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      gated: operation["x-operation"] !== undefined,
      statuses: Object.keys(operation.responses).map(Number),
      query: ((operation.parameters ?? []) as Parameter[]).flatMap((one) => (one.in === "query" ? [one.name] : [])),
      members: membersOf(operation),
      body: operation.requestBody?.content["application/json"]?.schema,
      answer: (status: number) => operation.responses[status]?.content?.["application/json"]?.schema,
    })),
  );
}

function membersOf({ parameters = [], requestBody }: Parsed): Record<string, Parsed> {
  const inQuery = (parameters as Parameter[]).filter((one) => one.in === "query");
  const described = inQuery.map(({ name, description, schema }) => [name, { description, ...schema }] as const);
  return { ...Object.fromEntries(described), ...requestBody?.content["application/json"]?.schema?.properties };
}

/** Replaces references to schemas with the schemas. */
function inline(document: Parsed, part: Parsed): Parsed {
  if (Array.isArray(part)) return part.map((one) => inline(document, one));
  if (typeof part !== "object" || part === null) return part;
  const schema = /^#\/components\/schemas\/(.+)$/.exec(String(part.$ref))?.[1];
  if (schema !== undefined) return inline(document, document.components.schemas[schema]);
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, inline(document, value)]));
}

/** Returns the smallest value that a schema of the document accepts, as far as the schema defines it. */
export function smallest(schema: Parsed): unknown {
  if (schema === undefined) return undefined;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.type === "object") return smallestObject(schema);
  if (schema.type === "array") return Array.from({ length: schema.minItems ?? 0 }, () => smallest(schema.items));
  if (schema.type === "string") return smallestText(schema);
  return schema.type === "boolean" ? false : (schema.minimum ?? 0);
}

function smallestObject({ required = [], properties = {}, minProperties = 0 }: Parsed): object {
  const names = new Set<string>([...required, ...Object.keys(properties).slice(0, minProperties)]);
  return Object.fromEntries([...names].map((name) => [name, smallest(properties[name])]));
}

function smallestText({ example, format, pattern = "", minLength = 0 }: Parsed): string {
  if (example !== undefined) return example;
  if (format === "date-time") return "2026-01-01T00:00:00.000Z";
  if (pattern.includes("@")) return "a@example.com";
  return "x".repeat(minLength);
}
