import { isSameJson } from "../../events/events.ts";
import { isRecord, scanJson, ServiceError, TooExpensiveError } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import type { Transformed, TransformInput } from "./transform-template.ts";
import type { OwnedTransform, TransformRunner } from "./run-transform.ts";

/** A test case that is kept with a transformation: an event, and the body that the transformation has to make of it. */
interface TransformCase {
  readonly input: TransformInput;
  /** JSON text. Null if the transformation has to return null. */
  readonly expect: string;
}

/** The id and the time of the events of cases and tests, which have none of their own. */
export const TEST_EVENT = { id: "evt_test", timestamp: "2026-01-01T00:00:00.000Z", tenant: null, attempt: 1 } as const;
const MAX_SHOWN = 500;
const NOT_RUN = "was not run, because a case before it took too long";

/**
 * Runs the cases of a transformation. Throws 409 `transform_cases_failed` with each case that does not pass. The
 * cases after one that took too long are not run, so that they do not take the turns of others.
 */
export async function assertCasesPass(runner: TransformRunner, transform: OwnedTransform): Promise<void> {
  const errors: Violation[] = [];
  let stopped = false;
  for (const [at, { input, expect }] of casesOf(transform.text).entries()) {
    const result: Transformed | undefined = stopped ? undefined : await runner.run(transform, input);
    stopped ||= result?.kind === "failed" && result.stopped === true;
    const difference = result === undefined ? NOT_RUN : differenceOf(result, expect);
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
  if (result.kind === "failed") return `failed: ${result.message}`;
  const isNothing = expect === "null";
  if (result.kind === "filtered") return isNothing ? undefined : `expected ${cut(expect)}, but it returned null`;
  const { body } = result.request;
  if (isNothing) return `expected that it returns null, but got the body ${cut(body)}`;
  try {
    const isSame = isSameJson(scanJson(Buffer.from(body)), scanJson(Buffer.from(expect)));
    return isSame ? undefined : `expected ${cut(expect)}, but got ${cut(body)}`;
  } catch (error) {
    if (error instanceof TooExpensiveError)
      return "too_expensive: the bodies have too many values to compare; use a smaller case";
    throw error;
  }
}

function cut(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
