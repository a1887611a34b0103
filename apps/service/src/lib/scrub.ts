import type { ScannedJson } from "./json.ts";

/** A value of a scanned text, with its path. */
interface Placed {
  readonly scanned: ScannedJson;
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

const INSTEAD = "[redacted]";
/** Shorter secrets would match parts of most texts. */
const SHORTEST = 4;

/** Returns the text of a value with every secret replaced. Numbers keep their notation. */
export function scrub(placed: Placed, secrets: readonly string[]): string {
  const known = longestFirst(secrets);
  const text = placed.scanned.slice(placed.path) ?? "null";
  return holds(placed.value, known) ? rebuilt(placed, known) : text;
}

/** Returns the text of an object with only these members and without secrets; null if the value is not an object. */
export function picked(placed: Placed, names: readonly string[], secrets: readonly string[]): string {
  const { scanned, path, value } = placed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "null";
  const members = Object.entries(value).filter(([name]) => names.includes(name));
  const texts = members.map(([name, member]) => {
    const text = scrub({ scanned, path: [...path, name], value: member }, secrets);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${texts.join(",")}}`;
}

export function scrubText(text: string, secrets: readonly string[]): string {
  return replaced(text, longestFirst(secrets));
}

/** Sorts longer secrets first, because one secret may contain another. */
function longestFirst(secrets: readonly string[]): string[] {
  return [...new Set(secrets)].filter((one) => one.length >= SHORTEST).toSorted((a, b) => b.length - a.length);
}

function replaced(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, INSTEAD), text);
}

function holds(value: unknown, secrets: readonly string[]): boolean {
  if (typeof value === "string") return secrets.some((secret) => value.includes(secret));
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => holds(item, secrets));
  return Object.entries(value).some(([name, member]) => holds(name, secrets) || holds(member, secrets));
}

function rebuilt({ scanned, path, value }: Placed, secrets: readonly string[]): string {
  if (typeof value === "string") return JSON.stringify(replaced(value, secrets));
  if (Array.isArray(value))
    return `[${value.map((item, at) => rebuilt({ scanned, path: [...path, at], value: item }, secrets)).join(",")}]`;
  if (typeof value !== "object" || value === null) return scanned.slice(path) ?? "null";
  const members = Object.entries(value).map(([name, member]) => {
    const text = rebuilt({ scanned, path: [...path, name], value: member }, secrets);
    return `${JSON.stringify(replaced(name, secrets))}:${text}`;
  });
  return `{${members.join(",")}}`;
}
