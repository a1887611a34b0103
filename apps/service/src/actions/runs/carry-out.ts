import type { Idempotency, IdempotencyRef, StoredAnswer } from "../../access/access.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { ActionRequest, Request } from "./action-request.ts";
import type { Executor } from "./execute.ts";
import { readProposal, readRun } from "./row-mapping.ts";
import type { StartedRun } from "./start-run.ts";
import type { Reply } from "./stored-response.ts";

export interface RunAnswer extends StoredAnswer {
  readonly replayed: boolean;
}

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

/** Returns the answer of the first call with this key. Throws 409 while that call is running. */
export async function repeated(deps: Pick<CarryDeps, "idempotency">, ref: IdempotencyRef): Promise<RunAnswer> {
  const first = await deps.idempotency.replay(ref);
  if (first === undefined)
    throw new ServiceError("service_unavailable", { internal: "an idempotency record vanished" });
  return { ...first, replayed: true };
}
