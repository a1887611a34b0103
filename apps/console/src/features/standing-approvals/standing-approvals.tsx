import { BadgeCheck, Plus } from "lucide-react";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { ActorName } from "../../shared/shared.ts";
import { Link, optionsOf, RelativeTime, ResourceList } from "../../ui/ui.ts";
import type { FilterField, TableColumn } from "../../ui/ui.ts";
import { budgetText, StandingLight } from "./standing-light.tsx";

const FILTERS: readonly FilterField[] = [
  { name: "state", label: "State", options: optionsOf(["active", "ended"]), isPinned: true },
  { name: "action", label: "Action", mono: true, placeholder: "billing.refund" },
];

/** Lists the approvals that owners gave in advance. */
export function Screen() {
  const access = useAccess();
  const create = access.may("standing_approvals.create") ? (
    <Link to={paths.standingApproval("new")} look="primary">
      <Plus aria-hidden size={15} />
      Approve in advance
    </Link>
  ) : null;
  return (
    <ResourceList
      operation="standing_approvals.list"
      title="Standing approvals"
      description="Approvals that owners gave in advance to AI clients and programs, within a budget. Beyond it, proposals wait for a person."
      filters={FILTERS}
      actions={create ?? <p className="text-sm text-muted">Only owners can approve in advance.</p>}
      noun="standing approvals"
      icon={BadgeCheck}
      emptyAction={create}
      hint="Let an agent run an action by itself, such as refunds up to an amount, ten a day. Destructive actions always wait for a person."
      columns={COLUMNS}
    />
  );
}

const COLUMNS: readonly TableColumn<wire.StandingApproval>[] = [
  {
    header: "Name",
    cell: (standing) => (
      <span className="flex max-w-xl min-w-0 flex-col">
        <Link
          to={paths.standingApproval(standing.id)}
          look="plain"
          className="w-fit font-medium wrap-anywhere hover:underline"
        >
          <bdi>{standing.name}</bdi>
        </Link>
        <code className="truncate text-xs text-muted">{standing.action}</code>
      </span>
    ),
  },
  { header: "State", cell: (standing) => <StandingLight standing={standing} /> },
  { header: "Used", from: "sm", cell: ({ used, budget }) => `${used.count} of ${budget.count}` },
  { header: "Budget", from: "lg", cell: ({ budget }) => budgetText(budget) },
  { header: "Approved by", from: "md", cell: ({ created_by: by }) => <ActorName actor={by} /> },
  { header: "Ends", from: "md", cell: (standing) => <RelativeTime at={standing.ended_at ?? standing.expires_at} /> },
];
