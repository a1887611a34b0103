import { target } from "./client.ts";
import type { OperationName } from "./client.ts";
import { isExactNumber } from "./exact-json.ts";
import { NODE_SDK } from "./generated/packages.ts";
import { snippetFacts } from "./generated/snippets.ts";
import type { Environment } from "./scope.ts";

/** A call as a user would write it in their own program. The code never contains the key, but reads it from the environment. */
export interface SnippetCall {
  readonly operation: OperationName;
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

export type SnippetLanguage = "curl" | "node" | "python" | "php";

interface Parts {
  /** `webhookEndpoints.secret.get`, by the language's convention. */
  readonly at: readonly string[];
  readonly first: readonly unknown[];
  readonly named: Readonly<Record<string, unknown>>;
  readonly isList: boolean;
}

/** Writes a call in a language, with the code that it needs to run. */
export function snippet(
  language: SnippetLanguage,
  asked: SnippetCall,
  where: { baseUrl: string; environment: Environment },
): string {
  if (language === "curl") return curl(asked, where.baseUrl);
  const key = where.environment === "sandbox" ? "a sandbox key" : "a live key";
  return WRITERS[language](asked, `JUNCTION_API_KEY (${key}) and JUNCTION_BASE_URL=${where.baseUrl}`);
}

const WRITERS = { node, python, php };

function curl(asked: SnippetCall, baseUrl: string): string {
  const { method, path } = target(asked.operation, asked);
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${shell(baseUrl + path)}`,
    `-H "Authorization: Bearer $JUNCTION_API_KEY"`,
  ];
  if (asked.body !== undefined) {
    lines.push('-H "Content-Type: application/json"', `-d ${shell(JSON.stringify(asked.body))}`);
  }
  return lines.join(" \\\n  ");
}

function node(asked: SnippetCall, environment: string): string {
  const { at, path, first, list } = snippetFacts[asked.operation];
  const body = membersOf(asked.body);
  const named = without(body, first);
  const query = given(asked.query);
  const args = [
    ...path.map((name) => js(asked.path?.[name])),
    ...(first.length > 0
      ? first.filter((name) => name in body).map((name) => js(body[name]))
      : asked.body === undefined
        ? []
        : [js(asked.body)]),
    ...(first.length > 0 && Object.keys(named).length > 0 ? [js(camelKeys(named))] : []),
    ...(Object.keys(query).length > 0 ? [js(query)] : []),
  ];
  const call = `junction.${at.map(camel).join(".")}(${args.join(", ")})`;
  const use = list ? `for await (const one of ${call}) {\n  console.log(one);\n}` : `console.log(await ${call});`;
  return `import { Junction } from "${NODE_SDK}";\n\nconst junction = new Junction(); // ${environment}\n${use}`;
}

function python(asked: SnippetCall, environment: string): string {
  const { at, first, named, isList } = partsOf(asked);
  const args = [...first.map(py), ...Object.entries(named).map(([name, value]) => `${name}=${py(value)}`)];
  const call = `junction.${at.join(".")}(${args.join(", ")})`;
  const use = isList ? `for one in ${call}:\n    print(one)` : `print(${call})`;
  return `from junction_sdk import Junction\n\njunction = Junction()  # ${environment}\n${use}`;
}

function php(asked: SnippetCall, environment: string): string {
  const { at, first, named, isList } = partsOf(asked);
  const args = [
    ...first.map((value) => phpText(value)),
    ...Object.entries(named).map(([name, value]) => `${camel(name)}: ${phpText(value)}`),
  ];
  const call = `$junction->${at.map(camel).join("->")}(${args.join(", ")})`;
  const use = isList ? `foreach (${call} as $one) {\n    var_dump($one);\n}` : `var_dump(${call});`;
  return `<?php\n\nrequire 'vendor/autoload.php';\n\n$junction = new Junction\\Client(); // ${environment}\n${use}`;
}

/** Returns the parts of a call in a language whose methods take the body's fields as named arguments. */
function partsOf(asked: SnippetCall): Parts {
  const { at, path, first, list } = snippetFacts[asked.operation];
  const body = membersOf(asked.body);
  return {
    at,
    first: [
      ...path.map((name) => asked.path?.[name]),
      ...first.filter((name) => name in body).map((name) => body[name]),
    ],
    named: { ...without(body, first), ...given(asked.query) },
    isList: list,
  };
}

function membersOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === "object" && body !== null ? given(body as Record<string, unknown>) : {};
}

function given(members: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members ?? {}).filter(([, value]) => value !== undefined && value !== ""));
}

function without(members: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}

function camelKeys(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [camel(name), value]));
}

function camel(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}

function shell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function js(value: unknown): string {
  const text = JSON.stringify(value, null, 2) ?? "undefined";
  return text.replaceAll(/^( *)"([A-Za-z_$][\w$]*)":/gm, "$1$2:");
}

function py(value: unknown): string {
  if (isExactNumber(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(py).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    return `{${Object.entries(value)
      .map(([name, one]) => `${JSON.stringify(name)}: ${py(one)}`)
      .join(", ")}}`;
  }
  if (typeof value === "boolean") return value ? "True" : "False";
  return value === null || value === undefined ? "None" : JSON.stringify(value);
}

function phpText(value: unknown): string {
  if (isExactNumber(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(phpText).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    return `[${Object.entries(value)
      .map(([name, one]) => `${phpText(name)} => ${phpText(one)}`)
      .join(", ")}]`;
  }
  if (typeof value === "string") return `'${value.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
  return value === null || value === undefined ? "null" : JSON.stringify(value);
}
