import { Ajv } from "ajv";
import type { FastifySchemaCompiler } from "fastify";
import { parseRfc3339 } from "../kernel/kernel.ts";

/** Bodies are taken as they are: nothing coerced, nothing stripped, nothing filled in, all faults at once. Queries are text, so their numbers are read. */
export function createValidators(): FastifySchemaCompiler<object> {
  const options = { removeAdditional: false, useDefaults: false, allErrors: true, strict: false } as const;
  const body = withFormats(new Ajv({ ...options, coerceTypes: false }));
  const query = withFormats(new Ajv({ ...options, coerceTypes: true }));
  return ({ schema, httpPart }) => {
    const validate = (httpPart === "body" ? body : query).compile(schema);
    return (value: unknown) => {
      if (validate(value)) return { value };
      const error: Error & { validation?: unknown } = new Error("validation");
      error.validation = validate.errors ?? [];
      return { error };
    };
  };
}

function withFormats(ajv: Ajv): Ajv {
  ajv.addFormat("date-time", { type: "string", validate: (text) => parseRfc3339(text) !== undefined });
  return ajv;
}
