import { ServiceError, toRfc3339, wireId } from "../../lib/lib.ts";
import type { Clock, t } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { checkedCall } from "./act.ts";
import { AI, assistantAsker } from "./asker.ts";
import { spend } from "./budget.ts";
import { MAX_CALLS, promptText } from "./prompt.ts";
import type { Answer, ModelRequest, ToolCall } from "./provider.ts";
import { providerOf, questionAbout, writtenCall } from "./process-event.ts";
import type { RoundDeps } from "./process-event.ts";
import { configured, missingOf } from "./assistant-settings.ts";
import type * as shapes from "./assistant.schemas.ts";

export interface TrialInput {
  readonly event: string;
  /** JSON text. */
  readonly data: string;
}

export type TrialView = t.Static<typeof shapes.TrialShape>;

/** Asks the model about an event that was not fired, and returns what it would propose. Nothing is proposed. The request counts toward the budgets. */
export async function tryOut(
  deps: RoundDeps & { readonly clock: Clock },
  scope: Scope,
  input: TrialInput,
): Promise<TrialView> {
  const settings = await configured(deps, scope);
  const missing = missingOf({ ...settings, events: ["*"] });
  if (settings.provider === "off" || missing.length > 0) {
    const lacking =
      missing.length > 0 ? ` Missing: ${missing.join(" and ")}.` : " Set `assistant` in the workspace's settings.";
    throw new ServiceError("conflict", { detail: `The assistant is not set up.${lacking}` });
  }
  const event = { name: input.event, occurredAt: toRfc3339(deps.clock.now()), data: input.data };
  const question = await questionAbout(deps, scope, { event, settings });
  await mayAsk(deps, scope);
  const answer = await (await providerOf(deps, scope, settings)).ask(question);
  const historyId = await deps.db.transaction(async (tx) => {
    await Promise.resolve();
    return deps.history.record(tx, scope, {
      trigger: "test",
      actor: AI,
      eventId: null,
      provider: settings.provider,
      model: (answer.ok ? answer.model : null) ?? settings.model,
      prompt: promptText(question),
      response: answer.ok ? answer.text : answer.detail,
      toolCalls: answer.ok ? answer.calls.map(writtenCall) : [],
      status: answer.ok ? "ok" : "failed",
      errorCode: answer.ok ? null : answer.code,
      inputTokens: answer.ok ? answer.inputTokens : null,
      outputTokens: answer.ok ? answer.outputTokens : null,
      durationMs: answer.durationMs,
    });
  });
  const calls = answer.ok ? answer.calls.slice(0, MAX_CALLS) : [];
  return {
    object: "assistant_test",
    provider: settings.provider,
    ...shownOf(question, answer),
    calls: await Promise.all(calls.map(async (call) => await outcomeOf(deps, scope, call, question.user))),
    history_id: wireId("air", scope.tag, historyId),
  };
}

async function mayAsk(deps: RoundDeps, scope: Scope): Promise<void> {
  const refusal = await deps.db.transaction(async (tx) => await spend(deps, tx, scope));
  if (refusal === null) return;
  const detail = `The assistant's budget per ${refusal.budget} is exhausted. Wait ${refusal.seconds} s, or raise max_per_${refusal.budget}.`;
  throw new ServiceError("rate_limited", { detail, headers: { "Retry-After": String(refusal.seconds) } });
}

function shownOf(
  { system, user, offers }: ModelRequest,
  answer: Answer,
): Pick<TrialView, "prompt" | "status" | "error_code" | "response" | "duration_ms"> {
  return {
    prompt: { system, user, tools: offers.map(({ action }) => action) },
    status: answer.ok ? "ok" : "failed",
    error_code: answer.ok ? null : answer.code,
    response: answer.ok ? answer.text : answer.detail,
    duration_ms: answer.durationMs,
  };
}

async function outcomeOf(
  deps: RoundDeps,
  scope: Scope,
  call: ToolCall,
  prompt: string,
): Promise<TrialView["calls"][number]> {
  const { outcome, errorCode } = await checkedCall(
    { runs: deps.runs, asker: assistantAsker(scope, { chain: [], tenant: null }), prompt, round: deps.ids.uuid() },
    call,
  );
  return { action: call.action, arguments: call.arguments, outcome, error_code: errorCode };
}
