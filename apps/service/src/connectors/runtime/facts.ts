import type { Event } from "../../events/events.ts";
import type { Json, ScannedJson } from "../../lib/lib.ts";
import { exactNumber, scanJson, toRfc3339, wireId } from "../../lib/lib.ts";

/** An event as connectors see it. */
export function eventFact({ scope, id, name, occurredAt, data }: Event): Json {
  return {
    id: wireId("evt", scope.tag, id),
    event: name,
    timestamp: toRfc3339(occurredAt),
    data: faithful(data),
  };
}

/** Texts in which a number may be spelled in a way that JavaScript would not spell it. */
const ODD_NUMBER = /\d{16}|\d\.\d*0\b|\d[eE]|-0|\d\.\d{15}/;

/** JSON text as a value that is written with each number spelled as it came: languages with larger numbers than ours read them whole. */
export function faithful(text: string): Json {
  const scanned = scanJson(Buffer.from(text));
  return ODD_NUMBER.test(text) ? spelled(scanned, [], scanned.value) : (scanned.value as Json);
}

function spelled(scanned: ScannedJson, path: readonly (string | number)[], value: unknown): Json {
  if (typeof value === "number") {
    const source = scanned.slice(path) ?? String(value);
    return source === String(value) ? value : (exactNumber(source) as Json);
  }
  if (Array.isArray(value)) return value.map((item: unknown, at) => spelled(scanned, [...path, at], item));
  if (typeof value !== "object" || value === null) return value as Json;
  const members = Object.entries(value).map(([name, member]) => [name, spelled(scanned, [...path, name], member)]);
  return Object.fromEntries(members) as Json;
}
