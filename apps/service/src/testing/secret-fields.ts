import type { Parsed } from "./test-service.ts";

/** One field in the body of a write operation in the published contract. */
export interface BodyField {
  /** Such as `keys.create`. For a public operation, its `operationId`. */
  readonly operation: string;
  readonly method: string;
  /** Such as `/v1/keys`. */
  readonly route: string;
  /** The steps to the field: `settings`, `steps`, `0`, `headers`, `*`. `0` is the first element of an array, and `*` a member with any name. */
  readonly path: readonly string[];
  /** True if the contract marks it as a secret. */
  readonly secret: boolean;
  /** True if it accepts members with any name, or any value, so that the contract does not define its content. */
  readonly open: boolean;
  readonly schema: Parsed;
}

/** Matches names of fields with secrets. */
const NAME = /secret|token|passw|passphrase|credential|authorization|header|api_?key|private|(?:^|_)(?:code|key|pin)$/i;

/** Returns every string, and every value of any form, that a caller can send in a JSON body. */
export function bodyFields(document: Parsed): BodyField[] {
  const methods = Object.entries<Record<string, Parsed>>(document.paths).flatMap(([route, of]) =>
    Object.entries<Parsed>(of).map(([method, operation]) => ({ route, method, operation })),
  );
  return methods.flatMap(({ route, method, operation }) => {
    const schema = operation.requestBody?.content["application/json"]?.schema;
    if (schema === undefined || method === "get") return [];
    const of = { operation: operation["x-operation"] ?? operation.operationId, method: method.toUpperCase(), route };
    return fieldsIn(document, { schema, path: [], within: [] }).map((field) => ({ ...of, ...field }));
  });
}

type Found = Pick<BodyField, "path" | "secret" | "open" | "schema">;

interface Look {
  readonly schema: Parsed;
  readonly path: readonly string[];
  /** The names of the enclosing schemas. A recursive schema is entered only once. */
  readonly within: readonly string[];
}

function fieldsIn(document: Parsed, { schema, path, within }: Look): Found[] {
  const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema.$ref))?.[1];
  if (name !== undefined) {
    if (within.includes(name)) return [];
    return fieldsIn(document, { schema: document.components.schemas[name], path, within: [...within, name] });
  }
  const nested = ["anyOf", "oneOf", "allOf"].flatMap((of) =>
    (schema[of] ?? []).flatMap((one: Parsed) => fieldsIn(document, { schema: one, path, within })),
  );
  const members = Object.entries<Parsed>(schema.properties ?? {}).flatMap(([member, of]) =>
    fieldsIn(document, { schema: of, path: [...path, member], within }),
  );
  const named = { map: schema.additionalProperties, item: schema.items };
  const others = [
    ...(typeof named.map === "object" ? fieldsIn(document, { schema: named.map, path: [...path, "*"], within }) : []),
    ...(named.item === undefined ? [] : fieldsIn(document, { schema: named.item, path: [...path, "0"], within })),
  ];
  const open = isOpen(schema);
  const isText = schema.type === "string" && schema.enum === undefined;
  const own = isText || open ? [{ path, secret: schema["x-secret"] === true, open, schema }] : [];
  return [...own, ...nested, ...members, ...others];
}

function isOpen(schema: Parsed): boolean {
  if (["anyOf", "oneOf", "allOf", "enum"].some((of) => schema[of] !== undefined)) return false;
  if (schema.type === undefined) return schema.properties === undefined;
  if (schema.type !== "object") return false;
  return schema.additionalProperties === true || (!("additionalProperties" in schema) && !("properties" in schema));
}

/** Returns a name such as `webhook_endpoints.create headers.*`. */
export function fieldName({ operation, path }: Pick<BodyField, "operation" | "path">): string {
  return `${operation} ${path.join(".")}`.trim();
}

/** Returns whether the name of the field, or of the map around it, is one of a secret. */
export function isNamedAsSecret({ path }: Pick<BodyField, "path">): boolean {
  const names = path.filter((step) => step !== "0" && step !== "*");
  return NAME.test(names.at(-1) ?? "");
}
