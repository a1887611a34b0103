import type { Db, Tx } from "../platform/db/db.ts";
import {
  canonicalJson,
  fromDate,
  minUuidAt,
  paginate,
  parseId,
  orNotFound,
  toRfc3339,
  uuidTime,
  wireId,
} from "../lib/lib.ts";
import type { IdMaker, IdPrefix, Page, Uuid, t } from "../lib/lib.ts";
import { ownUuid, scopeFields } from "../accounts/accounts.ts";
import type { Scope } from "../accounts/accounts.ts";
import type { AuditActor } from "./entry.ts";
import type { AiRequest, Target } from "./ai-activity.ts";
import type { createAiActivity } from "./ai-activity.worker.ts";
import { findActivity, listActivity } from "./ai-activity.store.ts";
import type { ActivityRow } from "./ai-activity.store.ts";
import * as store from "./history.store.ts";
import type { OwnSecrets } from "./own-secrets.ts";
import type { Redactor } from "./redaction.ts";
import { actorView, parsed } from "./audit-row.ts";
import type { ActorView } from "./audit-row.ts";
import type * as shapes from "./audit.schemas.ts";

/** One exchange with a model. It is redacted before it is stored, and must not be changed after it was passed. */
export interface Exchange {
  /**
   * The cause of the assistant's request: `event` or `console`. For other callers it is their source: `mcp` or `api`.
   */
  readonly trigger: string;
  readonly eventId?: Uuid | null;
  readonly actor: AuditActor;
  /** The program that the caller says it is: an MCP client with its version. */
  readonly client?: string | null;
  readonly provider: string;
  readonly model?: string | null;
  /** The object of the call. Its name is kept as it was then. */
  readonly target?: Target | null;
  readonly prompt: string;
  readonly response?: string | null;
  /** The tool calls as the model returned them. */
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[];
  /** The final status: `ok`, `failed` or `refused`. */
  readonly status: string;
  readonly errorCode?: string | null;
  readonly inputTokens?: number | null;
  readonly outputTokens?: number | null;
  readonly durationMs?: number | null;
  readonly requestId?: string | null;
}

/** The result of a tool call: a proposal, a decision or a run. */
export interface ExchangeResult {
  readonly toolCallId?: string | null;
  readonly action: string;
  readonly proposalId?: Uuid | null;
  readonly runId?: Uuid | null;
  readonly status: string;
  readonly result?: unknown;
  readonly errorCode?: string | null;
}

export type ExchangeView = t.Static<typeof shapes.ExchangeShape>;

export type HistoryFilter = Omit<t.Static<typeof shapes.ExchangeListQuery>, "limit" | "cursor">;

/** The AI history (specification, "Other records"). It is append-only, as the audit log is. */
export interface History {
  /**
   * Writes an exchange in the transaction of its effects, and returns its uuid at once. Its wire id begins with `air_`.
   */
  record(tx: Pick<Tx, "beforeCommit">, scope: Scope, exchange: Exchange, id?: Uuid): Uuid;
  /** Adds a result to an exchange, at any later time. */
  addResult(tx: Pick<Tx, "beforeCommit">, scope: Scope, exchangeId: Uuid, result: ExchangeResult): void;
  /**
   * Adds the outcome of a proposal or a run to the exchange that led to it, if there is one: the exchange with the id
   * of either, or one with a result that names the proposal. `next` is the proposal that replaces this one.
   */
  addOutcome(tx: Pick<Tx, "beforeCommit">, scope: Scope, outcome: ExchangeResult, next?: Uuid): void;
  /**
   * Counts a request that writes no exchange, such as a poll or a refusal (hot). Touches memory alone. It is listed at once by this
   * process, and some seconds later by the others.
   */
  note(scope: Scope, request: AiRequest): void;
  list(scope: Scope, query: HistoryFilter & { limit?: number; cursor?: string }): Promise<Page<ExchangeView>>;
  get(scope: Scope, id: string): Promise<ExchangeView>;
}

export interface HistoryDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly own: OwnSecrets;
  readonly activity: Pick<ReturnType<typeof createAiActivity>, "note" | "flush">;
}

/** Prompts and responses get more space than in audit entries, because the history exists for them. */
const MAX_TEXT = { maxBytes: 64 * 1024, maxTextBytes: 32 * 1024 };

interface Recorded<What> {
  readonly scope: Scope;
  readonly id: Uuid;
  readonly what: What;
}

export function createHistory({ db, ids, own, activity }: HistoryDeps): History {
  async function flushExchanges(tx: Tx, recorded: readonly Recorded<Exchange>[]): Promise<void> {
    const redactorFor = await redactorsFor(own, tx, recorded);
    await store.insertHistory(
      tx,
      recorded.map((one) => exchangeRow(one, redactorFor(one.scope))),
    );
  }
  async function flushResults(tx: Tx, recorded: readonly Recorded<AddedResult>[]): Promise<void> {
    const redactorFor = await redactorsFor(own, tx, recorded);
    await store.insertResults(
      tx,
      recorded.map((one) => resultRow(one, redactorFor(one.scope))),
    );
  }
  async function flushOutcomes(tx: Tx, recorded: readonly Recorded<RecordedResult>[]): Promise<void> {
    const redactorFor = await redactorsFor(own, tx, recorded);
    await store.insertOutcomes(
      tx,
      recorded.map(({ scope, id, what }) => {
        const { of, ...result } = what;
        const work = of ?? what.runId ?? id;
        return { ...resultRow({ scope, id, what: { ...result, exchangeId: work } }, redactorFor(scope)), work };
      }),
    );
  }
  return {
    record(tx, scope, what, id = ids.uuid()) {
      tx.beforeCommit(flushExchanges, { scope, id, what });
      return id;
    },
    addResult(tx, scope, exchangeId, result) {
      tx.beforeCommit(flushResults, { scope, id: ids.uuid(), what: { ...result, exchangeId } });
    },
    addOutcome(tx, scope, outcome, next) {
      tx.beforeCommit(flushOutcomes, { scope, id: ids.uuid(), what: { ...outcome, of: outcome.proposalId } });
      if (next === undefined) return;
      const following = { action: outcome.action, proposalId: next, status: "proposed", of: outcome.proposalId };
      tx.beforeCommit(flushOutcomes, { scope, id: ids.uuid(), what: following });
    },
    note: activity.note,
    async list(scope, { limit, cursor, ...filter }) {
      const idOf = (prefix: IdPrefix, id: string | undefined): Uuid | undefined =>
        id === undefined ? undefined : ownUuid(scope, prefix, id);
      const wanted = {
        status: filter.status,
        errorCode: filter.error_code,
        source: filter.source,
        kind: filter.kind,
        client: filter.client,
        eventId: idOf("evt", filter.event_id),
        keyId: idOf("key", filter.key_id),
        proposalId: idOf("prop", filter.proposal_id),
        runId: idOf("run", filter.run_id),
        from: minUuidAt(filter.created_after, "created_after"),
        to: minUuidAt(filter.created_before, "created_before"),
      };
      await activity.flush(scope);
      const page = await paginate(
        { limit, cursor },
        {
          binding: [scope.tag, "ai history", filter],
          read: async (before, count) => await listBoth(db, scope, { ...wanted, before }, count),
          view: (row) => row,
        },
      );
      const views = await viewsOf(db, scope, page.data.filter(isExchange));
      return {
        ...page,
        data: page.data.map((row) => (isExchange(row) ? viewFor(views, row) : activityView(scope, row))),
      };
    },
    async get(scope, id) {
      const uuid = ownUuid(scope, "air", id);
      const row = await store.findHistory(db.query, scope, uuid);
      if (row === undefined) return activityView(scope, orNotFound(await findActivity(db.query, scope, uuid)));
      return viewFor(await viewsOf(db, scope, [row]), row);
    },
  };
}

type ListedRow = store.HistoryRow | ActivityRow;

function isExchange(row: ListedRow): row is store.HistoryRow {
  return "trigger" in row;
}

/** Returns the newest exchanges and counted requests together. Only an exchange leads to an event, a proposal or a run. */
async function listBoth(db: Db, scope: Scope, filter: store.HistoryFilter, limit: number): Promise<ListedRow[]> {
  const isOfOne = [filter.eventId, filter.proposalId, filter.runId].some((id) => id !== undefined);
  const [exchanges, counted] = await Promise.all([
    store.listHistory(db.query, scope, filter, limit),
    isOfOne ? [] : listActivity(db.query, scope, filter, limit),
  ]);
  return [...exchanges, ...counted].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
}

/** `of` is the proposal by which the exchange is found, if it is not found by the run. */
type RecordedResult = ExchangeResult & { readonly of?: Uuid | null | undefined };
type AddedResult = ExchangeResult & { readonly exchangeId: Uuid };

async function redactorsFor(
  own: OwnSecrets,
  tx: Tx,
  recorded: readonly { readonly scope: Scope }[],
): Promise<(scope: Scope) => Redactor> {
  const redactors = await own.redactorsOf(
    tx,
    recorded.map(({ scope }) => scope),
  );
  return ({ workspaceId }) => {
    const redactor = redactors.get(workspaceId);
    if (redactor === undefined) throw new Error("an exchange was to be written without what redacts it");
    return redactor;
  };
}

function exchangeRow({ scope, id, what }: Recorded<Exchange>, redactor: Redactor): store.HistoryRow {
  const text = (value: string | null | undefined): string | null =>
    value === null || value === undefined ? null : redactor.text(value, MAX_TEXT);
  return {
    bucket: scope.bucket,
    tag: scope.tag,
    id,
    workspace_id: scope.workspaceId,
    trigger: redactor.text(what.trigger),
    event_id: what.eventId ?? null,
    actor: canonicalJson(redactor.value(actorView(what.actor))),
    provider: redactor.text(what.provider),
    model: text(what.model),
    prompt: redactor.text(what.prompt, MAX_TEXT),
    response: text(what.response),
    tool_calls: canonicalJson(redactor.value(what.toolCalls ?? [], MAX_TEXT)),
    status: redactor.text(what.status),
    error_code: text(what.errorCode),
    input_tokens: what.inputTokens ?? null,
    output_tokens: what.outputTokens ?? null,
    duration_ms: what.durationMs == null ? null : Math.round(what.durationMs),
    request_id: text(what.requestId),
    key_id: what.actor.keyId === null ? null : (parseId(what.actor.keyId)?.uuid ?? null),
    client: text(what.client),
    ...targetColumns(what.target, text),
  };
}

function targetColumns(
  target: Target | null | undefined,
  text: (value: string | null | undefined) => string | null,
): Pick<store.HistoryRow, "target_id" | "target_name"> {
  return { target_id: text(target?.id), target_name: text(target?.name) };
}

function resultRow({ scope, id, what }: Recorded<AddedResult>, redactor: Redactor): store.HistoryResultRow {
  const text = (value: string | null | undefined): string | null =>
    value === null || value === undefined ? null : redactor.text(value);
  return {
    bucket: scope.bucket,
    tag: scope.tag,
    history_id: what.exchangeId,
    id,
    workspace_id: scope.workspaceId,
    tool_call_id: text(what.toolCallId),
    action: redactor.text(what.action),
    proposal_id: what.proposalId ?? null,
    run_id: what.runId ?? null,
    status: redactor.text(what.status),
    result: what.result == null ? null : canonicalJson(redactor.value(what.result)),
    error_code: text(what.errorCode),
  };
}

async function viewsOf(
  db: Db,
  scope: Scope,
  rows: readonly store.HistoryRow[],
): Promise<ReadonlyMap<Uuid, ExchangeView>> {
  const results = await store.resultsOf(
    db.query,
    scope,
    rows.map((row) => row.id),
  );
  const byExchange = Map.groupBy(results, (result) => result.history_id);
  return new Map(rows.map((row) => [row.id, exchangeView(scope, row, byExchange.get(row.id) ?? [])]));
}

function viewFor(views: ReadonlyMap<Uuid, ExchangeView>, { id }: { readonly id: Uuid }): ExchangeView {
  const view = views.get(id);
  if (view === undefined) throw new Error("an exchange was read and not shown");
  return view;
}

function exchangeView(scope: Scope, row: store.HistoryRow, results: readonly store.HistoryResultRow[]): ExchangeView {
  return {
    id: wireId("air", scope.tag, row.id),
    object: "ai_exchange",
    ...scopeFields(scope),
    source: row.trigger === "mcp" || row.trigger === "api" ? row.trigger : "assistant",
    kind: row.trigger === "mcp" || row.trigger === "api" ? "call" : "question",
    trigger: row.trigger,
    event_id: row.event_id === null ? null : wireId("evt", scope.tag, row.event_id),
    actor: parsed(row.actor) as ActorView,
    client: row.client,
    target: targetView(row),
    provider: row.provider,
    model: row.model,
    prompt: row.prompt,
    response: row.response,
    tool_calls: parsed(row.tool_calls),
    results: results.map((result) => resultView(scope, result)),
    status: row.status,
    error_code: row.error_code,
    usage: { input_tokens: row.input_tokens, output_tokens: row.output_tokens },
    duration_ms: row.duration_ms,
    request_id: row.request_id,
    count: 1,
    last_at: toRfc3339(uuidTime(row.id)),
    created_at: toRfc3339(uuidTime(row.id)),
  };
}

function targetView({
  target_id: id,
  target_name: name,
}: Pick<ActivityRow, "target_id" | "target_name">): Target | null {
  return id === null && name === null ? null : { id, name };
}

function activityView(scope: Scope, row: ActivityRow): ExchangeView {
  return {
    id: wireId("air", scope.tag, row.id),
    object: "ai_exchange",
    ...scopeFields(scope),
    source: row.source as ExchangeView["source"],
    kind: row.kind as ExchangeView["kind"],
    trigger: row.source,
    event_id: null,
    actor: parsed(row.actor) as ActorView,
    client: row.client,
    target: targetView(row),
    provider: "client",
    model: null,
    prompt: "",
    response: null,
    tool_calls: row.name === null ? [] : [{ name: row.name }],
    results: [],
    status: row.status,
    error_code: row.error_code,
    usage: { input_tokens: null, output_tokens: null },
    duration_ms: null,
    request_id: row.request_id,
    count: row.count,
    last_at: toRfc3339(fromDate(row.last_at)),
    created_at: toRfc3339(fromDate(row.at)),
  };
}

function resultView(scope: Scope, row: store.HistoryResultRow): ExchangeView["results"][number] {
  return {
    tool_call_id: row.tool_call_id,
    action: row.action,
    proposal_id: row.proposal_id === null ? null : wireId("prop", scope.tag, row.proposal_id),
    run_id: row.run_id === null ? null : wireId("run", scope.tag, row.run_id),
    status: row.status,
    result: parsed(row.result),
    error_code: row.error_code,
    occurred_at: toRfc3339(uuidTime(row.id)),
  };
}
