import type { Idempotency } from "../../access/access.ts";
import type { ActionRequest, Request } from "../requests/action-request.ts";
import type { Executor } from "./execute.ts";
import { readRun } from "./run-row.ts";
import { readProposal } from "../proposals/proposal-row.ts";
import type { StartedRun } from "./start-run.ts";
import { repeated } from "../requests/stored-response.ts";
import type { Reply, RunAnswer } from "../requests/stored-response.ts";

interface CarryDeps {
  readonly idempotency: Pick<Idempotency, "replay">;
  readonly executor: Executor;
}

interface Carrying {
  /** Null: another request with the same key has begun the work. */
  readonly written: StartedRun | null;
  readonly request: Request;
  readonly reply: Reply;
}

/** Returns the answer of work that has begun, after the call of its run if the answer depends on it. */
export async function carryOut(
  deps: CarryDeps,
  { asker: { scope }, contract, parameters }: ActionRequest,
  { written, request, reply }: Carrying,
): Promise<RunAnswer> {
  if (written === null) return await repeated(deps, request.ref);
  if (written.run !== undefined) {
    const proposal = written.proposal === undefined ? null : readProposal(written.proposal);
    const { leaseId } = deps.executor;
    const begun = { run: readRun(written.run), leaseId, contract, parameters, proposal };
    const execution = { ...begun, scope, kind: "execute" } as const;
    if (written.answer === null) {
      const settled = await deps.executor.execute({ ...execution, reply });
      return settled?.answer == null ? await repeated(deps, request.ref) : { ...settled.answer, replayed: false };
    }
    deps.executor.begin({ ...execution, reply: null });
  }
  return written.answer === null ? await repeated(deps, request.ref) : { ...written.answer, replayed: false };
}
