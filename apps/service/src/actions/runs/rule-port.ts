import { isPassing, isRecord, parseId, parseJson, ServiceError, sha256 } from "../../lib/lib.ts";
import type { Id, Uuid, Violation } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Capability, CapabilityResult, RuleCaller } from "../../automation/automation.ts";
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
import type { RunAnswer } from "../requests/stored-response.ts";
import type { RunDeps } from "./run.ts";

export const APPROVE = "proposals.approve";
/** An event that only the service can fire. */
const PROPOSED = "action.proposed";
const MAX_SHOWN = 200;

/**
 * Creates the `run_action` of rules. `action` is a contract's key, or `proposals.approve`, which approves if an owner
 * allowed that rule.
 */
export function createRuleActions(deps: RunDeps & DecideDeps): Capability {
  return {
    when: "after",
    check: async (scope, action) => await faultsOf(deps, scope, { action, surface: "rule" }),
    async foresee(scope, text) {
      const { action } = readCall(text);
      if (action === APPROVE) return { approves: true };
      const [contract] = await currentContracts(deps.db, [{ ...scope, key: action }]);
      if (contract === undefined) return { reason_code: "action_unknown" };
      return {
        contract_version: contract.version,
        outcome: contract.requires_confirmation ? "pending_confirmation" : "executed",
      };
    },
    async run(caller, { key, action: text }) {
      try {
        const call = readCall(text);
        const request = requestOf(caller, key, text);
        const asker = await askerOfAutomaton(deps, {
          ...caller,
          type: "rule",
          id: caller.ruleId,
          display: caller.ruleName,
          tenant: caller.event.tenant,
        });
        if (call.action === APPROVE) {
          assertOwnProposal(caller, call.parameters);
          const approver = ruleApproving(caller, asker);
          return approvalTold(await approveCalled(deps, approver, { call, request }));
        }
        const { action, parameters } = call;
        const input = { action, parameters, confirmed: false, surface: null, prompt: null };
        return runTold(await run(deps, asker, input, request));
      } catch (error) {
        return refusalResult(error);
      }
    },
  };
}

/**
 * Returns the faults of a step or an action that runs an action. Values are not checked, because templates are not
 * filled in yet.
 */
export async function faultsOf(
  { db }: Pick<RunDeps, "db">,
  scope: Scope,
  step: { readonly action: Readonly<Record<string, unknown>>; readonly surface: "rule" | "workflow" },
): Promise<Violation[]> {
  const { action: key, parameters = {} } = step.action;
  if (key === APPROVE && step.surface === "rule") return [];
  const [contract] = typeof key === "string" ? await currentContracts(db, [{ ...scope, key }]) : [];
  if (contract === undefined)
    return [{ pointer: "/action", code: "action_unknown", message: "must be the key of an action contract" }];
  if (!contract.surface.includes(step.surface)) {
    const message = `cannot be run from the surface ${step.surface}: its contract lists ${contract.surface.join(", ")}`;
    return [{ pointer: "/action", code: "surface_not_allowed", message }];
  }
  const names = isRecord(parameters) ? Object.keys(parameters) : [];
  return names
    .filter((name) => !Object.hasOwn(contract.params, name))
    .map((name) => ({ pointer: `/parameters/${name}`, code: "unknown", message: "is not a parameter of this action" }));
}

interface Call {
  readonly action: string;
  readonly parameters: unknown;
}

function readCall(text: string): Call {
  const read = parseJson(text);
  const { action, parameters = {} } = isRecord(read) ? read : {};
  return { action: String(action), parameters };
}

function requestOf({ scope, ruleId, runId }: RuleCaller, key: string, text: string): RequestContext {
  const { bucket, tag } = scope;
  const lineageId = parseId(ruleId)?.uuid;
  if (lineageId === undefined) throw new Error("a rule's id is none");
  return {
    ref: { bucket, tag, lineageId, key: `rule:${key}`, requestHash: sha256(text) },
    instance: "/v1/actions/run",
    requestId: runId,
  };
}

async function approveCalled(
  deps: DecideDeps,
  approver: Approver,
  { call, request }: { readonly call: Call; readonly request: RequestContext },
): Promise<RunAnswer> {
  const { proposal_id: id, params_hash: hash, comment } = isRecord(call.parameters) ? call.parameters : {};
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
function assertOwnProposal({ event }: RuleCaller, parameters: unknown): void {
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
function ruleApproving(caller: RuleCaller, asker: ActionCaller): Approver {
  const { actor, isAi, rights } = asker;
  const id = parseId(caller.ruleId)?.uuid;
  if (id === undefined) throw new Error("a rule's id is none");
  const author = identitiesOf(asker);
  return {
    scope: caller.scope,
    actor,
    ids: [id, ...author],
    async check(_tx, proposal, contract) {
      if (isAi || !isAllowed(caller, contract?.approval.allow_rule ?? [], rights.role === "owner")) {
        throw new ServiceError("human_approval_required", {
          detail: `The contract's approval.allow_rule does not allow this version of the rule. An owner can add ${caller.ruleId}@${caller.ruleVersion}.`,
        });
      }
      // Other people could give a rule the allowed name.
      if (!proposal.approver_roles.includes(rights.role)) {
        throw new ServiceError("role_not_allowed", {
          detail: "The author of the rule must have a role that can approve it.",
        });
      }
      if (isOwnOf(proposal, { ruleId: caller.ruleId, author })) throw new ServiceError("self_approval_forbidden");
      await Promise.resolve();
    },
  };
}

/** Returns true if the rule is allowed by id and version, or by id or name alone if its last author is an owner. */
function isAllowed(
  { ruleId, ruleName, ruleVersion }: RuleCaller,
  allowed: readonly string[],
  byOwner: boolean,
): boolean {
  if (allowed.includes(`${ruleId}@${ruleVersion}`)) return true;
  return byOwner && (allowed.includes(ruleId) || allowed.includes(ruleName));
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

function runTold({ status, body }: RunAnswer): CapabilityResult {
  const told = parseJson(body) as RunReport;
  if (status >= 400) return failure(told);
  const of = told.proposal === undefined ? { action_run_id: told.id } : { proposal_id: told.proposal.id };
  return { state: "done", told: { result_status: told.status, ...of } };
}

function approvalTold({ status, body }: RunAnswer): CapabilityResult {
  const told = parseJson(body) as RunReport;
  if (status >= 400) return failure(told);
  const { state, id, run_id: runId } = told;
  return { state: "done", told: { result_status: state, proposal_id: id, action_run_id: runId } };
}

function failure({ execution, code = "", detail = code }: RunReport): CapabilityResult {
  const told = { action_run_id: execution?.id, reason_code: code, reason: detail.slice(0, MAX_SHOWN) };
  return { state: "failed", told };
}

/** Retries a temporary fault, but not a refusal. */
function refusalResult(error: unknown): CapabilityResult {
  const isBusy =
    error instanceof ServiceError && ["idempotency_in_progress", "service_unavailable"].includes(error.code);
  if (isBusy || isPassing(error)) return { state: "retry", told: { reason_code: "service_unavailable" } };
  if (!(error instanceof ServiceError)) throw error;
  const reason = (error.details.detail ?? error.kind.title).slice(0, MAX_SHOWN);
  return { state: "failed", told: { reason_code: error.code, reason } };
}
