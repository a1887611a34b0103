import type { Api, Field, NamedEnum, NamedType, Operation, Type } from "./model.ts";

/** Returns `src/generated/types.ts`: an interface for each type and each set of query parameters. */
export function typesFile(api: Api): string {
  const enums = api.enums.map((one) => enumText(one));
  const types = api.types.map((one) => interfaceText(one, api));
  const queries = api.operations.filter(({ queryParameters }) => queryParameters.length > 0).map(queryText);
  const codes = api.errors.map(({ code }) => JSON.stringify(code)).join(" | ");
  const errorCode = `/** What the service may say of an error; codes of tomorrow are legal. */\nexport type ErrorCode = ${codes} | (string & {});`;
  return [errorCode, ...enums, ...types, ...queries].join("\n\n");
}

const PLAIN: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  unknown: "unknown",
};

/** Returns a type in TypeScript. `space` is the prefix of each name, such as `t.`. */
export function typeText(type: Type, space = "", isRequest = false): string {
  if ("name" in type) return `${space}${type.name}`;
  if (type.kind === "constant") return JSON.stringify(type.value);
  if (isRequest && type.kind === "string" && type.format === "date-time") return "string | Date";
  const plain = PLAIN[type.kind];
  return plain ?? composedText(type as Composed, (inner) => typeText(inner, space, isRequest), isRequest);
}

type Composed = Extract<Type, { kind: "array" | "map" | "nullable" | "union" }>;

function composedText(type: Composed, text: (inner: Type) => string, isRequest: boolean): string {
  switch (type.kind) {
    case "array": {
      const items = text(type.items);
      return items.includes(" ") && !items.startsWith("{") ? `(${items})[]` : `${items}[]`;
    }
    case "map":
      // The caller's own interface has no index signature, but is an object.
      if (isRequest && type.values.kind === "unknown") return "object";
      return `{ [member: string]: ${text(type.values)} }`;
    case "nullable":
      return `${text(type.of)} | null`;
    default:
      return type.of.map((one) => text(one)).join(" | ");
  }
}

/** Returns a comment; nothing for an empty text. */
export function comment(text: string, indent = ""): string {
  const lines = text.replaceAll("*/", "* /").trim().split("\n");
  if (lines.length === 1) return lines[0] === "" ? "" : `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

/** Returns `webhookEndpoints` for `webhook_endpoints`. */
export function camel(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]+([A-Za-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}

function enumText({ name, values, response }: NamedEnum): string {
  const texts = values.map((value) => JSON.stringify(value)).join(" | ");
  // A response may contain a value of a later version. The known values still complete in the editor.
  return response ? `export type ${name} = ${texts} | (string & {});` : `export type ${name} = ${texts};`;
}

function interfaceText(type: NamedType, api: Api): string {
  const isRequest = type.request && !type.response;
  const fields = type.fields.map((field) => fieldText(field, isRequest, type.request));
  // Extra members may be sent, as in an event's data. Extra members of a response have no type.
  const open = type.request && type.open ? ["  [member: string]: unknown;"] : [];
  const lines = [...fields, ...open];
  const head = `${comment(type.description || aboutType(type, api))}export interface ${type.name}`;
  return lines.length === 0 ? `${head} {}` : `${head} {\n${lines.join("\n")}\n}`;
}

function aboutType(type: NamedType, api: Api): string {
  const event = api.events.find(({ data }) => data.kind === "ref" && data.name === type.name);
  return event?.description ?? "";
}

function queryText(operation: Operation): string {
  const fields = operation.queryParameters.map((field) => fieldText(field, true, true));
  return `/** Of \`${operation.name}\`. */\nexport interface ${queryName(operation)} {\n${fields.join("\n")}\n}`;
}

export function queryName({ operationId }: Operation): string {
  return `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`;
}

export function fieldText(field: Field, isRequest: boolean, mayBeUndefined: boolean): string {
  const about = [field.description, defaultText(field)].filter((text) => text !== "").join(" ");
  const optional = field.required ? "" : "?";
  const isAnything = field.type.kind === "unknown";
  const empty = !field.required && mayBeUndefined && !isAnything ? " | undefined" : "";
  return `${comment(about, "  ")}  ${propertyName(field.name)}${optional}: ${typeText(field.type, "", isRequest)}${empty};`;
}

function defaultText({ default: value }: Field): string {
  return value === undefined ? "" : `Default: ${JSON.stringify(value)}.`;
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
