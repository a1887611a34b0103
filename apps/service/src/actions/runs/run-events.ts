import type { EventDraft } from "../../events/events.ts";
import { toRfc3339, wireId } from "../../lib/lib.ts";
import type { Instant } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { actorText, news } from "../requests/system-events.ts";
import { toWireId } from "../wire/view-fields.ts";
import type { RunRow } from "./runs.store.ts";

export function executed(scope: Scope, run: RunRow, now: Instant): EventDraft {
  return news(scope, run, "action.executed", {
    ...runHead(scope, run),
    contract_version: run.contract_version,
    proposal_id: toWireId("prop", scope.tag, run.proposal_id),
    audit_id: toWireId("aud", scope.tag, run.audit_id),
    actor: actorText(run.actor),
    approver: run.approver === null ? null : actorText(run.approver),
    surface: run.surface,
    reversible: run.undo_until !== null,
    duration_ms: run.duration_ms,
    executed_at: toRfc3339(now),
  });
}

export function failed(scope: Scope, run: RunRow, now: Instant): EventDraft {
  return news(scope, run, "action.failed", {
    ...runHead(scope, run),
    proposal_id: toWireId("prop", scope.tag, run.proposal_id),
    actor: actorText(run.actor),
    error_code: run.error_code,
    backend_status: run.backend_status,
    failed_at: toRfc3339(now),
  });
}

export function undone(scope: Scope, run: RunRow, now: Instant): EventDraft {
  return news(scope, run, "action.undone", {
    ...runHead(scope, run),
    undone_by: run.undo_actor === null ? null : actorText(run.undo_actor),
    undone_at: toRfc3339(now),
  });
}

function runHead(scope: Scope, run: RunRow): Readonly<Record<string, unknown>> {
  return { action: run.action, run_id: wireId("run", scope.tag, run.id) };
}
