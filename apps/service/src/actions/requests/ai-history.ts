import type { Audit, Target } from "../../audit/audit.ts";
import type { Tx } from "../../platform/db/db.ts";
import { isRecord, parseJson, ServiceError } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { isAiSurface } from "../callers/actor.ts";
import type { Actor, ActionCaller } from "../callers/actor.ts";
import type { ActionDeps } from "./action-deps.ts";
import type { RunInput } from "./action-request.ts";
import type { CurrentContract } from "../contracts/contracts.store.ts";
import { auditActor, sensitiveOf } from "./entries.ts";
import type { Surface } from "../callers/surface.ts";

/**
 * The AI history of AI keys and MCP clients (contract, section 7). The assistant keeps its own history, with the
 * model's words.
 */

type Historian = Pick<Audit, "history">;

/** One action call of an AI, in the form that the history keeps. */
export interface AiCall {
  readonly asker: ActionCaller;
  readonly action: string;
  /** The name of the object, or of the action; null if there is no such action. */
  readonly target: Target | null;
  /** Parameters that the contract marks as sensitive are redacted. */
  readonly parameters: unknown;
  readonly prompt: string | null;
  readonly requestId: string | null;
}

/**
 * Refusals of repeated requests, which say nothing about the call. The first request with the key is in the history.
 */
const REPEATS: ReadonlySet<string> = new Set(["idempotency_in_progress", "idempotency_key_reused"]);

const MAX_NAME = 200;
/** The members of the API's objects that can be their name, the best first. */
const NAMES = ["name", "object_name", "label", "action", "event"];

/** Returns the action as the object of a call. */
export function targetOf({ key, label }: Pick<CurrentContract, "key" | "label">): Target {
  return { id: key, name: label };
}

/** Returns the name of an object as the API shows it; null if it has none. */
export function nameIn(object: unknown): string | null {
  const found = isRecord(object) ? NAMES.map((name) => object[name]).find((one) => typeof one === "string") : undefined;
  return typeof found === "string" ? nameOf(found) : null;
}

/** Returns the source under which the history keeps the call; null if it does not belong there. */
export function sourceOf({ surface, isAi }: Pick<ActionCaller, "surface" | "isAi">): "mcp" | "api" | null {
  if (surface === "mcp") return "mcp";
  return isAi && (surface === "api" || surface === "console") ? "api" : null;
}

/** A call with the id of the proposal or the run that it became. */
export interface KeptCall {
  readonly id: Uuid;
  readonly isProposal: boolean;
  /** The approval that applied at once; absent if people decide. */
  readonly approvedBy?: object;
  readonly call: AiCall;
}

/** Keeps a call that became a proposal or a run, under the id of that record. The outcome is added by the same id. */
export function keepCall(
  { history }: Historian,
  tx: Pick<Tx, "beforeCommit">,
  { id, isProposal, approvedBy, call }: KeptCall,
): void {
  const exchange = exchangeOf(call, "ok", null);
  if (exchange === null) return;
  const { scope } = call.asker;
  history.record(tx, scope, exchange, id);
  if (!isProposal) return;
  const about = { action: call.action, proposalId: id };
  history.addResult(tx, scope, id, { ...about, status: "proposed" });
  if (approvedBy !== undefined) history.addResult(tx, scope, id, { ...about, status: "approved", result: approvedBy });
}

/** A call that may be refused. */
interface AttemptedCall {
  readonly asker: ActionCaller;
  readonly input: RunInput;
  readonly requestId: string | null;
  /** Undefined if there is no such contract. */
  readonly contract: CurrentContract | undefined;
}

/** Runs a call and keeps its refusal if the caller is an AI. Failures of the service are retried, and are not kept. */
export async function keepingAiRefusal<T>(deps: ActionDeps, call: AttemptedCall, run: () => Promise<T>): Promise<T> {
  if (sourceOf(call.asker) === null) return await run();
  try {
    return await run();
  } catch (error) {
    if (error instanceof ServiceError && error.kind.status < 500 && !REPEATS.has(error.code))
      await keepRefusal(deps, call, error.code);
    throw error;
  }
}

async function keepRefusal(
  { db, audit }: ActionDeps,
  { asker, input, requestId, contract }: AttemptedCall,
  code: string,
): Promise<void> {
  const { action, prompt } = input;
  const parameters = withoutSensitive(input.parameters, contract === undefined ? [] : sensitiveOf(contract));
  const target = contract === undefined ? null : targetOf(contract);
  const exchange = exchangeOf({ asker, action, target, parameters, prompt, requestId }, "refused", code);
  if (exchange === null) return;
  await db.transaction(async (tx) => await Promise.resolve(audit.history.record(tx, asker.scope, exchange)));
}

function exchangeOf(
  { asker, action, target, parameters, prompt, requestId }: AiCall,
  status: string,
  errorCode: string | null,
) {
  const source = sourceOf(asker);
  if (source === null) return null;
  return {
    trigger: source,
    actor: auditActor(asker.actor),
    client: asker.client ?? null,
    provider: "client",
    target,
    prompt: prompt ?? "",
    toolCalls: [{ id: requestId ?? "", name: nameOf(action), arguments: parameters ?? {} }],
    status,
    errorCode,
    requestId,
  };
}

/** An MCP client can request a tool by any text. */
function nameOf(action: string): string {
  return action.slice(0, MAX_NAME).toWellFormed().replaceAll("\0", "\ufffd");
}

/** Returns the parameters in a form that can be stored. Refused parameters may contain lone surrogates. */
function withoutSensitive(parameters: unknown, sensitive: readonly string[]): unknown {
  if (typeof parameters !== "object" || parameters === null) return {};
  const kept = Object.fromEntries(Object.entries(parameters).filter(([name]) => !sensitive.includes(name)));
  return parseJson(JSON.stringify(kept).replaceAll(/\\ud[89a-f][0-9a-f]{2}/gi, "\\ufffd"));
}

/** The outcome of a proposal or a run. */
export interface ExchangeOutcome {
  readonly action: string;
  readonly proposalId: Uuid | null;
  readonly runId?: Uuid | null;
  readonly status: string;
  /** The redacted result. */
  readonly result?: unknown;
  readonly errorCode?: string | null;
  /** The proposal that replaces this one. Its outcome belongs to the same call. */
  readonly next?: Uuid;
}

/** Adds the outcome of a call to the history, if the caller was an AI. */
export function keepOutcome(
  { history }: Historian,
  tx: Pick<Tx, "beforeCommit">,
  exchange: { readonly scope: Scope; readonly actor: string; readonly surface: string; outcome(): ExchangeOutcome },
): void {
  const { type } = parseJson(exchange.actor) as Actor;
  if (type !== "ai" && !isAiSurface(exchange.surface as Surface)) return;
  const { next, ...outcome } = exchange.outcome();
  history.addOutcome(tx, exchange.scope, outcome, next);
}
