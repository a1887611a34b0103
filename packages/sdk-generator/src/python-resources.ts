import type { Answer, Api, Field, Operation, Resource } from "./model.ts";
import { docstring, file, indented, pythonName, quoted, spread } from "./python-text.ts";
import type { Part } from "./python-text.ts";
import { givenField, importFrom, mentions, reader, shownType } from "./python-types.ts";
import type { Places } from "./python-types.ts";
import { pascal } from "./types.ts";

/** The hand-written additions of a resource: the class and its module. */
const BY_HAND: Readonly<Record<string, readonly [string, string]>> = { webhooks: ["WebhookTools", "...webhooks"] };

/** The syntax of one of the two clients. */
interface Style {
  readonly prefix: string;
  readonly define: string;
  readonly wait: string;
  readonly page: string;
}

const SYNC: Style = { prefix: "", define: "def", wait: "", page: "Page" };
const ASYNC: Style = { prefix: "Async", define: "async def", wait: "await ", page: "AsyncPages" };

/** Helpers whose result is not an instance of a class. */
const ANNOTATED: readonly string[] = ["_by_status", "_value"];

interface Argument {
  readonly name: string;
  /** The name in the wire's spelling. */
  readonly wire: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

export function emitResources(api: Api, places: Places): Map<string, string> {
  const files = new Map<string, string>();
  for (const resource of api.resources) files.set(`resources/${resource.name}.py`, resourceModule(resource, places));
  files.set("resources/__init__.py", resourceIndex(api));
  return files;
}

function resourceIndex(api: Api): string {
  const properties = (style: Style): string[] =>
    api.resources.flatMap(({ name, description: about }) => {
      const type = `${style.prefix}${pascal(name)}Resource`;
      return [
        "",
        "    @property",
        `    def ${pythonName(name)}(self) -> ${type}:`,
        ...docstring(about, "        "),
        `        from .${name} import ${type}`,
        "",
        `        return ${type}(self._caller)`,
      ];
    });
  const root = (style: Style): string[] => [
    "",
    "",
    `class ${style.prefix}Resources:`,
    `    """All that a key can call. A resource is loaded when it is first used."""`,
    "",
    '    __slots__ = ("_caller",)',
    "",
    `    def __init__(self, caller: ${style.prefix}Caller) -> None:`,
    "        self._caller = caller",
    ...properties(style),
  ];
  return file([
    ...head(),
    "from typing import TYPE_CHECKING",
    "",
    "from ..._calls import AsyncCaller, Caller",
    "",
    "if TYPE_CHECKING:",
    ...api.resources.map(
      ({ name }) => `    from .${name} import Async${pascal(name)}Resource, ${pascal(name)}Resource`,
    ),
    ...root(SYNC),
    ...root(ASYNC),
  ]);
}

function resourceModule(resource: Resource, places: Places): string {
  const classes = [SYNC, ASYNC].flatMap((style) => resourceClasses(resource, places, style));
  const text = classes.join("\n");
  const uses = (names: readonly string[]): string[] => names.filter((name) => mentions(text, name));
  const shown = Map.groupBy(
    [...places.modules].filter(([name]) => mentions(text, name)),
    ([, module]) => module,
  );
  const line = (module: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : [`from ${module} import ${names.join(", ")}`];
  const [tools = "", from = ""] = BY_HAND[resource.name] ?? [];
  return file([
    ...head(),
    ...line("collections.abc", uses(["Mapping", "Sequence"])),
    ...line("datetime", uses(["datetime"])),
    ...line("typing", uses(["Any", "Literal"])),
    "",
    ...line("..._calls", ["AsyncResource", "Resource", ...uses(["call"])]),
    ...line("..._http", uses(["CallOptions", "HttpInfo"])),
    ...line("..._json", uses(["decode_time"])),
    ...line("..._model", uses(["many", "mapped", "one"])),
    ...line("..._pagination", uses(["AsyncPages", "Page"])),
    ...line("..._target", uses(["OMIT", "Omit", "given", "path"])),
    ...line(from, tools === "" ? [] : [tools]),
    ...importFrom("..enums", uses(places.enums)),
    ...importFrom("..params", uses([...places.params.values()].toSorted())),
    ...[...shown]
      .toSorted()
      .flatMap(([module, names]) => importFrom(`..types.${module}`, names.map(([name]) => name).toSorted())),
    ...classes,
  ]);
}

/** Returns the classes of a resource. Those of nested resources come first, because a class names them. */
function resourceClasses(resource: Resource, places: Places, style: Style): string[] {
  const name = classOf(resource, style);
  const [tools] = BY_HAND[resource.path.join(".")] ?? [];
  const children = resource.children.flatMap((child) => [
    "",
    "    @property",
    `    def ${pythonName(child.name)}(self) -> ${classOf(child, style)}:`,
    `        return ${classOf(child, style)}(self._caller)`,
  ]);
  return [
    ...resource.children.flatMap((child) => resourceClasses(child, places, style)),
    "",
    "",
    `class ${name}(${tools === undefined ? "" : `${tools}, `}${style.prefix}Resource):`,
    ...docstring(resource.description, "    "),
    ...(resource.description === "" ? [] : [""]),
    "    __slots__ = ()",
    ...children,
    ...resource.operations.flatMap((operation) => ["", ...indented(method(operation, places, style))]),
  ];
}

function classOf(resource: Resource, style: Style): string {
  // A type may have the name of a resource.
  return `${style.prefix}${resource.path.map(pascal).join("")}Resource`;
}

function method(operation: Operation, places: Places, style: Style): string[] {
  const inPath = operation.pathParameters.map((field) => argument(field, places));
  const query = operation.queryParameters.map((field) => argument(field, places));
  const body = bodyArguments(operation, places);
  const positional = new Set(operation.body?.positional.map(({ name }) => name));
  const first = [...inPath, ...body.filter(({ wire }) => positional.has(wire))];
  const named = [...query, ...body.filter(({ wire }) => !positional.has(wire))];
  const all = [...first, ...named];
  assertDistinct(operation, all);
  const parameters = [
    "self",
    ...first.map(parameter),
    "*",
    ...[...named].toSorted((a, b) => Number(b.required) - Number(a.required)).map(parameter),
    "options: CallOptions | None = None",
  ];
  const isPage = operation.page !== null;
  const [start = "", ...rest] = isPage
    ? paging(operation, { inPath, query })
    : calling(operation, { inPath, query, body });
  return [
    ...spread(
      `${isPage ? "def" : style.define} ${pythonName(operation.method)}(`,
      parameters,
      `) -> ${answerType(operation, style)}:`,
    ),
    ...docstring(description(operation, all), "    "),
    ...indented(returned(operation, style, [`${isPage ? "" : style.wait}${start}`, ...rest])),
  ];
}

/** Returns the return statement. A result without a class gets its type from an annotation. */
function returned(operation: Operation, style: Style, [start = "", ...rest]: readonly string[]): string[] {
  const [helper] = helperOf(operation);
  if (operation.page !== null || !ANNOTATED.includes(helper)) return [`return ${start}`, ...rest];
  return [`answer: ${answerType(operation, style)} = ${start}`, ...rest, "return answer"];
}

interface Arguments {
  readonly inPath: readonly Argument[];
  readonly query: readonly Argument[];
  readonly body?: readonly Argument[];
}

function calling(operation: Operation, { inPath, query, body = [] }: Arguments): string[] {
  const { answer, http, write } = operation;
  const call: Part = {
    open: "call(",
    parts: [
      quoted(http.method),
      pathText(operation, inPath),
      ...(query.length > 0 ? [dictionary("query={", query, "}")] : []),
      ...bodyText(operation, body),
      ...(write ? ["write=True"] : []),
      ...expected(answer),
      "options=options",
    ],
    close: ")",
  };
  const [helper, ...first] = helperOf(operation);
  return spread(`self.${helper}(`, [...first, call], ")");
}

function bodyText({ body }: Operation, all: readonly Argument[]): Part[] {
  if (body === null) return [];
  if (body.fields.length === 0) return ["body=body"];
  return [body.required ? dictionary("body={", all, "}") : dictionary("body=given({", all, "}) or None")];
}

/** Returns the method that creates a result from the answer, and its first argument. */
function helperOf({ answer }: Operation): [string, ...Part[]] {
  if (answer.kind === "none") return ["_nothing"];
  if (answer.kind === "text") return ["_text"];
  if (answer.type.kind === "ref") return ["_model", answer.type.name];
  const kinds = answer.byStatus.flatMap(({ status, type }) => (type.kind === "ref" ? `${status}: ${type.name}` : []));
  if (kinds.length === answer.byStatus.length) return ["_by_status", { open: "{", parts: kinds, close: "}" }];
  return ["_value", reader(answer.type) ?? "None"];
}

/** Returns the expected kind of answer. Calls expect an object by default. */
function expected(answer: Answer): string[] {
  if (answer.kind !== "json") return [`answer=${quoted(answer.kind)}`];
  const isObject = answer.byStatus.every(({ type }) => type.kind === "ref" || type.kind === "map");
  return isObject ? [] : ['answer="any"'];
}

function paging(operation: Operation, { inPath, query }: Arguments): string[] {
  const read = reader(operation.page?.item ?? { kind: "unknown" }) ?? "None";
  return spread("self._page(", [read, pathText(operation, inPath), dictionary("{", query, "}"), "options"], ")");
}

function pathText(operation: Operation, inPath: readonly Argument[]): string {
  const { path } = operation.http;
  if (inPath.length === 0) return quoted(path);
  return `path(${[quoted(path), ...inPath.map(({ name, wire }) => `${wire}=${name}`)].join(", ")})`;
}

function dictionary(open: string, all: readonly Argument[], close: string): Part {
  return { open, parts: all.map(({ name, wire }) => `${quoted(wire)}: ${name}`), close };
}

function answerType({ answer, page }: Operation, style: Style): string {
  if (page !== null) return `${style.page}[${shownType(page.item)}]`;
  if (answer.kind === "none") return "HttpInfo";
  if (answer.kind === "text") return "str";
  return answer.type.kind === "union" ? answer.type.of.map(shownType).join(" | ") : shownType(answer.type);
}

function bodyArguments({ body }: Operation, places: Places): Argument[] {
  if (body === null) return [];
  if (body.fields.length > 0) return body.fields.map((field) => argument(field, places));
  return [{ name: "body", wire: "body", type: "Mapping[str, Any]", required: true, description: "What is sent." }];
}

function argument(field: Field, places: Places): Argument {
  const { name, required, description: about } = field;
  return { name: pythonName(name), wire: name, type: givenField(field, places), required, description: about };
}

function parameter({ name, type, required }: Argument): string {
  return required ? `${name}: ${type}` : `${name}: ${type} | Omit = OMIT`;
}

function description(operation: Operation, all: readonly Argument[]): string {
  const told = all.filter((one) => one.description !== "");
  const list = told.map(({ name, description: about }) => `    ${name}: ${about.replaceAll("\n", " ")}`);
  const about = operation.description === "" ? [] : ["", operation.description];
  return [`${operation.summary}.`, ...about, ...(list.length > 0 ? ["", "Args:", ...list] : [])].join("\n");
}

function assertDistinct(operation: Operation, all: readonly Argument[]): void {
  const names = [...all.map(({ name }) => name), "options", "path", "call"];
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (twice.length > 0) throw new Error(`${operation.name} would have two arguments called ${twice.join()}.`);
}

function head(): string[] {
  return [
    '"""Generated by tools/generate-sdks.ts from openapi/openapi.json."""',
    "",
    "from __future__ import annotations",
    "",
  ];
}
