/** Names and texts as Python has them. */

const WIDTH = 104;
const KEYWORDS = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if import in
   is lambda nonlocal not or pass raise return try while with yield match case`.split(/\s+/),
);
/** What generated annotations and calls say; a member of that name would hide it from those below. */
const USED = new Set(["Any", "Mapping", "Sequence", "bool", "datetime", "float", "int", "str", "tuple", "self"]);

/** Code that can be spread over lines. */
export type Part = string | { readonly open: string; readonly parts: readonly Part[]; readonly close: string };

/** The wire's `from` is `from_`. */
export function pythonName(name: string): string {
  const word = name.replaceAll(/[^A-Za-z0-9_]/g, "_");
  return KEYWORDS.has(word) || USED.has(word) ? `${word}_` : word;
}

export function isKeyword(name: string): boolean {
  return KEYWORDS.has(name) || !/^[A-Za-z_]\w*$/.test(name);
}

/** A text as a literal: JSON's are Python's. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

export function literal(values: readonly (string | number | boolean)[]): string {
  return `Literal[${values.map(constant).join(", ")}]`;
}

export function constant(value: string | number | boolean): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value);
}

/** Nothing where there is nothing to say. */
export function docstring(text: string, indent: string): string[] {
  const clean = text.trim().replaceAll("\\", "\\\\").replaceAll('"""', "'''");
  if (clean === "") return [];
  const lines = clean.split("\n").map((line) => (line === "" ? "" : indent + line));
  // A quote at the end would run into the docstring's own.
  const end = lines.length > 1 ? [`${indent}"""`] : [];
  const [first = "", ...rest] = lines;
  const opened = `${indent}"""${first.slice(indent.length)}`;
  if (rest.length > 0) return [opened, ...rest, ...end];
  return [`${opened}${opened.endsWith('"') ? " " : ""}"""`];
}

export function indented(lines: readonly string[], by = "    "): string[] {
  return lines.map((line) => (line === "" ? "" : by + line));
}

/** A call, a tuple or a dict: on one line where it fits, or over several, each part with its comma. Parts may be spread too. */
export function spread(open: string, parts: readonly Part[], close: string): string[] {
  const single = open + parts.map(flat).join(", ") + close;
  if (single.length <= WIDTH || parts.length === 0) return [single];
  const lines = parts.flatMap((part) => {
    if (typeof part === "string") return [`${part},`];
    return spread(part.open, part.parts, `${part.close},`);
  });
  return [open, ...indented(lines), close];
}

export function file(lines: readonly string[]): string {
  return `${lines
    .join("\n")
    .replaceAll(/\n{4,}/g, "\n\n\n")
    .trimEnd()}\n`;
}

function flat(part: Part): string {
  return typeof part === "string" ? part : part.open + part.parts.map(flat).join(", ") + part.close;
}
