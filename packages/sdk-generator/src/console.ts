import type { Api, Emit, Operation, Type } from "./model.ts";
import { queryName, typeText } from "./node-types.ts";

const HEAD = "// Made from openapi/openapi.json by tools/generate-sdks.ts; changes are lost.\n";
const TYPES = "../../../../../sdks/node/src/generated/types.ts";

/**
 * Creates the emitter of the console's facts about each operation. Its route and types are in a file that every page
 * loads; its SDK examples are separate. The examples name the package of the Node SDK.
 */
export function consoleEmitter(nodeSdk: string): Emit {
  return (api) =>
    new Map([
      ["operations.ts", `${HEAD}\n${operationsFile(api)}\n`],
      ["snippets.ts", `${HEAD}\n${snippetsFile(api)}\n`],
      [
        "packages.ts",
        `// Made from tools/package-names.ts by tools/generate-sdks.ts; changes are lost.\n\nexport const NODE_SDK = ${JSON.stringify(nodeSdk)};\n`,
      ],
    ]);
}

function operationsFile(api: Api): string {
  return [
    `import type * as t from ${JSON.stringify(TYPES)};`,
    "",
    "/** By dotted name: what its path, query and body take, what it answers, and what a list lists. */",
    "export interface Operations {",
    ...api.operations.map((operation) => `  ${JSON.stringify(operation.name)}: ${typesOf(operation)};`),
    "}",
    "",
    "/** Method and path. */",
    "export const routes: Readonly<Record<keyof Operations, string>> = {",
    ...api.operations.map(
      ({ name, http }) => `  ${JSON.stringify(name)}: ${JSON.stringify(`${http.method} ${http.path}`)},`,
    ),
    "};",
    "",
    "/** They change what live and sandbox share, so that they are called in the live environment, whichever is looked at. */",
    "export const liveOnly: ReadonlySet<string> = new Set([",
    ...api.operations.filter((operation) => operation.liveOnly).map(({ name }) => `  ${JSON.stringify(name)},`),
    "]);",
  ].join("\n");
}

function typesOf(operation: Operation): string {
  const { pathParameters, queryParameters, body, page } = operation;
  const path = pathParameters.map(({ name }) => `${name}: string`);
  const members = [
    `path: ${path.length === 0 ? "undefined" : `{ ${path.join("; ")} }`}`,
    `query: ${queryParameters.length === 0 ? "undefined" : `t.${queryName(operation)}`}`,
    `body: ${body === null ? "undefined" : bodyText(body)}`,
    `answer: ${answerText(operation)}`,
    `item: ${page === null ? "never" : typeText(page.item, "t.")}`,
  ];
  return `{ ${members.join("; ")} }`;
}

function bodyText({ type, required }: { readonly type: Type; readonly required: boolean }): string {
  return typeText(type, "t.", true) + (required ? "" : " | undefined");
}

function answerText({ answer }: Operation): string {
  if (answer.kind === "none") return "null";
  return answer.kind === "text" ? "string" : typeText(answer.type, "t.");
}

function snippetsFile(api: Api): string {
  const rows = api.operations.map(({ name, resource, method, pathParameters, body, page }) => {
    const facts = {
      at: [...resource, method],
      path: pathParameters.map((field) => field.name),
      first: body?.positional.map((field) => field.name) ?? [],
      list: page !== null,
    };
    return `  ${JSON.stringify(name)}: ${JSON.stringify(facts)},`;
  });
  return [
    'import type { Operations } from "./operations.ts";',
    "",
    "export interface SnippetFacts {",
    "  /** The SDKs' resources and method, in the wire's spelling. */",
    "  readonly at: readonly string[];",
    "  /** Of the path, in order. */",
    "  readonly path: readonly string[];",
    "  /** Fields of the body that the SDKs take as their first arguments. */",
    "  readonly first: readonly string[];",
    "  readonly list: boolean;",
    "}",
    "",
    "export const snippetFacts: Readonly<Record<keyof Operations, SnippetFacts>> = {",
    ...rows,
    "};",
  ].join("\n");
}
