import { Ajv } from "ajv";
import fastJsonStringify from "fast-json-stringify";
import type { Schema } from "fast-json-stringify";
import type { FastifySchemaCompiler, FastifySerializerCompiler } from "fastify";
import { isReadable, once, parseRfc3339 } from "../../lib/lib.ts";

/** Compiles the schemas of routes: of what requests send, and of what responses return. */
export interface SchemaCompilers {
  readonly validators: FastifySchemaCompiler<object>;
  readonly serializers: FastifySerializerCompiler<unknown>;
}

/** The faults that a refusal lists. A body can have as many as it has bytes, and anybody can send it. */
const MOST_FAULTS = 100;
/** The fault of an unknown member of the body or the query itself, whose known members the refusal names. */
const UNKNOWN_MEMBER = "#/additionalProperties";

/**
 * Checks bodies as they are: nothing is coerced, removed or filled in, and all faults are reported together. Queries
 * are text, so that their numbers are parsed.
 */
export function createSchemaCompilers(): SchemaCompilers {
  const options = {
    removeAdditional: false,
    useDefaults: false,
    allErrors: true,
    strict: false,
    code: { optimize: false },
  } as const;
  const body = extended(new Ajv({ ...options, coerceTypes: false }));
  const query = extended(new Ajv({ ...options, coerceTypes: true }));
  return {
    validators({ schema, httpPart }) {
      const validate = (httpPart === "body" ? body : query).compile(withText(schema) as object);
      return (value: unknown) => {
        if (validate(value)) return { value };
        const error: Error & { validation?: unknown } = new Error("validation");
        error.validation = (validate.errors ?? [])
          .slice(0, MOST_FAULTS)
          .map((fault) => (fault.schemaPath === UNKNOWN_MEMBER ? { ...fault, parentSchema: schema } : fault));
        return { error };
      };
    },
    serializers: ({ schema }) => fastJsonStringify(withOpenObjects(schema) as Schema),
  };
}

/** The pause between two schemas that are compiled before a request needs them. */
const WARM_UP_MS = 20;

/**
 * Compiles each schema for the first request that needs it. Compiling all of them would take most of a start's processor time
 * (docs/performance.md). `warmUp` compiles what is left one by one, the largest first.
 */
export function onFirstUse({ validators, serializers }: SchemaCompilers): SchemaCompilers & { warmUp(): void } {
  const cold: { readonly schema: unknown; compile(): unknown }[] = [];
  const onFirst = <T>(schema: unknown, make: () => T): (() => T) => {
    const compile = once(make);
    cold.push({ schema, compile });
    return compile;
  };
  return {
    validators(route) {
      const compiled = onFirst(route.schema, () => validators(route));
      return (value) => compiled()(value);
    },
    serializers(route) {
      const compiled = onFirst(route.schema, () => serializers(route));
      return (answer) => compiled()(answer);
    },
    warmUp() {
      const sized = cold.splice(0).map((one) => ({ ...one, size: JSON.stringify(one.schema).length }));
      const left = sized.toSorted((one, other) => one.size - other.size);
      const timer = setInterval(() => {
        const next = left.pop();
        if (next === undefined) clearInterval(timer);
        else next.compile();
      }, WARM_UP_MS).unref();
    },
  };
}

function extended(ajv: Ajv): Ajv {
  ajv.addFormat("date-time", { type: "string", validate: (text) => parseRfc3339(text) !== undefined });
  ajv.addKeyword({
    keyword: "x-readable",
    type: "string",
    error: { message: "must not be blank, and have no line breaks, invisible characters or marks of direction" },
    // The other keywords refuse an empty text, and one that the database does not accept.
    validate: (_wanted: true, text: string) => text === "" || !isStorable(text) || isReadable(text),
  });
  return ajv.addKeyword({
    keyword: "text",
    type: "string",
    error: { message: "must be text without NUL and lone surrogates" },
    validate: (_wanted: true, text: string) => isStorable(text),
  });
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000");
}

/**
 * Requires each string that a schema names to be text that the database accepts. A rejected text would fail the
 * statement, and with it all requests that share it. No schema names customers' own data, which passes unchanged.
 */
function withText(schema: unknown): unknown {
  return rewritten(schema, (one) => (one["type"] === "string" && one["enum"] === undefined ? { text: true } : {}));
}

/**
 * Lets an object whose schema names no members have any. The serializer leaves out each member that a schema does not
 * name, so that such an object would be `{}` in every response.
 */
function withOpenObjects(schema: unknown): unknown {
  const names = (one: Readonly<Record<string, unknown>>): boolean =>
    ["properties", "additionalProperties", "patternProperties", "allOf", "anyOf", "oneOf", "$ref"].some(
      (name) => one[name] !== undefined,
    );
  return rewritten(schema, (one) => (one["type"] === "object" && !names(one) ? { additionalProperties: true } : {}));
}

/** Returns a copy of a schema with the members that `more` returns for each schema in it. */
function rewritten(schema: unknown, more: (one: Readonly<Record<string, unknown>>) => object): unknown {
  if (Array.isArray(schema)) return schema.map((one) => rewritten(one, more));
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([name, value]) => [
    name,
    WITHOUT_SCHEMAS.has(name) ? value : rewritten(value, more),
  ]);
  const copy = Object.fromEntries(entries) as Record<string, unknown>;
  return { ...copy, ...more(copy) };
}

const WITHOUT_SCHEMAS = new Set(["enum", "const", "default", "example", "examples", "required"]);
