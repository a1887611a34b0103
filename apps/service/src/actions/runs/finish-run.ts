import { setTimeout as sleep } from "node:timers/promises";
import type { Audit, Redactor } from "../../audit/audit.ts";
import { createShardBatcher } from "../../platform/db/db.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import type { Events, EventDraft } from "../../events/events.ts";
import type { Idempotency, StoredAnswer } from "../../access/access.ts";
import { after, errorCatalogue, isPassing, parseId, parseJson, ServiceError, toDate, wireId } from "../../lib/lib.ts";
import type { Clock, ErrorCode, Instant, Sealer, Uuid } from "../../lib/lib.ts";
import { report } from "../../issues/issues.ts";
import type { Report } from "../../issues/issues.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Actor } from "../callers/actor.ts";
import { sealedResult } from "../requests/action-request.ts";
import { redactorsOf } from "./start-run.ts";
import type { Contract } from "../contracts/contract.ts";
import { keepOutcome } from "../requests/ai-history.ts";
import { entryOf, sensitiveOf } from "../requests/entries.ts";
import { executed, failed, undone } from "./run-events.ts";
import type { Awaited, TellAwaited } from "../requests/awaited.ts";
import type { ProposalRow } from "../proposals/proposals.store.ts";
import { toWireId } from "../wire/view-fields.ts";
import { answerOf, problemAnswer } from "../requests/stored-response.ts";
import type { Reply } from "../requests/stored-response.ts";
import { endRuns, holdRuns } from "./runs.store.ts";
import type { RunEnd, RunRow } from "./runs.store.ts";
import { proposalText } from "../proposals/proposal-view.ts";
import { runText } from "./run-view.ts";

/** The end of a backend call, or the placeholder for an unknown outcome. */
export interface CallEnd {
  readonly ok: boolean;
  readonly simulated: boolean;
  /** JSON text; null if there is no result. */
  readonly result: string | null;
  readonly errorCode: string | null;
  /** A text for people, without addresses and secrets. */
  readonly detail: string | null;
  /** The backend may have performed the action despite the error. */
  readonly outcomeUnknown: boolean;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly status: number | null;
  readonly host: string | null;
  readonly durationMs: number | null;
}

/** The facts of a contract that the records of a call need. */
type RecordedContract = Pick<Contract, "key" | "version" | "params" | "audit" | "reversible" | "undo"> & {
  readonly sha256: string | null;
};

/** One call that has begun: recorded, committed and leased. */
export interface BegunCall {
  readonly scope: Scope;
  readonly kind: "execute" | "undo";
  /** The run at the start of the call. */
  readonly run: RunRow;
  readonly leaseId: Uuid;
  /** The form of the answer; null if no request waits for one. */
  readonly reply: Reply | null;
  readonly proposal: ProposalRow | null;
}

/** One call that has ended, with the data for its records and its answer. */
export interface RunResult extends BegunCall {
  readonly contract: RecordedContract;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly end: CallEnd;
}

export interface SettleDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly log: Log;
  readonly signals: Signals;
  readonly audit: Pick<Audit, "record" | "redactorOf" | "history">;
  readonly events: Pick<Events, "fireWithin">;
  readonly idempotency: Pick<Idempotency, "end">;
  readonly baseUrl: string;
  /** Called after failures were written that may open an issue. */
  readonly reported: () => void;
  /** Runs in the transaction that ends the call. */
  readonly awaited: TellAwaited;
}

export interface Settler {
  /**
   * Returns the answer. Null if no request waits for one, or if the lease was lost, so that another node has ended the
   * call.
   */
  settle(ending: RunResult): Promise<StoredAnswer | null>;
}

const MAX_AT_ONCE = 200;
const RETRY_MS = 250;
/** After this time, another node has ended the run as unknown. */
const PATIENCE_MS = 55_000;

/**
 * Ends all calls that finished during the previous transaction in one transaction: runs, proposals, audit entries, events
 * and answers.
 */
export function createSettler(deps: SettleDeps): Settler {
  const batcher = createShardBatcher<RunResult, StoredAnswer | null>(deps.db, {
    bucketOf: ({ scope }) => scope.bucket,
    maxSize: MAX_AT_ONCE,
    concurrency: 2,
    run: async (items) => await patiently(deps, items),
  });
  return { settle: async (ending) => await batcher.add(ending) };
}

/**
 * Retries during a short failure of the database, which must not turn a finished call into one with an unknown outcome.
 */
async function patiently(deps: SettleDeps, items: readonly RunResult[]): Promise<(StoredAnswer | null)[]> {
  const giveUpMs = deps.clock.monotonicMs() + PATIENCE_MS;
  for (;;) {
    try {
      return await settleAll(deps, items);
    } catch (error) {
      if (!isPassing(error) || deps.clock.monotonicMs() > giveUpMs) throw error;
      deps.log.warn({ err: error, runs: items.length }, "failed to write results of action runs; retrying");
      await sleep(RETRY_MS);
    }
  }
}

async function settleAll(deps: SettleDeps, items: readonly RunResult[]): Promise<(StoredAnswer | null)[]> {
  const redactors = await redactorsOf(
    deps.audit,
    items.map(({ scope }) => scope),
  );
  return await deps.db.transaction(async (tx) => {
    const held = await holdRuns(
      tx,
      items.map(({ run, leaseId }) => ({ bucket: run.bucket, tag: run.tag, id: run.id, lease_id: leaseId })),
    );
    const now = deps.clock.now();
    const ended = items.map((item, at) =>
      held.has(at) ? endOne(deps, tx, { item, now, redactor: redactors(item.scope) }) : null,
    );
    const all = ended.filter((one) => one !== null);
    await endRuns(
      tx,
      all.map((one) => one.end),
    );
    await deps.idempotency.end(
      tx,
      all.flatMap((one) => one.kept),
    );
    await deps.awaited(
      tx,
      all.flatMap((one) => one.awaited),
    );
    await deps.events.fireWithin(
      tx,
      all.flatMap((one) => one.events),
    );
    const reports = items.flatMap((item, at) => (held.has(at) ? reportsOf(item) : []));
    await report(tx, reports);
    tx.onCommit(() => {
      if (reports.some(({ failure }) => failure !== null)) deps.reported();
      for (const { run } of all) deps.signals.actionEnded(run.tag, run.status, run.duration_ms ?? 0);
    });
    return ended.map((one) => one?.answer ?? null);
  });
}

/** A simulated run calls no backend. */
function reportsOf({ scope, run, contract, end }: RunResult): Report[] {
  if (end.simulated) return [];
  const code = end.status === null ? (end.errorCode ?? "failed") : String(end.status);
  const failure = end.ok ? null : { code, detail: end.detail, runId: run.id, eventId: run.chain?.at(-1) ?? null };
  return [{ scope, kind: "action", object: contract.key, id: run.id, tenant: null, failure }];
}

interface EndedRun {
  readonly item: RunResult;
  readonly now: Instant;
  readonly redactor: Redactor;
}

interface EndedOne {
  readonly run: RunRow;
  readonly answer: StoredAnswer | null;
  readonly end: RunEnd;
  readonly kept: Parameters<SettleDeps["idempotency"]["end"]>[1];
  readonly awaited: readonly Awaited[];
  readonly events: readonly EventDraft[];
}

function endOne(deps: SettleDeps, tx: Tx, one: EndedRun): EndedOne {
  const { item, now, redactor } = one;
  const result = item.end.result === null ? null : parseJson(item.end.result);
  const auditId = recorded(deps, tx, { ...one, result });
  const end = endOf(deps, item, {
    now,
    auditId,
    redacted:
      result === null ? null : JSON.stringify(redactor.value(result, { sensitive: sensitiveOf(item.contract) })),
  });
  const run = ranOf(item, end);
  keepOutcome(deps.audit, tx, {
    scope: item.scope,
    actor: run.actor,
    surface: run.surface,
    outcome: () => ({
      action: run.action,
      proposalId: run.proposal_id,
      runId: run.id,
      status: run.status,
      result: run.result_redacted === null ? null : parseJson(run.result_redacted),
      errorCode: item.end.errorCode,
    }),
  });
  const proposal = item.proposal === null ? null : { ...item.proposal, state: run.status, ended_at: end.now };
  const answer = item.reply === null ? null : answered(deps, { ...item, reply: item.reply, proposal, now }, run);
  return {
    run,
    answer,
    end,
    kept: answer === null ? [] : keptOf(run, answer),
    awaited: awaitedOf(item, run, now),
    events: newsOf(item, run, now),
  };
}

/** Records the audit entry, unless the contract turns auditing off. */
function recorded(deps: SettleDeps, tx: Tx, { item, result }: EndedRun & { readonly result: unknown }): Uuid | null {
  const { scope, run, contract, end, kind } = item;
  if (!contract.audit) return run.audit_id;
  const approver = run.approver === null ? null : (parseJson(run.approver) as Actor);
  const id = deps.audit.record(
    tx,
    scope,
    entryOf("run", contract, statusOf(item), {
      actor: actorOf(item),
      approver,
      proposalId: run.proposal_id,
      runId: run.id,
      prompt: run.prompt,
      parameters: item.parameters,
      result,
      errorCode: end.errorCode,
      durationMs: end.durationMs,
      backend: end.host === null ? null : { host: end.host, status: end.status },
      requestId: item.reply?.requestId ?? run.request_id,
    }),
  );
  return kind === "undo" ? run.audit_id : (parseId(id)?.uuid ?? null);
}

/** Returns the actor that requested the run, or its undo. */
function actorOf({ kind, run }: RunResult): Actor {
  return parseJson((kind === "undo" ? run.undo_actor : null) ?? run.actor) as Actor;
}

function statusOf({ kind, end }: RunResult): RunEnd["status"] {
  if (kind === "undo") return end.ok ? "undone" : "undo_failed";
  return end.ok ? "executed" : "failed";
}

function endOf(
  { sealer }: SettleDeps,
  item: RunResult,
  finished: { readonly now: Instant; readonly auditId: Uuid | null; readonly redacted: string | null },
): RunEnd {
  const { now } = finished;
  const { run, contract, end } = item;
  const { bucket, tag, id } = run;
  const window = contract.reversible && end.ok ? contract.undo : null;
  return {
    bucket,
    tag,
    id,
    lease_id: item.leaseId,
    status: statusOf(item),
    simulated: end.simulated,
    result_redacted: finished.redacted,
    result_sealed: window === null || end.result === null ? null : sealedResult(sealer, id, end.result),
    outcome_unknown: end.outcomeUnknown,
    error_code: end.errorCode,
    error_detail: end.detail,
    backend_status: end.status,
    backend_host: end.host,
    duration_ms: end.durationMs,
    audit_id: finished.auditId,
    undo_until: window === null ? null : toDate(after(now, window.window_seconds * 1000)),
    now: toDate(now),
  };
}

/** Returns the row as it will be after the update. */
function ranOf({ kind, run }: RunResult, end: RunEnd): RunRow {
  const { now, ...columns } = end;
  const free = { lease_id: null, due_at: null };
  if (kind === "execute") return { ...run, ...columns, ...free, ended_at: now };
  const { status, error_code, error_detail, outcome_unknown } = columns;
  return { ...run, ...free, status, error_code, error_detail, outcome_unknown, undone_at: now };
}

function answered(
  deps: SettleDeps,
  item: RunResult & { readonly reply: Reply; readonly now: Instant },
  run: RunRow,
): StoredAnswer {
  const { scope, reply, proposal, end, now } = item;
  if (reply.kind === "approval" && proposal !== null) {
    const text = proposalText({ scope, baseUrl: deps.baseUrl }, proposal);
    return answerOf(reply, 200, `${text.slice(0, -1)},"run":${runText({ scope, now }, run)}}`);
  }
  if (end.ok) return answerOf(reply, 200, runText({ scope, now }, run, reply.kind === "run" ? end.result : undefined));
  return problemAnswer(reply, deps.baseUrl, refusalOf(item, run));
}

/** Reports an unknown outcome as a failure of the backend. The run itself shows that the outcome is unknown. */
function refusalOf({ scope, end }: RunResult, run: RunRow): ServiceError {
  const { tag } = scope;
  const code = end.errorCode !== null && isErrorCode(end.errorCode) ? end.errorCode : "action_endpoint_failed";
  const execution = {
    id: wireId("run", tag, run.id),
    status: run.status,
    error_code: run.error_code,
    outcome_unknown: run.outcome_unknown,
    proposal_id: toWireId("prop", tag, run.proposal_id),
    audit_id: toWireId("aud", tag, run.audit_id),
  };
  return new ServiceError(code, {
    ...(end.detail === null ? {} : { detail: end.detail }),
    extra: { ...end.extra, execution },
  });
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCatalogue, code);
}

function keptOf(run: RunRow, answer: StoredAnswer): EndedOne["kept"] {
  const { bucket, lineage_id: lineageId, idempotency_key: key } = run;
  if (lineageId === null || key === null) return [];
  return [{ place: { bucket, tag: run.tag, lineageId, key }, work: run.id, answer }];
}

function awaitedOf({ scope, kind }: RunResult, run: RunRow, now: Instant): Awaited[] {
  if (kind === "undo" || run.waiter === null) return [];
  const outcome = run.status === "executed" ? "executed" : "failed";
  return [{ scope, waiter: run.waiter, outcome, output: runText({ scope, now }, run) }];
}

function newsOf({ scope }: RunResult, run: RunRow, now: Instant): EventDraft[] {
  if (run.status === "executed") return [executed(scope, run, now)];
  if (run.status === "failed") return [failed(scope, run, now)];
  return run.status === "undone" ? [undone(scope, run, now)] : [];
}
