import { ScrollText } from "lucide-react";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { ActorName, actorTypeWords, Outcome, outcomeWord } from "../../shared/shared.ts";
import { labelOf, Link, optionsOf, RelativeTime, ResourceList, sinceFilter, useFilterQuery } from "../../ui/ui.ts";
import type { FilterField, TableColumn } from "../../ui/ui.ts";
import { Export } from "./export.tsx";
import { Verify } from "./verify.tsx";

const KINDS =
  "run proposal contract ai rule workflow connector sign_in account session member key secret endpoint event source channel tenant contact workspace audit".split(
    " ",
  );
const ACTORS = ["user", "service", "ai", "rule", "workflow", "connector", "standing_approval", "system"];
const OUTCOMES = ["ok", "refused", "failed", "executed"];
const FILTERS: readonly FilterField[] = [
  { name: "kind", label: "Kind", options: optionsOf(KINDS), isPinned: true },
  sinceFilter,
  { name: "status", label: "Outcome", options: OUTCOMES.map((value) => ({ value, label: outcomeWord(value) })) },
  { name: "action", label: "Operation or action", mono: true, placeholder: "keys.create" },
  {
    name: "actor_type",
    label: "Actor type",
    options: ACTORS.map((value) => ({ value, label: labelOf(actorTypeWords(value)) })),
  },
  { name: "actor_id", label: "Actor ID", mono: true },
  { name: "tenant", label: "Tenant", mono: true },
  { name: "proposal_id", label: "Proposal", mono: true },
  { name: "run_id", label: "Run", mono: true },
];

/** Lists the audit log, whose hash chain reveals each change to it. */
export function Screen() {
  const query = useFilterQuery(FILTERS);
  return (
    <ResourceList
      operation="audit.list"
      title="Audit log"
      description="Who did what, when, and with what result. Entries are never changed, and each one contains the hash of the previous entry."
      filters={FILTERS}
      actions={<Export query={query} />}
      notice={
        <div className="pb-4">
          <Verify />
        </div>
      }
      noun="audit log"
      emptyTitle="No matching entries"
      icon={ScrollText}
      hint="The audit log records configuration changes, sign-ins, approvals and action runs."
      columns={COLUMNS}
    />
  );
}

const COLUMNS: readonly TableColumn<wire.AuditRow>[] = [
  {
    header: "No.",
    align: "end",
    cell: (row) => (
      <Link to={paths.auditRow(row.id)} look="plain" className="tabular-nums hover:underline">
        {row.seq}
      </Link>
    ),
  },
  { header: "Time", from: "sm", cell: (row) => <RelativeTime at={row.occurred_at} /> },
  {
    header: "Action",
    cell: (row) => (
      <span className="flex min-w-0 flex-col">
        <code className="wrap-anywhere">{row.action}</code>
        <span className="text-xs text-muted sm:hidden">
          <RelativeTime at={row.occurred_at} />
        </span>
        {row.error_code === null ? null : <code className="text-xs wrap-anywhere text-bad">{row.error_code}</code>}
      </span>
    ),
  },
  { header: "Outcome", cell: (row) => <Outcome status={row.status} /> },
  { header: "Actor", from: "sm", cell: (row) => <ActorName actor={row.actor} /> },
  {
    header: "IP address",
    from: "lg",
    cell: (row) => (row.actor.ip === null ? "" : <code className="text-xs">{row.actor.ip}</code>),
  },
];
