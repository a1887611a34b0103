import type { Api, Body, Emit, Field, Operation, Resource, Type } from "./model.ts";
import { camel, comment, fieldText, queryName, typesFile, typeText } from "./node-types.ts";
import { pascal } from "./types.ts";

const HEAD = "// Made from openapi/openapi.json by tools/generate-sdks.ts; changes are lost.\n";

/** Generates the generated part of the Node SDK. */
export const emitNode: Emit = (api) =>
  new Map([
    ["types.ts", `${HEAD}\n${typesFile(api)}\n`],
    ["events.ts", `${HEAD}\n${eventsFile(api)}\n`],
    ["resources.ts", `${HEAD}\n${resourcesFile(api)}\n`],
    ["fixtures.ts", `${HEAD}\n${fixturesFile(api)}\n`],
  ]);

function resourcesFile(api: Api): string {
  const classes = api.resources.flatMap((resource) => classTexts(resource));
  const fields = api.resources.map(
    (resource) => `${comment(resource.description, "  ")}  readonly ${camel(resource.name)}: ${className(resource)};`,
  );
  const made = api.resources.map(
    (resource) => `    this.${camel(resource.name)} = new ${className(resource)}(transport);`,
  );
  const text = classes.join("\n\n");
  const used = (names: readonly string[]): string[] => names.filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  const line = (kind: string, names: readonly string[], file: string): string[] =>
    names.length === 0 ? [] : [`${kind} { ${names.join(", ")} } from "${file}";`];
  return [
    ...line(
      "import type",
      [...used(["Answered", "CallOptions", "NoContent", "TextAnswer"]), "Transport"],
      "../calls.ts",
    ),
    ...line("import", used(["escape", "queryText"]), "../calls.ts"),
    ...line("import", used(["listOf"]), "../pagination.ts"),
    ...line("import type", used(["List"]), "../pagination.ts"),
    ...line("import type", used(["DataOf", "EventName"]), "./events.ts"),
    'import type * as t from "./types.ts";',
    "",
    `export const API_VERSION = ${JSON.stringify(api.apiVersion)};`,
    "",
    text,
    "",
    "/** Every resource of the API. */",
    `export class Resources {\n${fields.join("\n")}\n`,
    `  constructor(transport: Transport) {\n${made.join("\n")}\n  }\n}`,
  ].join("\n");
}

function classTexts(resource: Resource): string[] {
  const children = resource.children.map((child) => ({ child, field: camel(child.name), name: className(child) }));
  const lines = [
    "  readonly #transport: Transport;",
    ...children.map(({ field, name }) => `  readonly ${field}: ${name};`),
    "",
    "  constructor(transport: Transport) {",
    "    this.#transport = transport;",
    ...children.map(({ field, name }) => `    this.${field} = new ${name}(transport);`),
    "  }",
  ];
  const methods = resource.operations.map((operation) => `\n${methodText(operation)}`);
  const options = resource.operations.flatMap((operation) => optionsText(operation));
  const text = `export class ${className(resource)} {\n${[...lines, ...methods].join("\n")}\n}`;
  const about = comment(resource.description || `\`${resource.path.join(".")}\`.`);
  return [...options, ...resource.children.flatMap((child) => classTexts(child)), `${about}${text}`];
}

function className({ path }: Resource): string {
  return `${pascal(path.join("."))}Resource`;
}

/** Returns one method: its documentation, its arguments and the call. */
function methodText(operation: Operation): string {
  const about = comment([operation.summary && `${operation.summary}.`, operation.description].join(" "), "  ");
  const generic = operation.name === "events.fire" ? "<Name extends EventName>" : "";
  const name = `${operation.page === null ? "async " : ""}${camel(operation.method)}${generic}`;
  const given = argumentsOf(operation);
  const short = `  ${name}(${given.join(", ")}): ${resultText(operation)} {`;
  const head =
    short.length <= WIDTH ? short : `  ${name}(\n    ${given.join(",\n    ")},\n  ): ${resultText(operation)} {`;
  return `${about}${head}\n${callText(operation)}\n  }`;
}

function argumentsOf(operation: Operation): string[] {
  const { pathParameters, queryParameters, body } = operation;
  const path = pathParameters.map(({ name }) => `${camel(name)}: string`);
  const query = queryParameters.some(({ required }) => required)
    ? [`query: t.${queryName(operation)}`]
    : [`query: t.${queryName(operation)} = {}`];
  return [
    ...path,
    ...(body === null ? [] : bodyArguments(operation, body)),
    ...(queryParameters.length > 0 ? query : []),
    `options: ${optionsName(operation)} = {}`,
  ];
}

function bodyArguments(operation: Operation, body: Body): string[] {
  if (body.positional.length === 0) {
    const type = typeText(body.type, "t.", true);
    return [`body${body.required ? "" : "?"}: ${type}`];
  }
  return body.positional.map((field) => {
    if (operation.name === "events.fire") return field.name === "event" ? "event: Name" : "data: DataOf<Name>";
    return `${camel(field.name)}${field.required ? "" : "?"}: ${typeText(field.type, "t.", true)}`;
  });
}

/**
 * Returns the fields that are neither first arguments nor the whole body. They are named in camelCase, next to the
 * options of the call.
 */
function namedFields({ body }: Operation): readonly Field[] {
  if (body === null || body.positional.length === 0) return [];
  const first = new Set(body.positional.map(({ name }) => name));
  return body.fields.filter(({ name }) => !first.has(name));
}

function optionsName(operation: Operation): string {
  return namedFields(operation).length === 0 ? "CallOptions" : `${pascal(operation.operationId)}Options`;
}

/** The members of `CallOptions` in src/calls.ts. */
const OF_CALLS = new Set("idempotencyKey timeoutMs deadlineMs maxRetries signal headers".split(" "));

function optionsText(operation: Operation): string[] {
  const fields = namedFields(operation);
  if (fields.length === 0) return [];
  const taken = fields.map(({ name }) => camel(name)).filter((name) => OF_CALLS.has(name));
  if (taken.length > 0)
    throw new Error(`${operation.name} has a field ${taken.join()}, which is an option of every call.`);
  const lines = fields.map((field) =>
    fieldText(prefixed({ ...field, name: camel(field.name), required: false }), true, true),
  );
  const name = optionsName(operation);
  return [
    `/** Of \`${operation.name}\`: fields of its body, besides the options of the call. */\nexport interface ${name} extends CallOptions {\n${lines.join("\n")}\n}`,
  ];
}

/** Returns the field as in the file of the resources, which imports the types under a prefix. */
function prefixed(field: Field): Field {
  const place = (type: Type): Type => {
    if (type.kind === "ref" || type.kind === "enum") return { ...type, name: `t.${type.name}` };
    if (type.kind === "array") return { ...type, items: place(type.items) };
    if (type.kind === "nullable") return { ...type, of: place(type.of) };
    return type;
  };
  return { ...field, type: place(field.type) };
}

function resultText({ answer, page }: Operation): string {
  if (page !== null) return `List<${typeText(page.item, "t.")}>`;
  if (answer.kind === "none") return "Promise<NoContent>";
  if (answer.kind === "text") return "Promise<TextAnswer>";
  return `Promise<Answered<${typeText(answer.type, "t.")}>>`;
}

function callText(operation: Operation): string {
  const { name, http, pathParameters, queryParameters, body, page, write, answer } = operation;
  const path = pathParameters.reduce(
    (text, field) => text.replace(`{${field.name}}`, `\${escape(${camel(field.name)}, ${JSON.stringify(field.name)})}`),
    http.path,
  );
  const query = queryParameters.length > 0 ? "${queryText(query)}" : "";
  const target = page === null ? path + query : path;
  const facts = [
    `operation: ${JSON.stringify(name)}`,
    `method: ${JSON.stringify(http.method)}`,
    `path: ${target.includes("${") ? `\`${target}\`` : JSON.stringify(target)}`,
  ];
  if (page !== null) {
    const from = queryParameters.length > 0 ? "query" : "{}";
    return wrapped("listOf", ["this.#transport", objectOf(facts), from, "options"]);
  }
  const rest = [
    ...(body === null ? [] : [bodyText(operation, body)]),
    `write: ${String(write)}`,
    `answer: ${JSON.stringify(answer.kind)}`,
  ];
  // The result is awaited, so that an error's stack names the method.
  return wrapped("await this.#transport.send", [objectOf([...facts, ...rest]), "options"]);
}

const WIDTH = 120;

function objectOf(members: readonly string[]): string {
  const text = `{ ${members.join(", ")} }`;
  return text.length + "      ,".length <= WIDTH && !text.includes("\n")
    ? text
    : `{\n        ${members.join(",\n        ")},\n      }`;
}

/** Returns a call on one line if it fits, and otherwise with one argument per line. */
function wrapped(callee: string, given: readonly string[]): string {
  const text = `    return ${callee}(${given.join(", ")});`;
  if (text.length <= WIDTH && !text.includes("\n")) return text;
  return `    return ${callee}(\n      ${given.join(",\n      ")},\n    );`;
}

function bodyText(operation: Operation, body: Body): string {
  if (body.positional.length === 0) return "body";
  const first = body.positional.map(({ name }) => (camel(name) === name ? name : `${name}: ${camel(name)}`));
  const named = namedFields(operation).map(({ name }) => `${name}: options.${camel(name)}`);
  const members = [...first, ...named];
  const text = `body: { ${members.join(", ")} }`;
  return text.length <= 100 ? text : `body: {\n          ${members.join(",\n          ")},\n        }`;
}

function eventsFile(api: Api): string {
  const map = (canonical: boolean): string =>
    api.events
      .filter((event) => event.canonical === canonical)
      .map(
        (event) => `${comment(event.description, "  ")}  ${JSON.stringify(event.name)}: ${typeText(event.data, "t.")};`,
      )
      .join("\n");
  return [
    'import type * as t from "./types.ts";',
    "",
    `/** The data of the events that a caller fires. */\nexport interface CanonicalEvents {\n${map(true)}\n}`,
    "",
    `/** The data of what the service fires about itself. */\nexport interface SystemEvents {\n${map(false)}\n}`,
    "",
    "export type CanonicalEventName = keyof CanonicalEvents;",
    "export type SystemEventName = keyof SystemEvents;",
    "",
    "/** A canonical name, which the editor completes, or a custom one. */",
    "export type EventName = CanonicalEventName | (string & {});",
    "",
    "/**",
    " * The data of an event as it is sent. A canonical event has its own members only, so that the compiler finds a misspelt one;",
    " * the service takes others too: `fire<string>(…)` sends any object.",
    " */",
    "export type DataOf<Name extends string> = Name extends CanonicalEventName ? Sent<CanonicalEvents[Name]> : object;",
    "",
    "/** A type of the contract without room for members of tomorrow. Dates and bigints become JSON when they are sent. */",
    "export type Sent<T> = T extends readonly (infer Item)[]",
    "  ? readonly Sent<Item>[]",
    "  : T extends object",
    "    ? SentObject<T>",
    "    : T extends number",
    "      ? T | bigint",
    "      : string extends T",
    "        ? T | Date",
    "        : T;",
    "",
    "type SentObject<T> = [keyof Known<T>] extends [never] ? object : { [Name in keyof Known<T>]: Sent<Known<T>[Name]> };",
    "",
    "type Known<T> = { [Name in keyof T as string extends Name ? never : Name]: T[Name] };",
    "",
    "/** The body of a verified delivery. Its event may be a custom one: `webhooks.isEvent` tells, and types its data. */",
    "export interface Delivered<Name extends string = CanonicalEventName | SystemEventName | (string & {})>",
    `  extends Omit<${typeText(api.delivery, "t.")}, "event" | "type" | "data"> {`,
    "  event: Name;",
    "  type: Name;",
    "  data: [Name] extends [keyof EventsByName] ? EventsByName[Name] : { [member: string]: unknown };",
    "  /** The body's text as it came. It is neither printed nor copied. */",
    "  readonly $raw: string;",
    "}",
    "",
    "type EventsByName = CanonicalEvents & SystemEvents;",
  ].join("\n");
}

/** Returns the responses of the mock transport, and example data of events, from the examples of the contract. */
function fixturesFile(api: Api): string {
  const operations = api.operations.map(({ name, http, answer, page }) => {
    const example = answer.kind === "json" ? answer.example : null;
    // A list that always returns the same page would never end.
    const body = page === null ? example : { ...(example as object), has_more: false, next_cursor: null };
    const fixture = { method: http.method, path: http.path, status: answer.status, body };
    return `  ${JSON.stringify(name)}: ${JSON.stringify(fixture)},`;
  });
  const events = api.events.map(({ name, example }) => `  ${JSON.stringify(name)}: ${JSON.stringify(example)},`);
  const names = api.operations.map(({ name }) => `  | ${JSON.stringify(name)}`);
  const errors = api.errors.map(({ code, ...row }) => `  ${code}: ${JSON.stringify(row)},`);
  return [
    'import type { CanonicalEvents, SystemEvents } from "./events.ts";',
    "",
    "/** An operation's route, and the answer that the contract shows. */",
    "export interface OperationFixture {\n  method: string;\n  path: string;\n  status: number;\n  body: unknown;\n}",
    "",
    `export type OperationName =\n${names.join("\n")};`,
    "",
    `export const operationFixtures: Record<OperationName, OperationFixture> = {\n${operations.join("\n")}\n};`,
    "",
    `export const eventFixtures: CanonicalEvents & SystemEvents = {\n${events.join("\n")}\n};`,
    "",
    `export const errorFixtures: Record<string, { status: number; title: string; retryable: boolean }> = {\n${errors.join("\n")}\n};`,
  ].join("\n");
}
