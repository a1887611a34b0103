import type { Tx } from "../../platform/db/db.ts";
import type { SentAnswer, StoredAnswer } from "../../access/access.ts";
import { ServiceError, toDate } from "../../lib/lib.ts";
import type { Instant, Uuid } from "../../lib/lib.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { SYSTEM } from "../callers/actor.ts";
import type { Actor } from "../callers/actor.ts";
import type { RequestContext } from "../requests/action-request.ts";
import { keepOutcome } from "../requests/ai-history.ts";
import type { ExchangeOutcome } from "../requests/ai-history.ts";
import { entryOf } from "../requests/entries.ts";
import type { Contract } from "../contracts/contract.ts";
import type { CurrentContract } from "../contracts/contracts.store.ts";
import { expired } from "./proposal-events.ts";
import { assertDecidable } from "./proposal.ts";
import { findProposal, moveExpired } from "./proposals.store.ts";
import type { ProposalRow } from "./proposals.store.ts";
import { answerOf, problemAnswer, replyOf } from "../requests/stored-response.ts";
import type { ActionDeps, Awaited } from "../requests/action-deps.ts";
import type { Lookup } from "../contracts/lookup.ts";
import { proposalText } from "./proposal-view.ts";

export interface DecideDeps extends ActionDeps {
  readonly lookup: Lookup;
  /** Starts the run of a proposal, in the transaction of its last approval. */
  readonly startRun: (tx: Tx, approved: ApprovedProposal) => Promise<Decision>;
}

/** A proposal that has all its approvals. */
export interface ApprovedProposal {
  readonly scope: Scope;
  readonly proposal: ProposalRow;
  readonly contract: CurrentContract;
  /** The author of the last approval. */
  readonly approver: Actor;
  readonly runId: Uuid;
  readonly request: RequestContext;
  readonly now: Instant;
}

/** The result of a decision. */
export type Decision =
  | { readonly kind: "answered"; readonly answer: StoredAnswer }
  /** The transaction is committed, although the decision is refused. */
  | { readonly kind: "refused"; readonly error: ServiceError }
  /** The answer is the result of `go`, which is called after the decision is committed. */
  | { readonly kind: "begun"; go(): Promise<StoredAnswer | null> };

/**
 * Commits a decision together with its idempotency key. A concurrent copy of the same request gets the same answer, or
 * 409 while the work that it started is running. `work` is the id under which new work is recorded, or that of the work
 * that exists already.
 */
export async function decideOnce(
  deps: DecideDeps,
  request: RequestContext,
  decide: (tx: Tx, work: Uuid) => Promise<Decision>,
  work: Uuid = deps.ids.uuid(),
): Promise<SentAnswer> {
  const { ref } = request;
  const decided = await deps.db.transaction(async (tx) => {
    const fresh = await deps.idempotency.claim(tx, [{ ref, work, answer: null }]);
    if (!fresh.has(0)) return undefined;
    const decision = await decide(tx, work);
    const answer = answerAtOnce(deps, request, decision);
    if (answer !== null) await deps.idempotency.end(tx, [{ place: ref, work, answer }]);
    return decision;
  });
  if (decided === undefined) return await deps.idempotency.first(ref);
  if (decided.kind === "refused") throw decided.error;
  const answer = decided.kind === "answered" ? decided.answer : await decided.go();
  return answer === null ? await deps.idempotency.first(ref) : { ...answer, replayed: false };
}

/** Answers a decision with the JSON text of the proposal. */
export function answeredWith(request: RequestContext, text: string): Decision {
  return { kind: "answered", answer: answerOf(replyOf("approval", request), 200, text) };
}

/**
 * Stores 404 and 409 as the answer of the request, so that a repeated request gets the same bytes. An answer that is
 * already stored is kept.
 */
export async function keepingRefusals<T>(deps: ActionDeps, request: RequestContext, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ServiceError) await keepRefusal(deps, request, error);
    throw error;
  }
}

/** Returns the first answer of a repeated request before any other check. 404 and 409 are answers too. */
export async function answerOnce(
  deps: ActionDeps,
  request: RequestContext,
  decide: () => Promise<SentAnswer>,
): Promise<SentAnswer> {
  const before = await deps.idempotency.replay(request.ref);
  return before === undefined ? await keepingRefusals(deps, request, decide) : { ...before, replayed: true };
}

function answerAtOnce({ baseUrl }: DecideDeps, request: RequestContext, decided: Decision): StoredAnswer | null {
  if (decided.kind === "answered") return decided.answer;
  return decided.kind === "refused" ? problemAnswer(replyOf("run", request), baseUrl, decided.error) : null;
}

async function keepRefusal(
  { db, ids, idempotency, baseUrl }: ActionDeps,
  request: RequestContext,
  error: ServiceError,
) {
  const { status } = error.kind;
  if ((status !== 404 && status !== 409) || error.code === "idempotency_in_progress") return;
  const answer = problemAnswer(replyOf("run", request), baseUrl, error);
  await db.transaction(async (tx) => await idempotency.claim(tx, [{ ref: request.ref, work: ids.uuid(), answer }]));
}

/** Throws 404 if there is no such proposal. */
export async function readOwnProposal(deps: Pick<ActionDeps, "db">, scope: Scope, id: string): Promise<ProposalRow> {
  const row = await findProposal(deps.db.query, { ...scope, id: ownUuid(scope, "prop", id) });
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

/**
 * Returns what prevents a decision; undefined if nothing does. A proposal whose time limit has passed ends here. That
 * change is committed, although the decision is refused.
 */
export async function checkDecidable(deps: DecideDeps, tx: Tx, scope: Scope, id: Uuid): Promise<Decision | undefined> {
  const row = await findProposal(tx.query, { ...scope, id });
  if (row === undefined) throw new ServiceError("not_found");
  const now = deps.clock.now();
  try {
    assertDecidable(row, now);
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const ended = await moveExpired(tx, { ...scope, id }, toDate(now));
    if (ended !== undefined) await publishExpired(deps, tx, [{ scope, row: ended }]);
    return { kind: "refused", error };
  }
}

/** Explains a move that failed because the proposal had already moved, from its current row. */
export async function conflictResult(deps: DecideDeps, tx: Tx, scope: Scope, id: Uuid): Promise<Decision> {
  const hindered = await checkDecidable(deps, tx, scope, id);
  if (hindered !== undefined) return hindered;
  throw new ServiceError("already_decided", { detail: "You have already approved this proposal." });
}

export async function publishExpired(
  deps: ActionDeps,
  tx: Tx,
  ended: readonly { readonly scope: Scope; readonly row: ProposalRow }[],
): Promise<void> {
  for (const { scope, row } of ended) {
    const entry = entryOf("proposal", contractOfProposal(row), "expired", { actor: SYSTEM, proposalId: row.id });
    deps.audit.record(tx, scope, entry);
    keepOutcome(deps.audit, tx, outcomeOf(scope, row, { status: "expired" }));
  }
  const awaited = ended.flatMap(({ scope, row }) => awaitedOf(deps, scope, row, "expired"));
  await deps.awaited(tx, awaited);
  const events = ended.map(({ scope, row }) => expired(scope, row));
  await deps.events.fireWithin(tx, events);
}

export function awaitedOf(
  { baseUrl }: { readonly baseUrl: string },
  scope: Scope,
  row: ProposalRow,
  outcome: Awaited["outcome"],
): Awaited[] {
  if (row.waiter === null) return [];
  return [{ scope, waiter: row.waiter, outcome, output: proposalText({ scope, baseUrl }, row) }];
}

/**
 * Returns the members of a contract that the audit entry of a decision names. The parameters were recorded when the
 * action was proposed.
 */
export function contractOfProposal(
  row: Pick<ProposalRow, "action" | "contract_version">,
): Pick<Contract, "key" | "version" | "params"> & { readonly sha256: null } {
  return { key: row.action, version: row.contract_version, sha256: null, params: {} };
}

/** Returns the outcome of a proposal that ended without a run. */
export function outcomeOf(
  scope: Scope,
  row: Pick<ProposalRow, "id" | "action" | "proposer" | "surface">,
  outcome: Pick<ExchangeOutcome, "status" | "result" | "next">,
): Parameters<typeof keepOutcome>[2] {
  const { id: proposalId, action, proposer: actor, surface } = row;
  return { scope, actor, surface, outcome: () => ({ action, proposalId, ...outcome }) };
}
