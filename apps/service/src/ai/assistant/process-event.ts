import type { ActionRuns, Contracts } from "../../actions/actions.ts";
import type { Audit, History } from "../../audit/audit.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Event } from "../../events/events.ts";
import { sealedColumn, toRfc3339 } from "../../lib/lib.ts";
import type { IdMaker, Sealer, Uuid } from "../../lib/lib.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { act } from "./act.ts";
import type { Acted } from "./act.ts";
import { AI, assistantAsker } from "./asker.ts";
import * as store from "./assistant.store.ts";
import type { TaskRow } from "./assistant.store.ts";
import { createOpenAi } from "./openai.ts";
import { MAX_CALLS, promptText, questionOf, valueOf } from "./prompt.ts";
import type { ModelEvent } from "./prompt.ts";
import type { Answer, Provider, ModelRequest, ToolCall } from "./provider.ts";
import { createScripted } from "./script.ts";
import { spend } from "./budget.ts";
import { configured, missingOf } from "./settings.ts";
import type { Configured, SettingsDeps } from "./settings.ts";

export interface RoundDeps extends SettingsDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly log: Log;
  readonly sealer: Sealer;
  readonly net: Net;
  readonly audit: Pick<Audit, "redactorOf">;
  readonly history: History;
  readonly contracts: Contracts;
  readonly runs: ActionRuns;
  /** With the scope's workspace and environment. */
  readonly readEvent: (scope: Pick<Scope, "bucket" | "tag">, id: Uuid) => Promise<Event | undefined>;
}

/** Longer than a provider may take. */
export const LEASE_SECONDS = 90;
/** Seconds between the times that a provider is asked about one event. */
const LADDER_SECONDS: readonly number[] = [30, 300];
/** Whatever else is wrong with it: an event is not taken up for ever. */
const MAX_TRIES = 10;
/** As many tools as the usual models take. */
const MAX_OFFERS = 128;

/** One event, told once: what the model asked for is kept before any of it is acted upon, and acted upon once. */
export async function playRound(deps: RoundDeps, task: TaskRow): Promise<void> {
  const event = await deps.readEvent(task, task.event_id);
  if (event === undefined || task.attempts > MAX_TRIES) return await drop(deps, task);
  const settings = await configured(deps, event.scope);
  // Switched off since: what it already said is not followed either.
  if (settings.provider === "off" || missingOf(settings).length > 0) return await drop(deps, task);
  const question = await questionAbout(deps, event.scope, { event: toldOf(event), settings });
  const asked = await answered(deps, task, { event, settings, question });
  if (asked !== undefined) await follow(deps, task, { event, question, ...asked });
}

interface Round {
  readonly event: Event;
  readonly settings: Configured;
  readonly question: ModelRequest;
}

interface Said {
  readonly calls: readonly ToolCall[];
  readonly historyId: Uuid;
}

/** What the model said: now, or to a node that died since. Undefined: it is over, or put off. */
async function answered(deps: RoundDeps, task: TaskRow, round: Round): Promise<Said | undefined> {
  const { answer_sealed: sealed, history_id: historyId } = task;
  if (sealed !== null && historyId !== null)
    return { calls: JSON.parse(deps.sealer.open(sealed, placeOf(task)).reveal()) as ToolCall[], historyId };
  if (!(await mayAsk(deps, task, round))) return undefined;
  const provider = await providerOf(deps, round.event.scope, round.settings);
  return await keep(deps, task, { ...round, answer: await provider.ask(round.question) });
}

/** Spends one of the budgets, or puts the event off, or leaves it untold. */
async function mayAsk(deps: RoundDeps, task: TaskRow, round: Round): Promise<boolean> {
  const { scope } = round.event;
  return await deps.db.transaction(async (tx) => {
    const refusal = await spend(deps, tx, scope);
    if (refusal === null) return true;
    if (refusal.budget === "minute") await store.postpone(tx, task, refusal.seconds, false);
    else if (await store.endTask(tx, task, "dropped"))
      deps.history.record(tx, scope, {
        ...entryOf(task, round),
        status: "skipped",
        errorCode: "budget_exceeded",
      });
    return false;
  });
}

/** Writes down what was asked and said, in one commit with what is to be done about it. */
async function keep(
  deps: RoundDeps,
  task: TaskRow,
  round: Round & { readonly answer: Answer },
): Promise<Said | undefined> {
  const { answer, event } = round;
  return await deps.db.transaction(async (tx) => {
    const about = { ...entryOf(task, round), durationMs: answer.durationMs };
    if (!answer.ok) {
      const wait = answer.retryable ? LADDER_SECONDS[task.attempts - 1] : undefined;
      const isMine =
        wait === undefined ? await store.endTask(tx, task, "failed") : await store.postpone(tx, task, wait, true);
      if (isMine)
        deps.history.record(tx, event.scope, {
          ...about,
          response: answer.detail,
          status: "failed",
          errorCode: answer.code,
        });
      return undefined;
    }
    const { text, calls, model, inputTokens, outputTokens } = answer;
    const historyId = deps.history.record(tx, event.scope, {
      ...about,
      model: model ?? about.model,
      response: text,
      toolCalls: calls.map(writtenCall),
      inputTokens,
      outputTokens,
      status: "ok",
    });
    const sealed = deps.sealer.seal(JSON.stringify(calls), placeOf(task));
    return (await store.keepAnswer(tx, task, { sealed, historyId })) ? { calls, historyId } : undefined;
  });
}

interface Following extends Said {
  readonly event: Event;
  readonly question: ModelRequest;
}

/** Asks for what the model asked for, one after the other; the rest of what is too much is refused unseen. */
async function follow(deps: RoundDeps, task: TaskRow, { event, question, calls, historyId }: Following): Promise<void> {
  const { scope, chain, id } = event;
  const acting = {
    runs: deps.runs,
    asker: assistantAsker(scope, [...chain, id]),
    prompt: question.user,
    round: task.id,
  };
  const results: Acted[] = [];
  for (const [at, call] of calls.entries()) results.push(at < MAX_CALLS ? await act(acting, call, at) : tooMany(call));
  await deps.db.transaction(async (tx) => {
    if (!(await store.endTask(tx, task, "done"))) return;
    for (const { callId, ...result } of results)
      deps.history.addResult(tx, scope, historyId, { ...result, toolCallId: callId });
    await Promise.resolve();
  });
}

function tooMany({ id, action }: ToolCall): Acted {
  const result = { code: "too_many_calls", detail: `At most ${MAX_CALLS} calls of one response are processed.` };
  return { callId: id, action, status: "refused", result, errorCode: "too_many_calls", proposalId: null };
}

async function drop({ db }: RoundDeps, task: TaskRow): Promise<void> {
  await db.transaction(async (tx) => {
    await store.endTask(tx, task, "dropped");
  });
}

/** All that a model is to be told about an event: the contracts are those that count now. */
export async function questionAbout(
  deps: Pick<RoundDeps, "audit" | "contracts">,
  scope: Scope,
  { event, settings }: { readonly event: ModelEvent; readonly settings: Pick<Configured, "instructions"> },
): Promise<ModelRequest> {
  const { rights, surface } = assistantAsker(scope, []);
  const [redactor, contracts] = await Promise.all([
    deps.audit.redactorOf(scope),
    deps.contracts.registry.permitted({ key: rights, scope }, surface, { before: undefined, limit: MAX_OFFERS }),
  ]);
  return questionOf({ event, contracts, instructions: settings.instructions, redactor });
}

export async function providerOf(
  { net, contracts }: Pick<RoundDeps, "net" | "contracts">,
  scope: Scope,
  { provider, base_url: baseUrl, model, secret_ref: name, script }: Configured,
): Promise<Provider> {
  if (provider === "scripted" && script !== null) return createScripted(script);
  if (provider !== "openai_compatible" || baseUrl === null || model === null)
    return unconfigured("The assistant's settings are incomplete.");
  const apiKey = name === null ? null : await contracts.secrets.value(scope, name);
  if (name !== null && apiKey === null) return unconfigured(`The secret ${name} is not set in this environment.`);
  return createOpenAi(net, { baseUrl, model, apiKey });
}

function unconfigured(detail: string): Provider {
  const answer = { ok: false, code: "provider_unconfigured", detail, retryable: false, durationMs: 0 } as const;
  return { ask: async () => await Promise.resolve(answer) };
}

function entryOf({ event_id: eventId }: TaskRow, { settings, question }: Round) {
  return {
    trigger: "event",
    eventId,
    actor: AI,
    provider: settings.provider,
    model: settings.model,
    prompt: promptText(question),
    response: null,
    toolCalls: [],
    status: "ok",
    errorCode: null,
    inputTokens: null,
    outputTokens: null,
    durationMs: null,
  } as const;
}

/** As the history has it: as values where they are JSON, so that secrets are found by their names too. */
export function writtenCall({ id, action, arguments: given }: ToolCall): {
  id: string;
  name: string;
  arguments: unknown;
} {
  return { id: id ?? "", name: action, arguments: valueOf(given) };
}

function toldOf({ name, occurredAt, data }: Event): ModelEvent {
  return { name, occurredAt: toRfc3339(occurredAt), data };
}

/** Where what a model asked for is sealed to. */
function placeOf({ id }: { readonly id: string }): string {
  return `assistant answer:${id}`;
}

export const sealedByAssistant = [
  sealedColumn({ table: "assistant_task", column: "answer_sealed", by: ["id"], place: placeOf }),
];
