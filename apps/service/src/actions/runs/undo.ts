import type { Tx } from "../../platform/db/db.ts";
import { ServiceError, toDate } from "../../lib/lib.ts";
import type { Instant, Uuid } from "../../lib/lib.ts";
import { changeSubject, ownUuid } from "../../accounts/accounts.ts";
import type { StepUpMethod } from "../../accounts/accounts.ts";
import { assertSteppedUp } from "../contracts/high-risk.ts";
import { openedParameters } from "../requests/action-request.ts";
import type { RequestContext } from "../requests/action-request.ts";
import { pinnedContract } from "../contracts/contracts.store.ts";
import type { CurrentContract } from "../contracts/contracts.store.ts";
import { decideOnce } from "../proposals/decide-proposal.ts";
import type { Decision, DecideDeps } from "../proposals/decide-proposal.ts";
import type { Decider, Target } from "../proposals/close-proposal.ts";
import { assertPermitted } from "../contracts/authorization.ts";
import { findProposal } from "../proposals/proposals.store.ts";
import { replyOf } from "../requests/stored-response.ts";
import { replyColumns } from "./run-row.ts";
import type { SentAnswer } from "../../access/access.ts";
import type { Executor } from "./execute.ts";
import { findRun, moveUndoing } from "./runs.store.ts";
import type { FoundRun } from "./runs.store.ts";

interface UndoDeps extends DecideDeps {
  readonly executor: Executor;
}

/**
 * Undoes a run, once and within its window, through the undo endpoint of the contract version that ran. Returns the
 * run. Throws 409 `conflict` if that is no longer possible. Throws 403 if the caller may not run the action, may not
 * approve it although it requires a confirmation, or has no step-up although its approval needs one.
 */
export async function undo(deps: UndoDeps, decider: Decider, target: Target): Promise<SentAnswer> {
  const { scope, session } = decider.asker;
  const id = ownUuid(scope, "run", target.id);
  // Committed before the decision, as for an approval.
  const change = changeSubject(scope, { operation: "runs.undo", id: target.id });
  const stepUp = session === undefined ? undefined : await deps.stepUps.take({ scope, session }, change);
  const undoing = { decider, id, request: target.request, stepUp };
  return await decideOnce(deps, target.request, async (tx) => await decide(deps, tx, undoing), id);
}

interface Undoing {
  readonly decider: Decider;
  readonly id: Uuid;
  readonly request: RequestContext;
  readonly stepUp: StepUpMethod | undefined;
}

async function decide(deps: UndoDeps, tx: Tx, { decider, id, request, stepUp }: Undoing): Promise<Decision> {
  const { asker } = decider;
  const { scope } = asker;
  const run = await findRun(tx.query, { ...scope, id });
  if (run === undefined) throw new ServiceError("not_found");
  const contract = await pinnedContract(tx, { ...scope, key: run.action }, run.contract_version);
  if (contract === undefined) throw new ServiceError("not_found", { internal: "a run's contract is gone" });
  assertMayUndo(contract, decider);
  // A run that needed a step-up needs one to be undone.
  const where = `${deps.baseUrl}/actions`;
  if (contract.requires_confirmation) await assertSteppedUp(tx, { scope, risk: contract.risk, stepUp, where });
  const now = deps.clock.now();
  const reply = replyOf("undo", request);
  const moved = await moveUndoing(
    tx,
    { ...scope, id },
    {
      actor: JSON.stringify(asker.actor),
      leaseId: deps.executor.leaseId,
      now: toDate(now),
      ...replyColumns({ request, reply }),
      requestId: request.requestId,
    },
  );
  if (moved === undefined) throw lateUndo(run, now);
  const sealed = run.parameters_sealed ?? run.proposal_parameters_sealed;
  if (sealed === null) throw new Error("a run has no parameters");
  const parameters = openedParameters(deps.sealer, run.proposal_id ?? run.id, sealed);
  const proposal =
    run.proposal_id === null ? null : ((await findProposal(tx.query, { ...scope, id: run.proposal_id })) ?? null);
  const execution = { scope, kind: "undo", run: moved, contract, parameters, reply, proposal } as const;
  return { kind: "begun", go: async () => await deps.executor.execute(execution) };
}

/**
 * An undo is another action. It needs the same rights, and a person who may approve if the action requires a
 * confirmation.
 */
function assertMayUndo(contract: CurrentContract, { asker, isPerson }: Decider): void {
  assertPermitted(contract, asker.rights, [asker.surface]);
  if (!contract.requires_confirmation) return;
  if (!isPerson || asker.isAi) {
    throw new ServiceError("human_approval_required", {
      detail: `${contract.key} requires a person's confirmation, and so does its undo. Use a console session, or a key that is bound to a person.`,
    });
  }
  const { approver_roles: approverRoles } = contract.approval;
  if (!approverRoles.some((role) => role === asker.rights.role)) {
    throw new ServiceError("role_not_allowed", {
      detail: `Only people who can approve ${contract.key} can undo it: ${approverRoles.join(", ")}. You act as ${asker.rights.role}.`,
    });
  }
}

function lateUndo(run: FoundRun, now: Instant): ServiceError {
  const detail = ((): string => {
    if (run.status !== "executed") return `Only an executed run can be undone; this one is ${run.status}.`;
    if (run.undo_until === null) return "The contract of this run does not define an undo.";
    if (run.undo_actor !== null) return "The run is already being undone.";
    return run.undo_until <= toDate(now) ? "The undo window of the run has ended." : "The run was already undone.";
  })();
  return new ServiceError("conflict", { detail });
}
