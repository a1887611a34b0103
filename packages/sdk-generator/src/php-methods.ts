import type { Answer, Operation, Type } from "./model.ts";
import { argumentsOf } from "./php-arguments.ts";
import type { Argument } from "./php-arguments.ts";
import { itemReader, reading } from "./php-reading.ts";
import type { Shapes } from "./php-shapes.ts";
import { camel, doc, list, namesIn, quoted } from "./php-text.ts";

/** A method for each operation. */

const INDENT = 8;

export interface Method {
  readonly text: string;
  /** The names that it uses from the namespace `Junction`. */
  readonly uses: readonly string[];
}

type ByStatus = Extract<Answer, { kind: "json" }>["byStatus"];

/** The result of a method, and the code that returns it. */
interface Ending {
  readonly php: string;
  readonly annotation: string | null;
  /** The kind of answer that the call expects; null for a JSON object. */
  readonly expects: string | null;
  readonly lines: readonly string[];
  readonly uses: readonly string[];
}

export function emitMethod(operation: Operation, shapes: Shapes): Method {
  const all = argumentsOf(operation, shapes);
  const ending = endingOf(operation);
  const summary = operation.summary === "" ? "" : `${operation.summary.replace(/\.$/, "")}.`;
  const comment = doc("    ", [
    `${summary} ${operation.description}`.trim(),
    ...all.map(({ name, annotation, field }) => `@param ${annotation} $${name} ${field.description}`),
    ...(ending.annotation === null ? [] : [`@return ${ending.annotation}`]),
    "@throws ServiceException",
  ]);
  const parameters = all.map(({ php, name, missing }) => `${php} $${name}${missing === null ? "" : ` = ${missing}`}`);
  const name = `public function ${camel(operation.method)}(`;
  const signature = list(name, [...parameters, "?CallOptions $options = null"], `): ${ending.php}`, INDENT - 4);
  const lines = [...bodyLines(operation, all), ...callLines(operation, all, ending, shapes), ...ending.lines];
  const block = indented(lines, INDENT);
  const head = indented([signature.includes("\n") ? `${signature} {` : `${signature}\n{`], INDENT - 4);
  const text = `${comment}${head}${block}    }\n`;
  const helpers = ["Encode", "Omit", "Read"].filter((helper) => new RegExp(`\\b${helper}\\b`).test(signature + block));
  const always = ["Call", "CallOptions", "Exception\\ServiceException"];
  return { text, uses: [...always, ...helpers, ...ending.uses, ...all.flatMap(({ uses }) => uses)] };
}

function bodyLines({ body }: Operation, all: readonly Argument[]): string[] {
  if (body === null) return [];
  return [list("$body = Encode::fields([", entries(all, "body"), "]);", INDENT)];
}

function callLines(operation: Operation, all: readonly Argument[], ending: Ending, shapes: Shapes): string[] {
  const { body, http, write } = operation;
  const objects = body === null ? null : shapes.objects(body.type);
  const json = list("Encode::json(", ["$body", ...(objects === null ? [] : [objects])], ")", INDENT + 12);
  const query = entries(all, "query");
  const parts = [
    quoted(http.method),
    path(http.path, all),
    ...(query.length === 0 ? [] : [list("query: [", query, "]", INDENT + 4)]),
    ...(body === null ? [] : [`body: ${body.required ? json : `$body === [] ? null : ${json}`}`]),
    ...(write ? ["isWrite: true"] : []),
    ...(ending.expects === null ? [] : [`expects: Expects::${ending.expects}`]),
  ];
  return [list("$call = new Call(", parts, ");", INDENT)];
}

/** Returns the given values by the wire's names. */
function entries(all: readonly Argument[], place: Argument["place"]): string[] {
  return all
    .filter((one) => one.place === place)
    .map(({ field, name, missing }) => {
      const value =
        place === "body" && (missing === "null" || field.wasRequired === true) ? `$${name} ?? Omit::Value` : `$${name}`;
      return `${quoted(field.name)} => ${value}`;
    });
}

function indented(lines: readonly string[], indent: number): string {
  const blanks = " ".repeat(indent);
  return lines.map((line) => `${blanks}${line.replaceAll("\n", `\n${blanks}`)}\n`).join("");
}

function path(template: string, all: readonly Argument[]): string {
  const names = new Map(all.filter(({ place }) => place === "path").map(({ field, name }) => [field.name, name]));
  const parts = template.split(/\{([^}]+)\}/).map((part, index) => {
    if (index % 2 === 0) return part === "" ? "" : quoted(part);
    return `Encode::part($${names.get(part) ?? part}, ${quoted(part)})`;
  });
  return parts.filter((part) => part !== "").join(" . ");
}

function endingOf({ answer, page }: Operation): Ending {
  if (page !== null) return pageEnding(page.item);
  const call = "$this->transport->call($call, $options)";
  switch (answer.kind) {
    case "none":
      return {
        php: "ResponseInfo",
        annotation: null,
        expects: "Nothing",
        lines: [`return ${call}->response();`],
        uses: ["Expects", "ResponseInfo"],
      };
    case "text":
      return { php: "string", annotation: null, expects: "Text", lines: [`return ${call}->body;`], uses: ["Expects"] };
    default:
      return jsonEnding(answer.type, answer.byStatus);
  }
}

function pageEnding(item: Type): Ending {
  const { php, annotation } = reading(item);
  return {
    php: "Page",
    annotation: `Page<${annotation ?? php}>`,
    expects: null,
    lines: [list("return $this->transport->page(", ["$call", itemReader(item), "$options"], ");", INDENT)],
    uses: ["Page", ...typeUses(item)],
  };
}

function jsonEnding(type: Type, byStatus: ByStatus): Ending {
  const refs = byStatus.flatMap((one) =>
    one.type.kind === "ref" ? [{ status: one.status, name: one.type.name }] : [],
  );
  const call = "$answer = $this->transport->call($call, $options);";
  if (refs.length < byStatus.length) {
    const { php, annotation, expression } = reading(type);
    const lines = [call, `return ${expression("$answer->data")};`];
    return { php, annotation, expects: "Any", lines, uses: ["Expects", ...typeUses(type)] };
  }
  const names = [...new Set(refs.map(({ name }) => name))];
  const made = (name: string): string => `new ${name}($answer->object(), $answer->response())`;
  const cases = refs.map(({ status, name }, at) => `${at === refs.length - 1 ? "default" : status} => ${made(name)}`);
  const choice = `match ($answer->response()->status) {\n${cases.map((one) => `    ${one},\n`).join("")}}`;
  return {
    php: names.join("|"),
    annotation: null,
    expects: null,
    lines: [call, `return ${names.length === 1 ? made(names[0] ?? "") : choice};`],
    uses: typeUses(type),
  };
}

function typeUses(type: Type): string[] {
  return namesIn(type).map((name) => `Type\\${name}`);
}
