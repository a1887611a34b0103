import { isPassing, isRecord, membersOf, parseId, parseJson, ServiceError, sha256, wireId } from "../../lib/lib.ts";
import type { Id, Uuid, Violation } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { callKey, ownerWireId } from "../../automation/automation.ts";
import type { Members, StepCall, StepEnd, StepPort, StepRetry } from "../../automation/automation.ts";
import { identitiesOf } from "../callers/actor.ts";
import type { Actor, ActionCaller } from "../callers/actor.ts";
import { approve } from "../proposals/approve.ts";
import type { Approver } from "../proposals/approve.ts";
import type { RequestContext } from "../requests/action-request.ts";
import { askerOfAutomaton } from "../callers/delegated-caller.ts";
import { currentContracts } from "../contracts/contracts.store.ts";
import type { DecideDeps } from "../proposals/decide-proposal.ts";
import { areAmong } from "../proposals/proposal.ts";
import { findProposal } from "../proposals/proposals.store.ts";
import type { ProposalRow } from "../proposals/proposals.store.ts";
import { run } from "./run.ts";
import type { SentAnswer } from "../../access/access.ts";
import type { RunDeps } from "./run.ts";

export const APPROVE = "proposals.approve";
/** An event that only the service can fire. */
const PROPOSED = "action.proposed";
const MAX_SHOWN = 200;

/**
 * Creates the `run_action` of rules. `action` is a contract's key, or `proposals.approve`, which approves if an owner
 * allowed that rule.
 */
export function createRuleAction(deps: RunDeps & DecideDeps): StepPort {
  return {
    type: "run_action",
    check: async (scope, members) => await faultsOf(deps, scope, { members, surface: "rule" }),
    async foresee(scope, input) {
      const { action } = readCall(input);
      if (action === APPROVE) return { approves: true };
      const [contract] = await currentContracts(deps.db, [{ ...scope, key: action }]);
      if (contract === undefined) return { reason_code: "action_unknown" };
      return {
        contract_version: contract.version,
        outcome: contract.requires_confirmation ? "pending_confirmation" : "executed",
      };
    },
    async run(call) {
      try {
        const { action, parameters } = readCall(call.input);
        const request = callRequest(call);
        const asker = await callerOf(deps, call);
        if (action === APPROVE) {
          assertOwnProposal(call, parameters);
          return approvalEnd(await approveCalled(deps, ruleApproving(call, asker), { parameters, request }));
        }
        const input = { action, parameters, confirmed: false, surface: null, prompt: null };
        return runEnd(await run(deps, asker, input, request));
      } catch (error) {
        return refusalEnd(error);
      }
    },
  };
}

/** Returns the rule or workflow as a caller. See `askerOfAutomaton`. */
export async function callerOf(deps: Pick<RunDeps, "db" | "clock">, call: StepCall): Promise<ActionCaller> {
  const { scope, owner, author, event, tenant } = call;
  return await askerOfAutomaton(deps, {
    scope,
    type: owner.kind,
    id: ownerWireId(call),
    author,
    display: owner.name,
    chain: [...event.chain, event.id],
    tenant,
  });
}

/**
 * Returns the faults of a step or an action that runs an action. Values are not checked, because templates are not
 * filled in yet.
 */
export async function faultsOf(
  { db }: Pick<RunDeps, "db">,
  scope: Scope,
  { members, surface }: { readonly members: Members; readonly surface: "rule" | "workflow" },
): Promise<Violation[]> {
  const { action: key, parameters = {} } = members;
  if (key === APPROVE && surface === "rule") return [];
  const [contract] = typeof key === "string" ? await currentContracts(db, [{ ...scope, key }]) : [];
  if (contract === undefined)
    return [{ pointer: "/action", code: "action_unknown", message: "must be the key of an action contract" }];
  if (!contract.surface.includes(surface)) {
    const message = `cannot be run from the surface ${surface}: its contract lists ${contract.surface.join(", ")}`;
    return [{ pointer: "/action", code: "surface_not_allowed", message }];
  }
  const names = isRecord(parameters) ? Object.keys(parameters) : [];
  return names
    .filter((name) => !Object.hasOwn(contract.params, name))
    .map((name) => ({ pointer: `/parameters/${name}`, code: "unknown", message: "is not a parameter of this action" }));
}

function readCall(text: string): { readonly action: string; readonly parameters: unknown } {
  const { action, parameters = {} } = membersOf(text);
  return { action: String(action), parameters };
}

function callRequest(call: StepCall): RequestContext {
  const { scope, owner, runId, input } = call;
  return {
    ref: {
      bucket: scope.bucket,
      tag: scope.tag,
      lineageId: owner.id,
      key: `rule:${callKey(call)}`,
      requestHash: sha256(input),
    },
    instance: "/v1/actions/run",
    requestId: wireId("rrun", scope.tag, runId),
  };
}

async function approveCalled(
  deps: DecideDeps,
  approver: Approver,
  { parameters, request }: { readonly parameters: unknown; readonly request: RequestContext },
): Promise<SentAnswer> {
  const { proposal_id: id, params_hash: hash, comment } = isRecord(parameters) ? parameters : {};
  const before = await deps.idempotency.replay(request.ref);
  if (before !== undefined) return { ...before, replayed: true };
  const parsed = parseId(String(id));
  const row =
    parsed === undefined ? undefined : await findProposal(deps.db.query, { ...approver.scope, id: parsed.uuid });
  const input = {
    // Without a hash, the rule approves the proposal of its event. A proposal never changes, because an edit creates
    // another one.
    params_hash: typeof hash === "string" ? hash : (row?.params_hash.toString("hex") ?? ""),
    comment: typeof comment === "string" ? comment : undefined,
  };
  return await approve(deps, approver, { id: String(id), input, request });
}

/**
 * Throws 403 unless the rule runs for the event by which the service announced this proposal, regardless of the rest of
 * `data`.
 */
function assertOwnProposal({ event }: StepCall, parameters: unknown): void {
  const wanted = isRecord(parameters) ? parameters["proposal_id"] : undefined;
  const told = event.name === PROPOSED ? parseJson(event.data) : undefined;
  if (isRecord(told) && told["proposal_id"] === wanted) return;
  throw new ServiceError("human_approval_required", {
    detail: `A rule can approve only the proposal of its own event: subscribe to ${PROPOSED}, and approve \${$.data.proposal_id}.`,
  });
}

/**
 * Returns a rule as the approver: allowed by an owner, written by an approver who is not an AI, and not the requester
 * itself. It counts as its author.
 */
function ruleApproving(call: StepCall, asker: ActionCaller): Approver {
  const { scope, owner } = call;
  const { actor, isAi, rights } = asker;
  const ruleId = ownerWireId(call);
  const author = identitiesOf(asker);
  return {
    scope,
    actor,
    ids: [owner.id, ...author],
    async check(_tx, proposal, contract) {
      const allowed = contract?.approval.allow_rule ?? [];
      // A rule that an owner wrote is allowed by its id or name alone. Other people could give a rule the allowed name.
      const isAllowed =
        allowed.includes(`${ruleId}@${owner.version}`) ||
        (rights.role === "owner" && (allowed.includes(ruleId) || allowed.includes(owner.name)));
      if (isAi || !isAllowed) {
        throw new ServiceError("human_approval_required", {
          detail: `The contract's approval.allow_rule does not allow this version of the rule. An owner can add ${ruleId}@${owner.version}.`,
        });
      }
      if (!proposal.approver_roles.includes(rights.role)) {
        throw new ServiceError("role_not_allowed", {
          detail: "The author of the rule must have a role that can approve it.",
        });
      }
      if (isOwnOf(proposal, { ruleId, author })) throw new ServiceError("self_approval_forbidden");
      await Promise.resolve();
    },
  };
}

/**
 * Returns true if the rule requested the proposal, or if second-person approval is required and the rule's author was
 * involved.
 */
function isOwnOf(
  { proposer, four_eyes: fourEyes, involved }: ProposalRow,
  { ruleId, author }: { readonly ruleId: Id; readonly author: readonly Uuid[] },
): boolean {
  if ((parseJson(proposer) as Actor).id === ruleId) return true;
  return fourEyes && areAmong(author, involved);
}

/** The part of an answer that a rule's run shows. */
interface RunReport {
  readonly id?: Id;
  readonly status?: unknown;
  readonly state?: string;
  readonly run_id?: Id | null;
  readonly proposal?: { readonly id: Id };
  readonly execution?: { readonly id: Id };
  readonly code?: string;
  readonly detail?: string;
}

function runEnd({ status, body }: SentAnswer): StepEnd {
  const report = parseJson(body) as RunReport;
  if (status >= 400) return failedEnd(report);
  const { id, proposal } = report;
  const of = proposal === undefined ? { action_run_id: id } : { proposal_id: proposal.id };
  return { kind: "done", output: JSON.stringify({ result_status: report.status, ...of }) };
}

function approvalEnd({ status, body }: SentAnswer): StepEnd {
  const report = parseJson(body) as RunReport;
  if (status >= 400) return failedEnd(report);
  const { state, id, run_id: runId } = report;
  return { kind: "done", output: JSON.stringify({ result_status: state, proposal_id: id, action_run_id: runId }) };
}

function failedEnd({ execution, code = "", detail = code }: RunReport): StepEnd {
  const output = JSON.stringify({ action_run_id: execution?.id });
  return { kind: "failed", code, error: detail.slice(0, MAX_SHOWN), output };
}

/** Retries a temporary fault, but not a refusal. */
function refusalEnd(error: unknown): StepEnd | StepRetry {
  const isBusy =
    error instanceof ServiceError && ["idempotency_in_progress", "service_unavailable"].includes(error.code);
  if (isBusy || isPassing(error)) return { kind: "retry", code: "service_unavailable" };
  if (!(error instanceof ServiceError)) throw error;
  const reason = (error.details.detail ?? error.kind.title).slice(0, MAX_SHOWN);
  return { kind: "failed", code: error.code, error: reason };
}
