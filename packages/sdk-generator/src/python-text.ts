/** Translates names and texts to Python. */

const WIDTH = 104;
const KEYWORDS = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if import in
   is lambda nonlocal not or pass raise return try while with yield match case`.split(/\s+/),
);
/** Names that generated annotations and calls use. A member with such a name would hide it from later ones. */
const USED = new Set(["Any", "Mapping", "Sequence", "bool", "datetime", "float", "int", "str", "tuple", "self"]);

/** Code that can be split over lines. */
export type Part = string | { readonly open: string; readonly parts: readonly Part[]; readonly close: string };

/** Returns `from_` for the wire's `from`. */
export function pythonName(name: string): string {
  const word = name.replaceAll(/[^A-Za-z0-9_]/g, "_");
  return KEYWORDS.has(word) || USED.has(word) ? `${word}_` : word;
}

export function isKeyword(name: string): boolean {
  return KEYWORDS.has(name) || !/^[A-Za-z_]\w*$/.test(name);
}

/** Returns a text as a literal. JSON literals are valid in Python. */
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

/** Returns a docstring; nothing for an empty text. */
export function docstring(text: string, indent: string): string[] {
  const clean = text.trim().replaceAll("\\", "\\\\").replaceAll('"""', "'''");
  if (clean === "") return [];
  const lines = clean.split("\n").map((line) => (line === "" ? "" : indent + line));
  // A quote at the end would run into the docstring's own quotes.
  const end = lines.length > 1 ? [`${indent}"""`] : [];
  const [first = "", ...rest] = lines;
  const opened = `${indent}"""${first.slice(indent.length)}`;
  if (rest.length > 0) return [opened, ...rest, ...end];
  return [`${opened}${opened.endsWith('"') ? " " : ""}"""`];
}

export function indented(lines: readonly string[], by = "    "): string[] {
  return lines.map((line) => (line === "" ? "" : by + line));
}

/**
 * Returns a call, a tuple or a dict: on one line if it fits, or over several, with a comma after each part. Parts may
 * be split too.
 */
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
