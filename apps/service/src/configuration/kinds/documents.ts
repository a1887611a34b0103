import { canonicalJson, exactNumber, isRecord, parseScalars } from "../../lib/lib.ts";

/** The members of an object in a configuration file. Numbers keep their digits. */
export type Document = Readonly<Record<string, unknown>>;

/** Parses JSON text so that writing the value again gives its numbers the same digits. */
export function exactJson(text: string): unknown {
  return parseScalars(text, (scalar) => {
    const value: unknown = JSON.parse(scalar);
    return typeof value === "number" && String(value) !== scalar ? exactNumber(scalar) : value;
  });
}

/** Parses the JSON text of an object that a domain showed. */
export function exactObject(text: string): Document {
  return exactJson(text) as Document;
}

export function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}

/** Returns the named members that the document has, in the order of the names. */
export function pick(document: Document, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(document, name) ? [[name, document[name]]] : [])));
}

/** Returns the document without the named members. */
export function without(document: Document, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name)));
}

export function recordOf(value: unknown): Document {
  return isRecord(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Replaces values by their place. `replace` returns undefined to continue with the members of the value. */
export function replaced(
  value: unknown,
  replace: (value: unknown, place: readonly (string | number)[]) => unknown,
  place: readonly (string | number)[] = [],
): unknown {
  const other = replace(value, place);
  if (other !== undefined) return other;
  if (Array.isArray(value)) return value.map((one, at) => replaced(one, replace, [...place, at]));
  if (!isRecord(value) || Object.hasOwn(value, "rawJSON")) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, replaced(one, replace, [...place, name])]),
  );
}
