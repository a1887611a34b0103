import type { Audit } from "../../audit/audit.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { isAiSurface } from "../actor.ts";
import type { Actor, ActionCaller } from "../actor.ts";
import type { RunInput } from "./action-request.ts";
import type { CurrentContract } from "../contracts/contracts.store.ts";
import { auditActor, sensitiveOf } from "./entries.ts";
import type { Surface } from "../contracts/contract.ts";
import type { ProposalRow } from "../proposals/proposals.store.ts";

/** The AI history of AI keys and MCP clients (contract, section 7). The assistant keeps its own, with the model's words. */

type Historian = Pick<Audit, "history">;

/** What an AI asked for, as the history keeps it: one call of one action. */
export interface AiCall {
  readonly asker: ActionCaller;
  readonly action: string;
  /** Redacted where the contract says that they are sensitive. */
  readonly parameters: unknown;
  readonly prompt: string | null;
  readonly requestId: string | null;
}

/** Refusals that say nothing of the call: the first one with its key is in the history. */
const REPEATS: ReadonlySet<string> = new Set(["idempotency_in_progress", "idempotency_key_reused"]);

const MAX_NAME = 200;

/** Whether the call belongs into the history, and as whose. */
export function sourceOf({ surface, isAi }: Pick<ActionCaller, "surface" | "isAi">): "mcp" | "api" | null {
  if (surface === "mcp") return "mcp";
  return isAi && (surface === "api" || surface === "console") ? "api" : null;
}

/** Keeps a call that became a proposal or a run, whose id it has: its outcome is found by that. */
export function keepCall(
  { history }: Historian,
  tx: Pick<Tx, "beforeCommit">,
  { id, isProposal, call }: { readonly id: Uuid; readonly isProposal: boolean; readonly call: AiCall },
): void {
  const exchange = exchangeOf(call, "ok", null);
  if (exchange === null) return;
  const { scope } = call.asker;
  history.record(tx, scope, exchange, id);
  if (isProposal) history.addResult(tx, scope, id, { action: call.action, proposalId: id, status: "proposed" });
}

/** Runs a call and keeps its refusal, if it is an AI's. What failed on our side is tried again, and is not kept. */
export async function keepingAiRefusal<T>(
  deps: { readonly db: Db; readonly audit: Historian },
  exchange: { readonly asker: ActionCaller; readonly input: RunInput; readonly requestId: string | null },
  { contract, run }: { readonly contract: CurrentContract | undefined; run(): Promise<T> },
): Promise<T> {
  if (sourceOf(exchange.asker) === null) return await run();
  try {
    return await run();
  } catch (error) {
    if (error instanceof ServiceError && error.kind.status < 500 && !REPEATS.has(error.code))
      await keepRefusal(deps, exchange, { contract, code: error.code });
    throw error;
  }
}

async function keepRefusal(
  { db, audit }: { readonly db: Db; readonly audit: Historian },
  {
    asker,
    input,
    requestId,
  }: { readonly asker: ActionCaller; readonly input: RunInput; readonly requestId: string | null },
  { contract, code }: { readonly contract: CurrentContract | undefined; readonly code: string },
): Promise<void> {
  const { action, prompt } = input;
  const parameters = withoutSensitive(input.parameters, contract === undefined ? [] : sensitiveOf(contract));
  const exchange = exchangeOf({ asker, action, parameters, prompt, requestId }, "refused", code);
  if (exchange === null) return;
  await db.transaction(async (tx) => await Promise.resolve(audit.history.record(tx, asker.scope, exchange)));
}

function exchangeOf(
  { asker, action, parameters, prompt, requestId }: AiCall,
  status: string,
  errorCode: string | null,
) {
  const source = sourceOf(asker);
  if (source === null) return null;
  return {
    trigger: source,
    actor: auditActor(asker.actor),
    provider: "client",
    prompt: prompt ?? "",
    toolCalls: [{ id: requestId ?? "", name: nameOf(action), arguments: parameters ?? {} }],
    status,
    errorCode,
    requestId,
  };
}

/** A client of MCP may ask for a tool by any text. */
function nameOf(action: string): string {
  return action.slice(0, MAX_NAME).toWellFormed().replaceAll("\0", "\ufffd");
}

/** As far as they can be kept: refused parameters may hold halves of characters. */
function withoutSensitive(parameters: unknown, sensitive: readonly string[]): unknown {
  if (typeof parameters !== "object" || parameters === null) return {};
  const kept = Object.fromEntries(Object.entries(parameters).filter(([name]) => !sensitive.includes(name)));
  return JSON.parse(JSON.stringify(kept).replaceAll(/\\ud[89a-f][0-9a-f]{2}/gi, "\\ufffd"));
}

/** A proposal or a run, as far as its outcome is concerned. */
export interface Outcome {
  readonly action: string;
  readonly proposalId: Uuid | null;
  readonly runId?: Uuid | null;
  readonly status: string;
  /** Redacted. */
  readonly result?: unknown;
  readonly errorCode?: string | null;
  /** Another proposal in the place of this one: its outcome belongs to the same call. */
  readonly next?: Uuid;
}

/** Adds to the history what became of a call, if it was an AI's. */
export function keepOutcome(
  { history }: Historian,
  tx: Pick<Tx, "beforeCommit">,
  exchange: { readonly scope: Scope; readonly actor: string; readonly surface: string; outcome(): Outcome },
): void {
  const { type } = JSON.parse(exchange.actor) as Actor;
  if (type !== "ai" && !isAiSurface(exchange.surface as Surface)) return;
  const { next, ...outcome } = exchange.outcome();
  history.addOutcome(tx, exchange.scope, outcome, next);
}

/** A proposal that ended without a run. */
export function outcomeOf(
  scope: Scope,
  row: Pick<ProposalRow, "id" | "action" | "proposer" | "surface">,
  outcome: Pick<Outcome, "status" | "result" | "next">,
): Parameters<typeof keepOutcome>[2] {
  const { id: proposalId, action, proposer: actor, surface } = row;
  return { scope, actor, surface, outcome: () => ({ action, proposalId, ...outcome }) };
}
