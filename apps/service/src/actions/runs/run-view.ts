import { fromDate, spliced, wireId } from "../../lib/lib.ts";
import type { Instant } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { moment, owned, toWireId } from "../wire/view-fields.ts";
import type { RunRow } from "./runs.store.ts";

interface ShownRun {
  readonly scope: Scope;
  readonly now: Instant;
}

/**
 * Returns the JSON text of one run as the API shows it. `result` is the unredacted result for the caller of the run.
 * Later readers see the redacted one.
 */
export function runText({ scope, now }: ShownRun, run: RunRow, result?: string | null): string {
  const { tag } = scope;
  const head = {
    id: wireId("run", tag, run.id),
    object: "run",
    action: run.action,
    contract_version: run.contract_version,
    status: run.status,
    surface: run.surface,
    proposal_id: toWireId("prop", tag, run.proposal_id),
    audit_id: toWireId("aud", tag, run.audit_id),
    simulated: run.simulated,
    reversible: isReversible(run, now),
    undo_until: moment(run.undo_until),
    undone_at: run.status === "undone" ? moment(run.undone_at) : null,
    error: errorOf(run),
    backend: run.backend_host === null ? null : { host: run.backend_host, status: run.backend_status },
    duration_ms: run.duration_ms,
    started_at: moment(run.started_at),
    ended_at: moment(run.ended_at),
    prompt: run.prompt,
    ...owned(scope, run.id),
  };
  return spliced(head, {
    actor: run.actor,
    approver: run.approver,
    undone_by: run.undo_actor,
    parameters: run.parameters_redacted,
    result: result === undefined ? run.result_redacted : result,
  });
}

function isReversible({ undo_until: until, status, undo_actor: undoer }: RunRow, now: Instant): boolean {
  return until !== null && fromDate(until) > now && status === "executed" && undoer === null;
}

function errorOf({ error_code: code, error_detail: detail, outcome_unknown }: RunRow): object | null {
  return code === null ? null : { code, detail, outcome_unknown };
}
