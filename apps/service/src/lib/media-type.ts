/** A `Content-Type` as it was sent, in any form. */
export type MediaType = ReturnType<typeof readMediaType>;

const TYPE = /^[^;,]*/;
const PARAMETER = /\s*;\s*(?:([^\s;,="]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;,]*))?/y;
/** A header with one value may have commas in it. */
const SINGLE_PARAMETER = /\s*;\s*(?:([^\s;="]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*))?/y;
const ESSENCE = /^[a-z0-9!#$&^_.+*-]+\/[a-z0-9!#$&^_.+*-]+$/;

/**
 * Reads a `Content-Type`. Of a header that was sent twice and joined with a comma, the first part counts, and of a repeated parameter
 * the first one. What is not well formed is left out.
 */
export function readMediaType(header: string | undefined) {
  const text = header ?? "";
  const essence = (TYPE.exec(text)?.[0] ?? "").trim().toLowerCase();
  return {
    /** The type without parameters, in lower case; empty if the header is absent or names none. */
    essence: ESSENCE.test(essence) ? essence : "",
    /** Returns the first parameter of this lower-case name. */
    parameter: (name: string): string | undefined => parametersIn(text, PARAMETER).get(name),
    /** Returns the same of a header that was not joined from several: commas are a part of the value. */
    wholeParameter: (name: string): string | undefined => parametersIn(text, SINGLE_PARAMETER).get(name),
  };
}

/** Returns the parameters of a header such as `form-data; name="a"`, by lower-case name. */
export function readParameters(header: string): ReadonlyMap<string, string> {
  return parametersIn(header, SINGLE_PARAMETER);
}

function parametersIn(text: string, pattern: RegExp): Map<string, string> {
  const found = new Map<string, string>();
  pattern.lastIndex = TYPE.exec(text)?.[0].trimEnd().length ?? 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const name = match[1]?.toLowerCase();
    if (name !== undefined && !found.has(name)) found.set(name, unquoted(match[2] ?? ""));
  }
  return found;
}

function unquoted(value: string): string {
  const trimmed = value.trim();
  return trimmed.length > 1 && trimmed.startsWith('"') && trimmed.endsWith('"')
    ? trimmed.slice(1, -1).replaceAll(/\\(["\\])/g, "$1")
    : trimmed;
}
