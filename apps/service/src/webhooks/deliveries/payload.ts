import {
  isRecord,
  JsonError,
  locate,
  readPath,
  scanJson,
  ServiceError,
  TooExpensiveError,
  WorkBudget,
} from "../../lib/lib.ts";
import type { Path, ScannedJson } from "../../lib/lib.ts";

/** A value that an event's data must have at a path. */
export interface PayloadFilter {
  readonly path: Path;
  /** The text of a string, or a number, true, false or null as spelled in the data. */
  readonly value: string;
}

/** Reads `$.order.id=10482`. Throws 400 `query_invalid`. */
export function readPayloadFilter(text: string): PayloadFilter {
  const cut = text.indexOf("=");
  const path = cut === -1 ? undefined : readPath(text.slice(0, cut));
  if (path === undefined || cut === text.length - 1) {
    throw new ServiceError("query_invalid", {
      detail: "payload must be a path into the event's data and a value, such as $.order.id=10482.",
    });
  }
  return { path, value: text.slice(cut + 1) };
}

/** Returns false also if the path leads so deep into large data that its spelling is too expensive to find. */
export function hasPayload({ path, value }: PayloadFilter, data: string): boolean {
  const scanned = scannedOf(data);
  const found = scanned === undefined ? undefined : locate(scanned.value, path.steps);
  if (scanned === undefined || found === undefined || isRecord(found.value) || Array.isArray(found.value)) return false;
  if (typeof found.value === "string") return found.value === value;
  try {
    return scanned.slice(found.at, new WorkBudget()) === value;
  } catch (error) {
    if (error instanceof TooExpensiveError) return false;
    throw error;
  }
}

/** Returns undefined for data that repeats a name in an object, as the data of other senders may. */
function scannedOf(data: string): ScannedJson | undefined {
  try {
    return scanJson(Buffer.from(data));
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
