import type { AccessChecks } from "../access/access.ts";
import { memberWireId, ownUuid } from "../accounts/accounts.ts";
import type { Admitted, People, Scope } from "../accounts/accounts.ts";
import { askerOf, failedCall, successfulCall } from "../actions/actions.ts";
import type { CallOutcome, OperationHandler, Runs } from "../actions/actions.ts";
import { isPassing, ServiceError, wireId } from "../lib/lib.ts";
import type { Tx } from "../platform/db/db.ts";
import type { Log } from "../platform/telemetry/telemetry.ts";
import { carryOut, checkPlan } from "./application.ts";
import type { ApplicationDeps, CheckedPlan } from "./application.ts";
import { rolesFor } from "./configuration-rights.ts";
import { pendingOf } from "./pending.ts";
import { planPreview } from "./plan-preview.ts";
import { changesView } from "./plan-view.ts";
import * as store from "./plans.store.ts";
import { requesterOf } from "./requester.ts";
import type { RequesterDeps } from "./requester.ts";

export interface ApprovalDeps extends ApplicationDeps, RequesterDeps {
  readonly accessChecks: Pick<AccessChecks, "mayCall" | "operations" | "recordIn" | "assertStillAllowed" | "within">;
  readonly settings: People["current"]["settings"];
  readonly runs: Pick<Runs, "proposeConfiguration" | "waiting">;
  readonly log: Pick<Log, "warn">;
}

const MAX_DETAIL = 1000;

type Approved = Parameters<OperationHandler>[1];

/** Returns true if people must approve the changes before they are made. The setting is that of the transaction. */
export async function mustWait(
  { settings }: Pick<ApprovalDeps, "settings">,
  tx: Tx,
  { environment, workspaceId }: Scope,
  { writes }: CheckedPlan,
): Promise<boolean> {
  if (environment !== "live" || writes.length === 0) return false;
  return (await settings(workspaceId, tx.query)).require_approval_for_configuration;
}

/** Returns the JSON text of the proposal that waits for people to approve the plan. A plan has at most one at a time. */
export async function requestApproval(
  deps: ApprovalDeps,
  tx: Tx,
  caller: Admitted,
  { row, comparison, writes }: CheckedPlan,
): Promise<string> {
  const { key, scope, ip, requestId } = caller;
  const waiting = row.proposal_id === null ? undefined : await deps.runs.waiting(tx, scope, row.proposal_id);
  if (waiting !== undefined) return waiting;
  const proposal = await deps.runs.proposeConfiguration(tx, askerOf(caller, { ip, display: key.display }), {
    ...planPreview(changesView(comparison, await pendingOf(caller, comparison))),
    planId: wireId("pln", scope.tag, row.id),
    digest: row.digest.toString("hex"),
    requesterId: key.session === undefined ? wireId("key", scope.tag, key.id) : memberWireId(scope, key.lineageId),
    approverRoles: rolesFor(deps.accessChecks, writes),
    requestId,
  });
  await store.keepForApproval(tx, scope, row.id, proposal);
  return proposal.text;
}

/** Returns what applies an approved plan, with the rights that its requester has by then. A repeat after a crash applies it once. */
export function createApprovedRun(deps: ApprovalDeps): OperationHandler {
  return async (_key, approved) => {
    try {
      const caller = await requesterOf(deps, approved);
      return await deps.accessChecks.within(caller.scope, async () => await inOneUnit(deps, caller, approved));
    } catch (error) {
      return failureOf(deps, approved, error);
    }
  };
}

/** The domains write through their own transactions, which are parts of the unit. */
async function inOneUnit(deps: ApprovalDeps, caller: Admitted, approved: Approved): Promise<CallOutcome> {
  const unit = deps.db.unit();
  try {
    const outcome = await unit.run(
      async () => await deps.db.transaction(async (tx) => await applyApproved(deps, tx, caller, approved)),
    );
    await unit.commit(async () => await Promise.resolve());
    return outcome;
  } catch (error) {
    await unit.rollback();
    throw error;
  }
}

async function applyApproved(
  deps: ApprovalDeps,
  tx: Tx,
  caller: Admitted,
  { parameters, proposalId }: Approved,
): Promise<CallOutcome> {
  const planId = String(parameters["plan_id"]);
  const row = await store.holdPlan(tx, caller.scope, ownUuid(caller.scope, "pln", planId));
  if (row === undefined || row.digest.toString("hex") !== parameters["digest"])
    throw new ServiceError("not_found", { detail: "The approved plan no longer exists." });
  if (row.answer === null) await carryOut(deps, tx, caller, { ...(await checkPlan(deps, caller, row)), proposalId });
  return successfulCall(JSON.stringify({ object: "configuration_application", plan_id: planId }));
}

function failureOf({ log }: Pick<ApprovalDeps, "log">, { runId }: Approved, error: unknown): CallOutcome {
  if (error instanceof ServiceError) {
    const { code, details, kind } = error;
    const places = (details.errors ?? []).map(({ pointer, message }) => ` ${pointer} ${message}.`).join("");
    const detail = `${details.detail ?? kind.title}${places}`.slice(0, MAX_DETAIL);
    return failedCall(code, detail, { retryable: kind.status === 503 });
  }
  log.warn({ err: error, run_id: runId }, "an approved configuration failed");
  return failedCall("internal_error", "The configuration was not applied, because of an error on our side.", {
    retryable: isPassing(error),
  });
}
