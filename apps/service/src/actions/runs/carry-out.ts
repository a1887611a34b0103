import type { Idempotency } from "../../access/access.ts";
import type { Executor } from "./execute.ts";
import { readRun } from "./run-row.ts";
import { readProposal } from "../proposals/proposal-row.ts";
import type { RecordedCall, StartedRun } from "./start-run.ts";
import { repeated } from "../requests/stored-response.ts";
import type { RunAnswer } from "../requests/stored-response.ts";

interface CarryDeps {
  readonly idempotency: Pick<Idempotency, "replay">;
  readonly executor: Executor;
}

/**
 * Returns the answer of work that has begun, after the call of its run if the answer depends on it. `written` is null if
 * another request with the same key has begun the work.
 */
export async function carryOut(
  deps: CarryDeps,
  { asked, request, reply }: RecordedCall,
  written: StartedRun | null,
): Promise<RunAnswer> {
  if (written === null) return await repeated(deps, request.ref);
  if (written.run !== undefined) {
    const proposal = written.proposal === undefined ? null : readProposal(written.proposal);
    const { contract, parameters } = asked;
    const { scope } = asked.asker;
    const { leaseId } = deps.executor;
    const begun = { run: readRun(written.run), leaseId, contract, parameters, proposal };
    const execution = { ...begun, scope, kind: "execute" } as const;
    if (written.answer === null) {
      const answer = await deps.executor.execute({ ...execution, reply });
      return answer === null ? await repeated(deps, request.ref) : { ...answer, replayed: false };
    }
    deps.executor.begin({ ...execution, reply: null });
  }
  return written.answer === null ? await repeated(deps, request.ref) : { ...written.answer, replayed: false };
}
