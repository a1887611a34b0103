import { Mail } from "lucide-react";
import type { wire } from "../../../api/api.ts";
import { labelOf, RelativeTime, ResourceList, StatusLight, useIsFiltered } from "../../../ui/ui.ts";
import type { FilterField, TableColumn, Tone } from "../../../ui/ui.ts";

const TONES: Readonly<Record<string, Tone>> = {
  waiting: "warn",
  sent: "good",
  failed: "bad",
  skipped: "neutral",
};

const FILTERS: readonly FilterField[] = [
  {
    name: "state",
    label: "State",
    options: Object.keys(TONES).map((state) => ({ value: state, label: labelOf(state) })),
    isPinned: true,
  },
];

/** Lists the e-mail that the service sent for the workspace. */
export function Screen() {
  const isFiltered = useIsFiltered();
  return (
    <ResourceList
      operation="mails.list"
      title="E-mail log"
      description="The e-mail of this workspace: to whom, why, and what went wrong. The text is not kept."
      filters={FILTERS}
      noun="e-mail log"
      emptyTitle={isFiltered ? "No matching e-mail" : "No e-mail yet"}
      icon={Mail}
      hint="Invitations, notifications, waiting approvals and failing endpoints appear here if the operator has set a mail server."
      columns={COLUMNS}
    />
  );
}

const COLUMNS: readonly TableColumn<wire.Mail>[] = [
  { header: "Reason", cell: (mail) => labelOf(mail.purpose) },
  {
    header: "Recipient",
    className: "w-full max-w-0",
    cell: (mail) => <span className="block truncate">{mail.recipient ?? mail.member_id ?? ""}</span>,
  },
  {
    header: "State",
    cell: (mail) => <StatusLight tone={TONES[mail.state] ?? "neutral"}>{labelOf(mail.state)}</StatusLight>,
  },
  {
    header: "Error",
    from: "md",
    className: "max-w-64",
    cell: (mail) => <span className="block truncate">{mail.error ?? ""}</span>,
  },
  { header: "Attempts", from: "lg", align: "end", cell: (mail) => `${mail.attempts} of ${mail.max_attempts}` },
  { header: "Created", from: "sm", cell: (mail) => <RelativeTime at={mail.created_at} /> },
];
