import type { Event } from "../../events/events.ts";
import type { Json, ScannedJson } from "../../lib/lib.ts";
import { exactNumber, scanJson, toRfc3339, wireId } from "../../lib/lib.ts";

/** Returns an event in the form that connectors receive. */
export function eventFact({ scope, id, name, occurredAt, data }: Event): Json {
  return {
    id: wireId("evt", scope.tag, id),
    event: name,
    timestamp: toRfc3339(occurredAt),
    data: faithful(data),
  };
}

/** Matches text in which a number may be spelled differently from JavaScript's own spelling. */
const ODD_NUMBER = /\d{16}|\d\.\d*0\b|\d[eE]|-0|\d\.\d{15}/;

/**
 * Returns the value of a JSON text in which each number keeps its spelling, because other languages can read larger
 * numbers exactly.
 */
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
