import { setTimeout as sleep } from "node:timers/promises";
import type { Redactor } from "../../audit/audit.ts";
import { createShardBatcher } from "../../platform/db/db.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { EventDraft } from "../../events/events.ts";
import type { StoredAnswer } from "../../access/access.ts";
import {
  after,
  errorCatalogue,
  fromDate,
  isPassing,
  parseId,
  parseJson,
  ServiceError,
  toDate,
  wireId,
} from "../../lib/lib.ts";
import type { ErrorCode, Instant, Uuid } from "../../lib/lib.ts";
import { report } from "../../issues/issues.ts";
import type { Report } from "../../issues/issues.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Actor } from "../callers/actor.ts";
import type { ActionDeps, Awaited } from "../requests/action-deps.ts";
import { sealedResult } from "../requests/action-request.ts";
import { redactorsOf } from "./start-run.ts";
import type { Contract } from "../contracts/contract.ts";
import { keepOutcome } from "../requests/ai-history.ts";
import { entryOf, sensitiveOf } from "../requests/entries.ts";
import { executed, failed, undone } from "./run-events.ts";
import type { ProposalRow } from "../proposals/proposals.store.ts";
import { toWireId } from "../wire/view-fields.ts";
import { answerOf, problemAnswer } from "../requests/stored-response.ts";
import type { Reply } from "../requests/stored-response.ts";
import type { CallOutcome } from "./backend-call.ts";
import { endRuns, holdRuns } from "./runs.store.ts";
import type { RunEnd, RunRow, RunStatus } from "./runs.store.ts";
import { proposalText } from "../proposals/proposal-view.ts";
import { runText } from "./run-view.ts";

/** One call that has begun: recorded, committed, and leased under its run's `lease_id`. */
export interface BegunCall {
  readonly scope: Scope;
  readonly kind: "execute" | "undo";
  /** The run at the start of the call. */
  readonly run: RunRow;
  /** The facts of a contract that the records of a call need. */
  readonly contract: Pick<Contract, "key" | "version" | "params" | "audit" | "reversible" | "undo"> & {
    readonly sha256: string | null;
  };
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The form of the answer; null if no request waits for one. */
  readonly reply: Reply | null;
  readonly proposal: ProposalRow | null;
}

/**
 * Ends a call. Returns the answer; null if no request waits for one, or if the lease was lost, so that another node has
 * ended the call.
 */
export type Settle = (call: BegunCall, outcome: CallOutcome) => Promise<StoredAnswer | null>;

interface Result extends BegunCall {
  readonly outcome: CallOutcome;
}

type WorkEnd = Parameters<ActionDeps["idempotency"]["end"]>[1][number];

interface EndedCall {
  readonly result: Result;
  /** The run after its end. */
  readonly run: RunRow;
  readonly end: RunEnd;
  readonly answer: StoredAnswer | null;
}

const MAX_AT_ONCE = 200;
const RETRY_MS = 250;
/** After this time, another node has ended the run as unknown. */
const PATIENCE_MS = 55_000;

/**
 * Ends all calls that finished during the previous transaction in one transaction: runs, proposals, audit entries, events
 * and answers.
 */
export function createSettle(deps: ActionDeps): Settle {
  const batcher = createShardBatcher<Result, StoredAnswer | null>(deps.db, {
    bucketOf: ({ scope }) => scope.bucket,
    maxSize: MAX_AT_ONCE,
    concurrency: 2,
    run: async (results) => await patiently(deps, results),
  });
  return async (call, outcome) => await batcher.add({ ...call, outcome });
}

/**
 * Retries during a short failure of the database, which must not turn a finished call into one with an unknown outcome.
 */
async function patiently(deps: ActionDeps, results: readonly Result[]): Promise<(StoredAnswer | null)[]> {
  const giveUpMs = deps.clock.monotonicMs() + PATIENCE_MS;
  for (;;) {
    try {
      return await settleAll(deps, results);
    } catch (error) {
      if (!isPassing(error) || deps.clock.monotonicMs() > giveUpMs) throw error;
      deps.log.warn({ err: error, runs: results.length }, "failed to write results of action runs; retrying");
      await sleep(RETRY_MS);
    }
  }
}

async function settleAll(deps: ActionDeps, results: readonly Result[]): Promise<(StoredAnswer | null)[]> {
  const redactors = await redactorsOf(deps.audit, results);
  return await deps.db.transaction(async (tx) => {
    const runs = results.map(({ run }) => run);
    const held = await holdRuns(tx, runs);
    const now = deps.clock.now();
    const all = results.map((result, at) =>
      held.has(at) ? endOne(deps, tx, result, { now, redactor: redactors(result.scope) }) : null,
    );
    const ended = all.filter((one) => one !== null);
    const ends = ended.map(({ end }) => end);
    await endRuns(tx, ends);
    await deps.idempotency.end(tx, ended.flatMap(workEndOf));
    await deps.awaited(tx, ended.flatMap(awaitedOf));
    await deps.events.fireWithin(tx, ended.flatMap(eventsOf));
    const reports = ended.flatMap(reportsOf);
    await report(tx, reports);
    tx.onCommit(() => {
      if (reports.some(({ failure }) => failure !== null)) deps.reported();
      for (const { run } of ended) deps.signals.actionEnded(run.tag, run.status, run.duration_ms ?? 0);
    });
    return all.map((one) => one?.answer ?? null);
  });
}

interface Ending {
  readonly now: Instant;
  readonly redactor: Redactor;
}

function endOne(deps: ActionDeps, tx: Tx, result: Result, { now, redactor }: Ending): EndedCall {
  const { scope, contract, outcome } = result;
  const value = outcome.result === null ? null : parseJson(outcome.result);
  const end = {
    ...endColumns(deps, result, now),
    audit_id: recorded(deps, tx, result, value),
    result_redacted:
      value === null ? null : JSON.stringify(redactor.value(value, { sensitive: sensitiveOf(contract) })),
  };
  const run = endedRun(result, end);
  keepOutcome(deps.audit, tx, {
    scope,
    actor: run.actor,
    surface: run.surface,
    outcome: () => ({
      action: run.action,
      proposalId: run.proposal_id,
      runId: run.id,
      status: run.status,
      result: run.result_redacted === null ? null : parseJson(run.result_redacted),
      errorCode: outcome.errorCode,
    }),
  });
  return { result, run, end, answer: answerTo(deps, result, run, now) };
}

/** Records the audit entry, unless the contract turns auditing off. */
function recorded(deps: ActionDeps, tx: Tx, { outcome, ...call }: Result, result: unknown): Uuid | null {
  const { scope, run, contract, kind } = call;
  if (!contract.audit) return run.audit_id;
  const id = deps.audit.record(
    tx,
    scope,
    entryOf("run", contract, statusOf(kind, outcome), {
      actor: requesterOf(call),
      approver: run.approver === null ? null : (parseJson(run.approver) as Actor),
      proposalId: run.proposal_id,
      runId: run.id,
      prompt: run.prompt,
      parameters: call.parameters,
      result,
      errorCode: outcome.errorCode,
      durationMs: outcome.durationMs,
      backend: outcome.host === null ? null : { host: outcome.host, status: outcome.status },
      requestId: call.reply?.requestId ?? run.request_id,
    }),
  );
  return kind === "undo" ? run.audit_id : (parseId(id)?.uuid ?? null);
}

/** Returns the actor that requested the run, or its undo. */
export function requesterOf({ kind, run }: Pick<BegunCall, "kind" | "run">): Actor {
  return parseJson((kind === "undo" ? run.undo_actor : null) ?? run.actor) as Actor;
}

function statusOf(kind: BegunCall["kind"], { ok }: CallOutcome): RunStatus {
  if (kind === "undo") return ok ? "undone" : "undo_failed";
  return ok ? "executed" : "failed";
}

function endColumns({ sealer }: ActionDeps, { kind, run, contract, outcome }: Result, now: Instant): RunEnd {
  const window = contract.reversible && outcome.ok ? contract.undo : null;
  return {
    ...run,
    status: statusOf(kind, outcome),
    simulated: outcome.simulated,
    result_sealed: window === null || outcome.result === null ? null : sealedResult(sealer, run.id, outcome.result),
    outcome_unknown: outcome.outcomeUnknown,
    error_code: outcome.errorCode,
    error_detail: outcome.detail,
    backend_status: outcome.status,
    backend_host: outcome.host,
    duration_ms: outcome.durationMs,
    undo_until: window === null ? null : toDate(after(now, window.window_seconds * 1000)),
    now: toDate(now),
  };
}

/** Returns the row as it will be after the update. */
function endedRun({ kind, run }: Result, { now, ...ended }: RunEnd): RunRow {
  const free = { lease_id: null, due_at: null };
  if (kind === "execute") return { ...ended, ...free, ended_at: now };
  const { status, error_code, error_detail, outcome_unknown } = ended;
  return { ...run, ...free, status, error_code, error_detail, outcome_unknown, undone_at: now };
}

function answerTo({ baseUrl }: ActionDeps, result: Result, run: RunRow, now: Instant): StoredAnswer | null {
  const { scope, reply, proposal, outcome } = result;
  if (reply === null) return null;
  if (reply.kind === "approval" && proposal !== null) {
    const ended = { ...proposal, state: run.status, ended_at: toDate(now) };
    const text = proposalText({ scope, baseUrl }, ended);
    return answerOf(reply, 200, `${text.slice(0, -1)},"run":${runText({ scope, now }, run)}}`);
  }
  if (outcome.ok) {
    const whole = reply.kind === "run" ? outcome.result : undefined;
    return answerOf(reply, 200, runText({ scope, now }, run, whole));
  }
  return problemAnswer(reply, baseUrl, runRefusal(scope, outcome, run));
}

/** Reports an unknown outcome as a failure of the backend. The run itself shows that the outcome is unknown. */
function runRefusal({ tag }: Scope, { errorCode, detail, extra }: CallOutcome, run: RunRow): ServiceError {
  const code = errorCode !== null && isErrorCode(errorCode) ? errorCode : "action_endpoint_failed";
  const execution = {
    id: wireId("run", tag, run.id),
    status: run.status,
    error_code: run.error_code,
    outcome_unknown: run.outcome_unknown,
    proposal_id: toWireId("prop", tag, run.proposal_id),
    audit_id: toWireId("aud", tag, run.audit_id),
  };
  return new ServiceError(code, { ...(detail === null ? {} : { detail }), extra: { ...extra, execution } });
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCatalogue, code);
}

/** A simulated run calls no backend. */
function reportsOf({ result: { scope, run, contract, outcome } }: EndedCall): Report[] {
  if (outcome.simulated) return [];
  const code = outcome.status === null ? (outcome.errorCode ?? "failed") : String(outcome.status);
  const failure = outcome.ok
    ? null
    : { code, detail: outcome.detail, runId: run.id, eventId: run.chain?.at(-1) ?? null };
  return [{ scope, kind: "action", object: contract.key, id: run.id, tenant: null, failure }];
}

function workEndOf({ run, answer }: EndedCall): WorkEnd[] {
  const { bucket, tag, lineage_id: lineageId, idempotency_key: key } = run;
  if (answer === null || lineageId === null || key === null) return [];
  return [{ place: { bucket, tag, lineageId, key }, work: run.id, answer }];
}

function awaitedOf({ result: { scope, kind }, run, end }: EndedCall): Awaited[] {
  if (kind === "undo" || run.waiter === null) return [];
  const outcome = run.status === "executed" ? "executed" : "failed";
  return [{ scope, waiter: run.waiter, outcome, output: runText({ scope, now: fromDate(end.now) }, run) }];
}

function eventsOf({ result: { scope }, run, end }: EndedCall): EventDraft[] {
  const now = fromDate(end.now);
  if (run.status === "executed") return [executed(scope, run, now)];
  if (run.status === "failed") return [failed(scope, run, now)];
  return run.status === "undone" ? [undone(scope, run, now)] : [];
}
