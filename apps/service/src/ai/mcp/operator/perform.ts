import { runDetached } from "../../../access/access.ts";
import type { AccessChecks, Operation } from "../../../access/access.ts";
import type { Admitted, App } from "../../../accounts/accounts.ts";
import { membersOf, ServiceError, sha256 } from "../../../lib/lib.ts";
import type { ErrorCode, Violation } from "../../../lib/lib.ts";
import type { OperatorCall } from "./operator-call.ts";

export interface PerformDeps {
  readonly accessChecks: AccessChecks;
  readonly baseUrl: string;
}

export interface Performed {
  readonly app: App;
  readonly caller: Admitted;
  readonly call: OperatorCall;
  /** The operation that the caller may do. */
  readonly operation: Operation;
  /** The idempotency key. */
  readonly once: string;
}

/** Runs the operation of a call that no request makes. Returns its response as JSON text, empty for none. Throws its refusal. */
export async function perform(
  { accessChecks, baseUrl }: PerformDeps,
  { app, caller, call, operation, once }: Performed,
): Promise<string> {
  const { bucket, tag } = caller.scope;
  const { entry, params, query, body, scanned } = call.bound;
  const requestHash = sha256(`${call.tool}\n${call.argumentsText}`);
  const ref = { bucket, tag, lineageId: caller.key.lineageId, key: once, requestHash };
  const parts = { params, query, body, scanned };
  const answer = await runDetached(accessChecks, { app, entry, operation, caller, parts, ref, baseUrl });
  if (answer.status >= 400) throw thrownProblem(answer.body);
  return answer.body;
}

/** Returns the refusal that a problem document reports. */
function thrownProblem(problem: string): ServiceError {
  const { code, detail, errors } = membersOf(problem);
  return new ServiceError(code as ErrorCode, {
    ...(typeof detail === "string" && { detail }),
    ...(Array.isArray(errors) && { errors: errors as Violation[] }),
  });
}
