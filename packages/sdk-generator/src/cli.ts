import type { Api, Emit, Field, Operation, Type } from "./model.ts";
import { camel } from "./node-types.ts";

const HEAD = "// Made from openapi/openapi.json by tools/generate-sdks.ts; changes are lost.\n";

/** Generates the command line's facts about each operation: its place in the Node SDK, and its arguments. */
export const emitCli: Emit = (api) => new Map([["operations.ts", `${HEAD}\n${operationsFile(api)}\n`]]);

function operationsFile(api: Api): string {
  const rows = api.operations.map((operation) => `  ${JSON.stringify(factsOf(api, operation))},`);
  return [
    "export interface OperationFacts {",
    "  /** The dotted name. */",
    "  name: string;",
    "  /** The SDK's resource and method. */",
    "  at: string[];",
    "  summary: string;",
    "  description: string;",
    "  /** Of its path, in order. */",
    "  path: string[];",
    "  query: FieldFacts[];",
    "  /** Null where it takes none. */",
    "  body: { required: boolean; positional: string[]; fields: FieldFacts[] } | null;",
    "  deletes: boolean;",
    "  writes: boolean;",
    '  answer: "json" | "text" | "none";',
    "  lists: boolean;",
    "}",
    "",
    "export interface FieldFacts {",
    "  name: string;",
    "  required: boolean;",
    "  about: string;",
    "}",
    "",
    "export const operations: OperationFacts[] = [",
    ...rows,
    "];",
  ].join("\n");
}

function factsOf(api: Api, operation: Operation): object {
  const { name, resource, method, summary, description, pathParameters, queryParameters, body, answer } = operation;
  return {
    name,
    at: [...resource, method].map((part) => camel(part)),
    summary,
    description,
    path: pathParameters.map((field) => field.name),
    query: queryParameters.map((field) => fieldFacts(api, field)),
    body:
      body === null
        ? null
        : {
            required: body.required,
            positional: body.positional.map((field) => field.name),
            fields: body.fields.map((field) => fieldFacts(api, field)),
          },
    deletes: operation.http.method === "DELETE",
    writes: operation.write,
    answer: answer.kind,
    lists: operation.page !== null,
  };
}

function fieldFacts(api: Api, { name, required, description, type }: Field): object {
  const values = valuesOf(api, type);
  const about = [description.replaceAll(/\s+/g, " "), values.length > 0 ? `${values.join(", ")}.` : ""];
  return { name, required, about: about.filter((text) => text !== "").join(" ") };
}

function valuesOf(api: Api, type: Type): readonly string[] {
  if (type.kind === "nullable") return valuesOf(api, type.of);
  return type.kind === "enum" ? (api.enums.find(({ name }) => name === type.name)?.values ?? []) : [];
}
