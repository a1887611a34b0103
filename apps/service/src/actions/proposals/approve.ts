import type { Tx } from "../../platform/db/db.ts";
import { settingsOf } from "../../accounts/accounts.ts";
import type { Role, Scope, SessionInfo, StepUpMethod } from "../../accounts/accounts.ts";
import { canonicalJson, ServiceError, sha256, toDate, toRfc3339, wireId } from "../../lib/lib.ts";
import type { Instant, Uuid } from "../../lib/lib.ts";
import { identitiesOf, viaOf } from "../callers/actor.ts";
import type { Actor, ActionCaller, Via } from "../callers/actor.ts";
import type { RequestContext } from "../requests/action-request.ts";
import type { CurrentContract } from "../contracts/contracts.store.ts";
import { contractToRun } from "../contracts/operator-contracts.ts";
import {
  answeredWith,
  awaitedOf,
  decideOnce,
  checkDecidable,
  conflictResult,
  readOwnProposal,
  contractOfProposal,
} from "./decide-proposal.ts";
import type { Decision, DecideDeps } from "./decide-proposal.ts";
import { entryOf } from "../requests/entries.ts";
import { approved } from "./proposal-events.ts";
import { assertNotBlocked } from "../contracts/authorization.ts";
import { dropLapsed } from "./lapsed.ts";
import { assertApprover } from "./proposal.ts";
import type { ApproverRules } from "./proposal.ts";
import { isProposerGone, moveApproved, standingAtDecision } from "./proposals.store.ts";
import type { ProposalRow } from "./proposals.store.ts";
import type { SentAnswer } from "../../access/access.ts";
import { approveUrl, proposalText } from "./proposal-view.ts";
import { assertSteppedUp } from "../contracts/high-risk.ts";

export interface ApproveInput {
  /** Hex: the hash of what the approver reviewed. */
  readonly params_hash: string;
  readonly comment?: string | undefined;
}

/** The approver of a proposal: a person, or a rule that an owner allowed. */
export interface Approver {
  readonly scope: Scope;
  readonly actor: Actor;
  /** The people that the approver counts as, and its other identities. All approvals under these ids count as one. */
  readonly ids: readonly Uuid[];
  readonly via?: Via;
  /** The console session in which a person decides. */
  readonly session?: SessionInfo;
  /** Throws 403 unless the approver may currently approve this proposal. */
  check(tx: Tx, proposal: ProposalRow, contract: CurrentContract | undefined): Promise<void>;
}

/**
 * Approves a proposal in the form that was reviewed. The last required approval runs its action, exactly once even if
 * several approvals arrive. Returns the proposal, with its run if there is one. Throws 403 and 409 (contract, section
 * 7, "Proposals").
 */
export async function approve(
  deps: DecideDeps,
  approver: Approver,
  approval: { readonly id: string; readonly input: ApproveInput; readonly request: RequestContext },
): Promise<SentAnswer> {
  const { scope } = approver;
  const { input, request } = approval;
  const row = await readOwnProposal(deps, scope, approval.id);
  const stepUp = await takenStepUp(deps, approver, row, input.params_hash);
  const comment = input.comment === undefined ? null : (await deps.audit.redactorOf(scope)).text(input.comment);
  const approving = { approver, row, hash: input.params_hash, comment, request, stepUp };
  return await decideOnce(deps, request, async (tx, work) => await decide(deps, tx, { ...approving, work }));
}

/**
 * Uses up the approver's repeated proof of identity for this proposal in this form. It is committed before the decision,
 * because a shard and the table of all proofs do not share a transaction: a refused approval needs another proof.
 */
async function takenStepUp(
  { stepUps }: DecideDeps,
  { scope, session }: Approver,
  row: ProposalRow,
  hash: string,
): Promise<StepUpMethod | undefined> {
  if (session === undefined || hash !== row.params_hash.toString("hex")) return undefined;
  return await stepUps.take({ scope, session }, approvalSubject(scope, row));
}

/** Returns what the approval of a proposal in this form is known by to a step-up. */
export function approvalSubject(
  { tag }: Pick<Scope, "tag">,
  { id, params_hash: hash }: Pick<ProposalRow, "id" | "params_hash">,
): Buffer {
  const decision = { decision: "proposals.approve", id: wireId("prop", tag, id), params_hash: hash.toString("hex") };
  return sha256(canonicalJson(decision));
}

interface Approving {
  readonly approver: Approver;
  readonly row: ProposalRow;
  readonly hash: string;
  readonly comment: string | null;
  readonly request: RequestContext;
  readonly work: Uuid;
  /** How the approver proved again who they are, for this very proposal. */
  readonly stepUp: StepUpMethod | undefined;
}

async function decide(deps: DecideDeps, tx: Tx, approving: Approving): Promise<Decision> {
  const { approver, row } = approving;
  const { scope } = approver;
  const isAction = row.contract_version > 0;
  const contract = isAction ? await contractToRun(tx, { ...scope, key: row.action }) : undefined;
  await approver.check(tx, row, contract);
  const hindered = await checkDecidable(deps, tx, scope, row.id);
  if (hindered !== undefined) return hindered;
  const now = deps.clock.now();
  await assertStillValid(tx, approving, { contract, now });
  await assertSteppedUp(tx, {
    scope,
    risk: contract?.risk,
    stepUp: approving.stepUp,
    where: approveUrl(deps.baseUrl, scope.tag, row.id),
  });
  const lapsed = row.approvals_required > 1 ? await dropLapsed(tx, { ...scope, id: row.id }) : [];
  const moved = await moveApproved(
    tx,
    { ...scope, id: row.id },
    {
      approverIds: approver.ids,
      approval: JSON.stringify({
        by: approver.actor,
        at: toRfc3339(now),
        comment: approving.comment,
        kind: "explicit",
        ...viaOf(approver),
        ...stepUpOf(approving),
      }),
      paramsHash: row.params_hash,
      now: toDate(now),
      runId: isAction ? approving.work : null,
    },
  );
  if (moved === undefined) return await conflictResult(deps, tx, scope, row.id);
  return await follow(deps, tx, { ...approving, moved, contract, now, lapsed });
}

/** Returns the member of an approval that says how the person proved again who they are. */
function stepUpOf({ stepUp }: { readonly stepUp: StepUpMethod | undefined }): { step_up?: StepUpMethod } {
  return stepUp === undefined ? {} : { step_up: stepUp };
}

/** Throws 409 if the reviewed proposal differs from what would run, or if its proposer no longer exists. */
async function assertStillValid(
  tx: Tx,
  { row, hash }: Approving,
  { contract, now }: { readonly contract: CurrentContract | undefined; readonly now: Instant },
): Promise<void> {
  if (hash !== row.params_hash.toString("hex")) {
    throw new ServiceError("proposal_changed", {
      detail: "The params_hash does not match this proposal. Review the proposal again, and send its current hash.",
    });
  }
  if (row.contract_version > 0 && contract?.version !== row.contract_version) {
    throw new ServiceError("contract_changed", {
      detail: `The action was proposed under version ${row.contract_version} of ${row.action}, which is not the current one.`,
    });
  }
  if (await isProposerGone(tx, row, toDate(now))) throw new ServiceError("proposer_revoked");
}

interface AcceptedApproval extends Approving {
  readonly moved: ProposalRow;
  readonly contract: CurrentContract | undefined;
  readonly now: Instant;
  /** The members whose earlier approvals no longer count. */
  readonly lapsed: readonly string[];
}

/** Records the effects of an accepted approval. The last approval starts the run. */
async function follow(deps: DecideDeps, tx: Tx, accepted: AcceptedApproval): Promise<Decision> {
  const { approver, moved, contract, now, request } = accepted;
  const { scope } = approver;
  const isLast = moved.state !== "proposed";
  const runs = isLast && contract !== undefined;
  deps.audit.record(
    tx,
    scope,
    entryOf("proposal", contract ?? contractOfProposal(moved), "approved", {
      actor: approver.actor,
      approver: approver.actor,
      proposalId: moved.id,
      runId: runs ? accepted.work : null,
      result: {
        approvals: moved.approvals.length,
        required: moved.approvals_required,
        comment: accepted.comment,
        ...(accepted.lapsed.length > 0 && { lapsed: accepted.lapsed }),
        ...viaOf(approver),
        ...stepUpOf(accepted),
      },
      requestId: request.requestId,
    }),
  );
  if (isLast) {
    const by = { approver: approver.actor, comment: accepted.comment, now };
    await deps.events.fireWithin(tx, approved(scope, moved, by));
  }
  if (!runs) {
    if (isLast) await deps.awaited(tx, awaitedOf(deps, scope, moved, "approved"));
    return answeredWith(request, proposalText({ scope, baseUrl: deps.baseUrl }, moved));
  }
  return await deps.startRun(tx, {
    scope,
    proposal: moved,
    contract,
    approver: approver.actor,
    runId: accepted.work,
    request,
    now,
  });
}

/** Returns a person as the approver, identified by the credential, with the current role from the database. */
export function personApproving(asker: ActionCaller, isPerson: boolean): Approver {
  const memberId = isPerson ? asker.memberId : null;
  return {
    scope: asker.scope,
    actor: asker.actor,
    ids: isPerson ? identitiesOf(asker) : [],
    ...viaOf(asker),
    ...(asker.session === undefined || !isPerson ? {} : { session: asker.session }),
    async check(tx, proposal) {
      await assertMayDecide(tx, proposal, { asker, memberId });
      if (proposal.contract_version > 0) assertNotBlocked(proposal.action, asker.rights);
    },
  };
}

/**
 * Throws 403 unless this person may decide on the proposal. The setting `solo_approval` lets the only member of a
 * workspace approve their own proposals.
 */
async function assertMayDecide(
  tx: Tx,
  rules: ApproverRules,
  { asker, memberId }: { readonly asker: ActionCaller; readonly memberId: Uuid | null },
): Promise<void> {
  const { people } = asker;
  if (memberId === null) return assertApprover(rules, { memberId, people, role: asker.rights.role });
  const { role, members, settings } = await standingAtDecision(tx, asker.scope.workspaceId, memberId);
  if (role === null) throw new ServiceError("role_not_allowed", { detail: "You are not a member of this workspace." });
  const solo = members > 1 ? null : settingsOf(settings).solo_approval ? "allowed" : "forbidden";
  return assertApprover(rules, { memberId, people, role: role as Role }, solo);
}

/** Throws 403 unless this person may reject the proposal. Unlike an approval, this is open to its requester. */
export async function assertMayReject(
  tx: Tx,
  proposal: ProposalRow,
  asker: ActionCaller,
  isPerson: boolean,
): Promise<void> {
  const memberId = isPerson ? asker.memberId : null;
  await assertMayDecide(tx, { ...proposal, four_eyes: false }, { asker, memberId });
}
