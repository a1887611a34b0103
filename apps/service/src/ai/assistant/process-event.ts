import type { Contracts, Runs } from "../../actions/actions.ts";
import type { Audit, History } from "../../audit/audit.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Event } from "../../events/events.ts";
import { parseJson, sealedColumn, toRfc3339 } from "../../lib/lib.ts";
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
import { createScripted } from "./scripted-provider.ts";
import { spend } from "./budget.ts";
import { configured, missingOf } from "./assistant-settings.ts";
import type { Configured, SettingsDeps } from "./assistant-settings.ts";

export interface RoundDeps extends SettingsDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly log: Log;
  readonly sealer: Sealer;
  readonly net: Net;
  readonly audit: Pick<Audit, "redactorOf">;
  readonly history: History;
  readonly contracts: Contracts;
  readonly runs: Runs;
  /** Returns the event with the workspace and environment of its scope. */
  readonly readEvent: (scope: Pick<Scope, "bucket" | "tag">, id: Uuid) => Promise<Event | undefined>;
}

/** Seconds between the requests to a provider about one event. */
const LADDER_SECONDS: readonly number[] = [30, 300];
/** Limits the attempts for one event, including those that end in a crash or an internal error. */
const MAX_TRIES = 10;
/** The number of tools that the usual models accept. */
const MAX_OFFERS = 128;

/** Processes one event once. The model's calls are stored before any of them runs, so that each runs once. */
export async function playRound(deps: RoundDeps, task: TaskRow): Promise<void> {
  const event = await deps.readEvent(task, task.event_id);
  if (event === undefined) return await drop(deps, task);
  const settings = await configured(deps, event.scope);
  // If the assistant was turned off since, calls that the model already returned are not followed either.
  if (settings.provider === "off" || missingOf(settings).length > 0) return await drop(deps, task);
  if (task.attempts > MAX_TRIES) return await giveUp(deps, task, { event, settings });
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

/** Returns the model's calls, from its response now or from the one that an earlier attempt stored. Undefined: the event has ended or is postponed. */
async function answered(deps: RoundDeps, task: TaskRow, round: Round): Promise<Said | undefined> {
  const { answer_sealed: sealed, history_id: historyId } = task;
  if (sealed !== null && historyId !== null)
    return { calls: parseJson(deps.sealer.open(sealed, placeOf(task)).reveal()) as ToolCall[], historyId };
  if (!(await mayAsk(deps, task, round))) return undefined;
  const provider = await providerOf(deps, round.event.scope, round.settings);
  return await keep(deps, task, { ...round, answer: await provider.ask(round.question) });
}

/** Spends a budget. If one is exhausted, postpones the event or skips it. */
async function mayAsk(deps: RoundDeps, task: TaskRow, round: Round): Promise<boolean> {
  const { scope } = round.event;
  return await deps.db.transaction(async (tx) => {
    const refusal = await spend(deps, tx, scope);
    if (refusal === null) return true;
    if (refusal.budget === "minute") await store.postpone(tx, task, refusal.seconds, false);
    else if (await store.endTask(tx, task, "dropped"))
      deps.history.record(tx, scope, {
        ...entryOf(task, { settings: round.settings, prompt: promptText(round.question) }),
        status: "skipped",
        errorCode: "budget_exceeded",
      });
    return false;
  });
}

/** Stores the request and the response, in one commit with the task's next state. */
async function keep(
  deps: RoundDeps,
  task: TaskRow,
  round: Round & { readonly answer: Answer },
): Promise<Said | undefined> {
  const { answer, event } = round;
  return await deps.db.transaction(async (tx) => {
    const prompt = promptText(round.question);
    const about = { ...entryOf(task, { settings: round.settings, prompt }), durationMs: answer.durationMs };
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

/** Requests the actions of the model's calls, one after the other. Calls beyond the maximum are refused without a check. */
async function follow(deps: RoundDeps, task: TaskRow, { event, question, calls, historyId }: Following): Promise<void> {
  const { scope, chain, id, tenant } = event;
  const acting = {
    runs: deps.runs,
    asker: assistantAsker(scope, { chain: [...chain, id], tenant }),
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

/** Ends an event after too many attempts. Its prompt is not assembled again, because that may be what fails. */
async function giveUp(deps: RoundDeps, task: TaskRow, { event, settings }: Omit<Round, "question">): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (!(await store.endTask(tx, task, "failed"))) return;
    deps.history.record(tx, event.scope, {
      ...entryOf(task, { settings, prompt: "" }),
      status: "failed",
      errorCode: "internal_error",
    });
  });
}

/** Returns the complete input of the model about an event, with the contracts that are valid now. */
export async function questionAbout(
  deps: Pick<RoundDeps, "audit" | "contracts">,
  scope: Scope,
  { event, settings }: { readonly event: ModelEvent; readonly settings: Pick<Configured, "instructions"> },
): Promise<ModelRequest> {
  const { rights, surface } = assistantAsker(scope, { chain: [], tenant: null });
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
  if (name === null) return createOpenAi(net, { baseUrl, model, apiKey: null });
  const apiKey = await contracts.secrets.valueFor(scope, name, { urls: [baseUrl], by: null });
  if (apiKey === null) return unconfigured(`The secret ${name} is not set in this environment.`);
  if ("refused" in apiKey) return unconfigured(apiKey.refused);
  return createOpenAi(net, { baseUrl, model, apiKey });
}

function unconfigured(detail: string): Provider {
  const answer = { ok: false, code: "provider_unconfigured", detail, retryable: false, durationMs: 0 } as const;
  return { ask: async () => await Promise.resolve(answer) };
}

interface Entry {
  readonly settings: Configured;
  readonly prompt: string;
}

function entryOf({ event_id: eventId }: TaskRow, { settings, prompt }: Entry) {
  return {
    trigger: "event",
    eventId,
    actor: AI,
    provider: settings.provider,
    model: settings.model,
    prompt,
    response: null,
    toolCalls: [],
    status: "ok",
    errorCode: null,
    inputTokens: null,
    outputTokens: null,
    durationMs: null,
  } as const;
}

/** Returns a call for the AI history. JSON arguments become values, so that secrets are also found by the names of their fields. */
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

/** Returns the place that the sealed calls of a model are bound to. */
function placeOf({ id }: { readonly id: string }): string {
  return `assistant answer:${id}`;
}

export const sealedByAssistant = [
  sealedColumn({ table: "assistant_task", column: "answer_sealed", by: ["id"], place: placeOf }),
];
