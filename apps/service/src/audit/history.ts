import type { Db, Tx } from "../platform/db/db.ts";
import { canonicalJson, minUuidAt, paginate, parseId, orNotFound, toRfc3339, uuidTime, wireId } from "../lib/lib.ts";
import type { Id, IdMaker, IdPrefix, Page, Uuid } from "../lib/lib.ts";
import { ownUuid } from "../accounts/accounts.ts";
import type { Scope, ScopeFields } from "../accounts/accounts.ts";
import type { AuditActor } from "./entry.ts";
import * as store from "./history.store.ts";
import type { OwnSecrets } from "./own-secrets.ts";
import type { Redactor } from "./redaction.ts";
import { actorView, parsed } from "./audit-row.ts";
import type { ActorView } from "./audit-row.ts";

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

interface ResultView {
  readonly tool_call_id: string | null;
  readonly action: string;
  readonly proposal_id: Id | null;
  readonly run_id: Id | null;
  readonly status: string;
  readonly result: unknown;
  readonly error_code: string | null;
  readonly occurred_at: string;
}

export interface ExchangeView extends ScopeFields {
  readonly id: Id;
  readonly object: "ai_exchange";
  readonly source: Source;
  readonly trigger: string;
  readonly event_id: Id | null;
  readonly actor: ActorView;
  readonly client: string | null;
  readonly provider: string;
  readonly model: string | null;
  readonly prompt: string;
  readonly response: string | null;
  readonly tool_calls: unknown;
  readonly results: ResultView[];
  readonly status: string;
  readonly error_code: string | null;
  readonly usage: { readonly input_tokens: number | null; readonly output_tokens: number | null };
  readonly duration_ms: number | null;
  readonly request_id: string | null;
  readonly created_at: string;
}

/** The caller in an exchange: the built-in assistant, an MCP client, or an AI key on the API. */
export const SOURCES = ["assistant", "mcp", "api"] as const;
export type Source = (typeof SOURCES)[number];

export interface HistoryFilter {
  readonly source?: Source;
  readonly status?: string;
  readonly event_id?: string;
  readonly key_id?: string;
  readonly proposal_id?: string;
  readonly run_id?: string;
  readonly created_after?: string;
  readonly created_before?: string;
}

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
  list(scope: Scope, query: HistoryFilter & { limit?: number; cursor?: string }): Promise<Page<ExchangeView>>;
  get(scope: Scope, id: string): Promise<ExchangeView>;
}

export interface HistoryDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly own: OwnSecrets;
}

/** Prompts and responses get more space than in audit entries, because the history exists for them. */
const MAX_TEXT = { maxBytes: 64 * 1024, maxTextBytes: 32 * 1024 };

interface Recorded<What> {
  readonly scope: Scope;
  readonly id: Uuid;
  readonly what: What;
}

export function createHistory({ db, ids, own }: HistoryDeps): History {
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
    async list(scope, { limit, cursor, ...filter }) {
      const idOf = (prefix: IdPrefix, id: string | undefined): Uuid | undefined =>
        id === undefined ? undefined : ownUuid(scope, prefix, id);
      const wanted = {
        status: filter.status,
        source: filter.source,
        eventId: idOf("evt", filter.event_id),
        keyId: idOf("key", filter.key_id),
        proposalId: idOf("prop", filter.proposal_id),
        runId: idOf("run", filter.run_id),
        from: minUuidAt(filter.created_after, "created_after"),
        to: minUuidAt(filter.created_before, "created_before"),
      };
      const page = await paginate(
        { limit, cursor },
        {
          binding: [scope.tag, "ai history", filter],
          read: async (before, count) => await store.listHistory(db.query, scope, { ...wanted, before }, count),
          view: (row) => row,
        },
      );
      const views = await viewsOf(db, scope, page.data);
      return { ...page, data: page.data.map((row) => viewFor(views, row)) };
    },
    async get(scope, id) {
      const row = orNotFound(await store.findHistory(db.query, scope, ownUuid(scope, "air", id)));
      return viewFor(await viewsOf(db, scope, [row]), row);
    },
  };
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
  };
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
    trigger: row.trigger,
    event_id: row.event_id === null ? null : wireId("evt", scope.tag, row.event_id),
    actor: parsed(row.actor) as ActorView,
    client: row.client,
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
    created_at: toRfc3339(uuidTime(row.id)),
  };
}

function resultView(scope: Scope, row: store.HistoryResultRow): ResultView {
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
