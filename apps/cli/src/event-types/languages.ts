import type { Shape } from "./shape.ts";

/** An event type to write as source. */
export interface NamedShape {
  readonly event: string;
  readonly version: number;
  /** The name in the language, unique in the file. */
  readonly name: string;
  readonly shape: Shape;
}

/** Writes event types as source of a language. */
export type Writer = (types: readonly NamedShape[]) => string;

const MADE = "Made from the event types by `junction types`; changes are lost.";

/** Returns a name in Pascal case for each event. Names that would be equal are numbered. */
export function namesOf(events: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return events.map((event) => {
    const plain = event.split(/[^A-Za-z0-9]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
    const base = plain.join("").replace(/^(?=\d)/, "Event");
    let name = base;
    for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${base}_${number}`;
    taken.add(name.toLowerCase());
    return name;
  });
}

export const typescript: Writer = (types) => {
  const parts = types.map(
    ({ event, version, name, shape }) =>
      `/** The data of ${event}, version ${version}. */\nexport type ${name}Data = ${inTypescript(shape)};\n`,
  );
  const entries = types.map(({ event, name }) => `  ${JSON.stringify(event)}: ${name}Data;\n`);
  return `// ${MADE}\n\n${parts.join("\n")}\n/** The data of every event, by its name. */\nexport interface EventData {\n${entries.join("")}}\n\nexport type EventName = keyof EventData;\n`;
};

function inTypescript(shape: Shape): string {
  switch (shape.kind) {
    case "any":
      return "unknown";
    case "integer":
      return "number";
    case "values":
      return shape.values.map((value) => JSON.stringify(value)).join(" | ");
    case "list":
      return `(${inTypescript(shape.item)})[]`;
    case "union":
      return shape.of.map(inTypescript).join(" | ");
    case "object":
      if (shape.members.length === 0) return "{ [name: string]: unknown }";
      return `{ ${shape.members.map(({ name, required, shape: one }) => `${JSON.stringify(name)}${required ? "" : "?"}: ${inTypescript(one)}`).join("; ")} }`;
    default:
      return shape.kind;
  }
}

export const python: Writer = (types) => {
  const lines: string[] = [];
  for (const { event, version, name, shape } of types)
    lines.push(
      `# The data of ${event}, version ${version}.`,
      `${name}Data = ${inPython(shape, `${name}Data`, lines)}`,
      "",
    );
  return `# ${MADE}\n# Requires Python 3.11 or later.\n\nfrom typing import Any, Dict, List, Literal, NotRequired, TypedDict, Union\n\n${lines.join("\n")}`;
};

const PYTHON_NAMES = { any: "Any", null: "None", boolean: "bool", integer: "int", number: "float", string: "str" };

/** Returns an expression. The classes of objects within it are added to the lines before. */
function inPython(shape: Shape, name: string, lines: string[]): string {
  switch (shape.kind) {
    case "values":
      return pythonValues(shape.values);
    case "list":
      return `List[${inPython(shape.item, `${name}_item`, lines)}]`;
    case "union":
      return `Union[${shape.of.map((one, at) => inPython(one, `${name}_${at + 1}`, lines)).join(", ")}]`;
    case "object":
      return pythonObject(shape, name, lines);
    default:
      return PYTHON_NAMES[shape.kind];
  }
}

function pythonValues(values: readonly (string | number | boolean | null)[]): string {
  if (values.some((value) => typeof value === "number" && !Number.isSafeInteger(value))) return "Any";
  return `Literal[${values.map(pythonValue).join(", ")}]`;
}

function pythonValue(value: string | number | boolean | null): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "number" ? String(value) : pythonText(value);
}

/** JSON texts without lone surrogates are also texts of Python. */
function pythonText(text: string): string {
  // UTF-8 has no lone surrogates. `toWellFormed` is missing in the oldest Node that runs the packed command line.
  return JSON.stringify(Buffer.from(text).toString());
}

function pythonObject({ members }: Extract<Shape, { kind: "object" }>, name: string, lines: string[]): string {
  if (members.length === 0) return "Dict[str, Any]";
  const entries = members.map(({ name: key, required, shape }, at) => {
    const type = inPython(shape, `${name}_${at + 1}`, lines);
    return `${pythonText(key)}: ${required ? type : `NotRequired[${type}]`}`;
  });
  const type = `TypedDict(${JSON.stringify(name)}, {${entries.join(", ")}})`;
  // The type of an event is assigned by the caller; the ones within it need lines of their own.
  if (!/_(?:\d+|item)$/.test(name)) return type;
  lines.push(`${name} = ${type}`);
  return name;
}

export const php: Writer = (types) => {
  const classes = types.map(
    ({ event, version, name, shape }) =>
      `/**\n * The data of ${event}, version ${version}.\n *\n * @phpstan-type Data ${comment(inPhp(shape))}\n */\nfinal class ${name}Event\n{\n    public const NAME = '${event}';\n    public const VERSION = ${version};\n}\n`,
  );
  return `<?php\n\n// ${MADE}\n\ndeclare(strict_types=1);\n\nnamespace Junction\\EventTypes;\n\n${classes.join("\n")}`;
};

/** A text in a comment must not end it. */
function comment(text: string): string {
  return text.replaceAll("*/", "* /").replaceAll(/[\r\n]/g, " ");
}

function inPhp(shape: Shape): string {
  switch (shape.kind) {
    case "any":
      return "mixed";
    case "boolean":
      return "bool";
    case "integer":
      return "int";
    case "number":
      return "int|float";
    case "values":
      return shape.values
        .map((value) => (typeof value === "string" ? phpText(value) : JSON.stringify(value)))
        .join("|");
    case "list":
      return `list<${inPhp(shape.item)}>`;
    case "union":
      return shape.of.map(inPhp).join("|");
    case "object":
      if (shape.members.length === 0) return "array<string, mixed>";
      return `array{${shape.members.map(({ name, required, shape: one }) => `${phpText(name)}${required ? "" : "?"}: ${inPhp(one)}`).join(", ")}, ...}`;
    default:
      return shape.kind;
  }
}

function phpText(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}
