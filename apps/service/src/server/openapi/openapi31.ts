type Members = Readonly<Record<string, unknown>>;

/** Members whose values are data and not parts of the document. */
const DATA = new Set(["example", "examples", "default", "enum", "x-errors"]);

/**
 * Returns the document of OpenAPI 3.0.3 as OpenAPI 3.1: the same routes, with schemas in JSON Schema 2020-12, and with
 * `x-webhooks` as `webhooks`.
 */
export function openApi31(document: object): object {
  const { openapi: _version, "x-webhooks": webhooks, ...rest } = document as Members;
  return { openapi: "3.1.0", ...(up(rest) as object), webhooks: up(webhooks) };
}

function up(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(up);
  if (typeof part !== "object" || part === null) return part;
  const entries = Object.entries(part).map(([name, value]: [string, unknown]) => {
    if (name === "properties") return [name, named(value)] as const;
    return [name, DATA.has(name) ? value : up(value)] as const;
  });
  return withNull(Object.fromEntries(entries));
}

/** A property can have any name, such as `example`. */
function named(schemas: unknown): unknown {
  if (typeof schemas !== "object" || schemas === null) return schemas;
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]: [string, unknown]) => [name, up(schema)]));
}

function withNull({ nullable, ...schema }: Members): Members {
  if (typeof nullable !== "boolean") return nullable === undefined ? schema : { ...schema, nullable };
  if (!nullable) return schema;
  const { type } = schema;
  if (typeof type === "string") return { ...schema, type: [type, "null"] };
  return Object.keys(schema).length === 0 ? {} : { anyOf: [schema, { type: "null" }] };
}
