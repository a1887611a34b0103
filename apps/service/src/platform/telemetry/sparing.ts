import { isPassing } from "../../lib/lib.ts";

/** The part of a record to write. `repeated` is the number of records like it that were left out since. */
export type Verdict = { readonly kind: "whole" | "brief"; readonly repeated: number } | { readonly kind: "none" };

const EVERY_MS = 10_000;
const MOST_CAUSES = 500;

/**
 * Returns a function that judges records with an error. Each cause is written once in ten seconds, because a database that is down fails
 * each request and each round of each loop. A request that failed by a fault of ours is written each time, so that its id is found, but
 * then without the stack.
 */
export function createSparing(
  nowMs: () => number,
): (message: string, fields: { readonly err: unknown; readonly request_id?: unknown }) => Verdict {
  const causes = new Map<string, { untilMs: number; repeated: number }>();
  return (message, fields) => {
    const cause = causeOf(message, fields.err);
    const known = causes.get(cause);
    if (known === undefined || nowMs() >= known.untilMs) {
      if (causes.size >= MOST_CAUSES) causes.clear();
      causes.set(cause, { untilMs: nowMs() + EVERY_MS, repeated: 0 });
      return { kind: "whole", repeated: known?.repeated ?? 0 };
    }
    if (fields.request_id !== undefined && !isPassing(fields.err)) return { kind: "brief", repeated: 0 };
    known.repeated += 1;
    return { kind: "none" };
  };
}

/** Messages differ in numbers and ids, which do not make another cause. */
function causeOf(message: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const text = error instanceof Error ? error.message : String(error);
  return `${message} ${code} ${text.slice(0, 300).replaceAll(/[0-9a-f-]{8,}|[0-9]+/gi, "#")}`;
}
