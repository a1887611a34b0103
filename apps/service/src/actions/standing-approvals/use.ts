import type { AuditEntry } from "../../audit/audit.ts";
import type { Tx } from "../../platform/db/db.ts";
import { parseJson, toDate, toRfc3339, uuidTime } from "../../lib/lib.ts";
import type { Id, Instant } from "../../lib/lib.ts";
import { settingsOf } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { identitiesOf, SYSTEM } from "../callers/actor.ts";
import type { Actor } from "../callers/actor.ts";
import { currentContracts } from "../contracts/contracts.store.ts";
import { visible } from "../proposals/preview.ts";
import { areAmong } from "../proposals/proposal.ts";
import { proposerColumns } from "../proposals/proposal-row.ts";
import { isProposerGone, standingAtDecision } from "../proposals/proposals.store.ts";
import type { ActionDeps } from "../requests/action-deps.ts";
import type { ActionRequest } from "../requests/action-request.ts";
import { auditActor } from "../requests/entries.ts";
import { standingActor, standingWireId, termsOf } from "./standing-approval-view.ts";
import { activeOf, hasRoom, membersOf, moveStandingEnded, takeBudget } from "./standing-approvals.store.ts";
import type { EndReason, StandingRow, Use } from "./standing-approvals.store.ts";
import { agentsOf, coverOf, isAgentSurface } from "./terms.ts";
import type { Agent } from "./terms.ts";
import { windowOf } from "./windows.ts";
import type { WindowUnit } from "./windows.ts";

/** A standing approval that covers a call. */
export interface Candidate {
  readonly row: StandingRow;
  readonly amount: string | null;
  /** The agents that the caller is. */
  readonly agents: readonly Agent[];
}

/** The approval of a proposal by a standing approval. */
export interface StandingUse {
  readonly row: StandingRow;
  readonly actor: Actor;
  /** The approval as the proposal shows it. */
  readonly approval: object;
  /** The facts for the audit log: the standing approval, its writer and its budget. */
  readonly facts: object;
}

/** The standing approval that covers a call for which its budget has no room. */
export interface OverBudget {
  readonly standing_approval_id: Id;
  readonly name: string;
  /** The end of the window, when the budget begins again. */
  readonly window_end: string;
  /** One sentence for the caller and for the people who decide. */
  readonly detail: string;
}

const MAX_NAME = 100;

type Call = Pick<ActionRequest, "asker" | "contract" | "parameters" | "surface">;

/** Returns the standing approvals whose terms cover the call, oldest first. Budgets and writers are not checked yet. */
export async function candidatesFor({ db, clock }: ActionDeps, call: Call): Promise<Candidate[]> {
  const { asker, contract } = call;
  if (!mayStand(call)) return [];
  const wanted = { action: contract.key, version: contract.version, now: toDate(clock.now()) };
  const rows = await activeOf(db, asker.scope, wanted);
  return rows.flatMap((row) => {
    const terms = termsOf(row);
    const agents = agentsOf(terms.agents, asker);
    const covered = agents.length > 0 ? coverOf(terms, call.parameters) : undefined;
    return covered === undefined ? [] : [{ row, amount: covered.amount, agents }];
  });
}

/** Returns false for calls that no standing approval ever approves, without a query. */
function mayStand({ asker, contract, surface }: Call): boolean {
  const { destructive, approval } = contract;
  if (destructive || approval.required > 1 || !approval.approver_roles.includes("owner")) return false;
  return isAgentSurface(asker.surface) && isAgentSurface(surface);
}

/**
 * Approves the call by the first candidate that may and that has room, and counts it in this transaction. Otherwise, people
 * decide: both results are absent if none covers the call. A standing approval whose writer is no longer an owner ends here.
 */
export async function useStanding(
  deps: ActionDeps,
  tx: Tx,
  call: Call,
  candidates: readonly Candidate[],
): Promise<{ readonly used?: StandingUse; readonly overBudget?: OverBudget }> {
  const { asker, contract } = call;
  const { scope } = asker;
  const now = deps.clock.now();
  const [current] = await currentContracts(tx, [{ ...scope, key: contract.key }]);
  if (current?.version !== contract.version || (await isProposerGone(tx, proposerColumns(call.asker), toDate(now))))
    return {};
  const report = (outcome: "approved" | "over_budget"): void =>
    tx.onCommit(() => deps.signals.standingUsed(scope.tag, outcome));
  let overBudget: OverBudget | undefined;
  for (const candidate of candidates) {
    if (!(await isApprover(deps, tx, call, candidate))) continue;
    const used = await takeBudget(tx, { ...scope, id: candidate.row.id }, useOf(candidate, now));
    if (used === undefined) {
      overBudget ??= overBudgetOf(scope, candidate.row, now);
      continue;
    }
    report("approved");
    return { used: approvalBy(scope, used, now) };
  }
  if (overBudget === undefined) return {};
  report("over_budget");
  return { overBudget };
}

/** Returns true if the call would be approved now. Counts and locks nothing for long. */
export async function wouldUseStanding(deps: ActionDeps, call: Call): Promise<boolean> {
  const candidates = await candidatesFor(deps, call);
  if (candidates.length === 0) return false;
  return await deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    for (const candidate of candidates) {
      const key = { ...call.asker.scope, id: candidate.row.id };
      if ((await rightOfWriter(tx, call, candidate)) !== "approver") continue;
      if (
        (await isStillAgent(tx, call.asker.scope, candidate)) &&
        (await hasRoom(tx.query, key, useOf(candidate, now)))
      )
        return true;
    }
    return false;
  });
}

function useOf({ row, amount }: Candidate, now: Instant): Use {
  const { start } = windowOf(now, row.per as WindowUnit, row.time_zone);
  return { now: toDate(now), windowStart: toDate(start), amount };
}

async function isApprover(deps: ActionDeps, tx: Tx, call: Call, candidate: Candidate): Promise<boolean> {
  const { row } = candidate;
  const right = await rightOfWriter(tx, call, candidate);
  if (right === "not owner") await endStanding(deps, tx, call.asker.scope, { row, reason: "writer_not_owner" });
  return right === "approver" && (await isStillAgent(tx, call.asker.scope, candidate));
}

/** Returns true if a stranger may have written it: its writer has taken the account back since. */
export function isTakenBack({ id }: Pick<StandingRow, "id">, grantsEndedAt: Date | null): boolean {
  return grantsEndedAt !== null && toDate(uuidTime(id)) <= grantsEndedAt;
}

/** A key that was shown to a member outlives the membership. The key of the call itself was checked before. */
async function isStillAgent(tx: Tx, { workspaceId }: Scope, { agents }: Candidate): Promise<boolean> {
  if (agents.some(({ type }) => type === "key")) return true;
  const ids = agents.map(({ id }) => id);
  return (await membersOf(tx.query, workspaceId, ids)).length > 0;
}

/**
 * Returns the right of the writer at this moment: an owner, and with second-person approval not a person behind the call,
 * except the only member of a workspace that allows it.
 */
async function rightOfWriter(
  tx: Tx,
  { asker, contract }: Call,
  { row }: Candidate,
): Promise<"approver" | "involved" | "not owner"> {
  const standing = await standingAtDecision(tx, row.workspace_id, row.writer_member_id);
  const { role, members, settings, person } = standing;
  if (role !== "owner" || isTakenBack(row, standing.grants_ended_at)) return "not owner";
  if (!contract.approval.four_eyes || (members === 1 && settingsOf(settings).solo_approval)) return "approver";
  const writer = person === null ? [row.writer_member_id] : [row.writer_member_id, person];
  return areAmong(writer, identitiesOf(asker)) ? "involved" : "approver";
}

function approvalBy(scope: Scope, row: StandingRow, now: Instant): StandingUse {
  const actor = standingActor(scope, row);
  const writer = parseJson(row.created_by) as Actor;
  return {
    row,
    actor,
    approval: { by: actor, at: toRfc3339(now), comment: null, kind: "standing" },
    facts: {
      approvals: 1,
      required: 1,
      standing_approval: { id: actor.id, name: row.name, written_by: { id: writer.id, display: writer.display } },
      budget: { used: row.used_count, of: row.max_count, per: row.per, ...sumFacts(row) },
    },
  };
}

function overBudgetOf(scope: Scope, row: StandingRow, now: Instant): OverBudget {
  const end = toRfc3339(windowOf(now, row.per as WindowUnit, row.time_zone).end);
  return {
    standing_approval_id: standingWireId(scope, row.id),
    name: row.name,
    window_end: end,
    detail: `The budget of the standing approval ${visible(row.name, MAX_NAME)} has no room for this call until ${end}, so a person has to decide.`,
  };
}

function sumFacts({ sum_parameter: parameter, used_sum: used, max_sum: of }: StandingRow): object {
  return parameter === null ? {} : { sum: { parameter, used, of } };
}

/** Ends a standing approval for a reason that no person gave, once, with an audit entry. */
export async function endStanding(
  { clock, audit }: ActionDeps,
  tx: Tx,
  scope: Scope,
  { row, reason }: { readonly row: Pick<StandingRow, "id" | "name">; readonly reason: EndReason },
): Promise<boolean> {
  const end = { now: toDate(clock.now()), reason, by: null };
  const ended = await moveStandingEnded(tx, { ...scope, id: row.id }, end);
  if (ended === undefined) return false;
  audit.record(tx, scope, endEntry(scope, row, reason));
  return true;
}

function endEntry(scope: Scope, row: Pick<StandingRow, "id" | "name">, reason: EndReason): AuditEntry {
  return {
    kind: "contract",
    action: "standing_approvals.end",
    status: "ok",
    actor: auditActor(SYSTEM),
    result: { id: standingWireId(scope, row.id), name: row.name, end_reason: reason },
  };
}
