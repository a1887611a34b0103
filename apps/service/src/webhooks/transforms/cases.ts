import { isSameJson } from "../../events/events.ts";
import { isRecord, scanJson, ServiceError } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import type { Transformed, TransformInput } from "./template.ts";
import type { RunTransform } from "./run.ts";

/** A test case that is kept with a transformation: an event, and the body that the transformation has to make of it. */
interface TransformCase {
  readonly input: TransformInput;
  /** JSON text. Null if the transformation has to return null. */
  readonly expect: string;
}

/** The id and the time of the events of cases and tests, which have none of their own. */
export const TEST_EVENT = { id: "evt_test", timestamp: "2026-01-01T00:00:00.000Z", tenant: null, attempt: 1 } as const;
const MAX_SHOWN = 500;

/** Runs the cases of a transformation. Throws 409 `transform_cases_failed` with each case that does not pass. */
export async function assertCasesPass(run: RunTransform, text: string): Promise<void> {
  const errors: Violation[] = [];
  for (const [at, { input, expect }] of casesOf(text).entries()) {
    const difference = differenceOf(await run(text, input), expect);
    if (difference === undefined) continue;
    errors.push({ pointer: `/transform/cases/${at}`, code: "case_failed", message: difference });
  }
  if (errors.length > 0)
    throw new ServiceError("transform_cases_failed", {
      detail: `${errors.length} of the transformation's cases did not pass, so nothing was saved.`,
      errors,
    });
}

function casesOf(text: string): TransformCase[] {
  const { value, slice } = scanJson(Buffer.from(text));
  const given: readonly unknown[] = isRecord(value) && Array.isArray(value["cases"]) ? value["cases"] : [];
  return given.map((one, at) => ({
    input: {
      ...TEST_EVENT,
      event: isRecord(one) ? String(one["event"]) : "",
      data: slice(["cases", at, "data"]) ?? "{}",
    },
    expect: slice(["cases", at, "expect"]) ?? "null",
  }));
}

function differenceOf(result: Transformed, expect: string): string | undefined {
  const got = result.kind === "request" ? result.request.body : "null";
  if (result.kind === "failed") return `failed: ${result.message}`;
  return isExpected(got, expect) ? undefined : `expected ${cut(expect)}, but got ${cut(got)}`;
}

function isExpected(got: string, expect: string): boolean {
  return isSameJson(scanJson(Buffer.from(got)), scanJson(Buffer.from(expect)));
}

function cut(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
