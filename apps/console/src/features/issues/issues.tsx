import { CircleAlert } from "lucide-react";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { Link, optionsOf, RelativeTime, ResourceList } from "../../ui/ui.ts";
import type { FilterField, TableColumn } from "../../ui/ui.ts";
import { IssueLight, KINDS } from "./words.tsx";

const FILTERS: readonly FilterField[] = [
  {
    name: "state",
    label: "State",
    options: optionsOf(["open", "acknowledged", "ignored", "resolved"]),
    isPinned: true,
  },
  {
    name: "kind",
    label: "Kind",
    options: Object.entries(KINDS).map(([value, label]) => ({ value, label })),
    isPinned: true,
  },
  { name: "object_id", label: "Object ID", mono: true, placeholder: "ep_…" },
  { name: "owner", label: "Owner", mono: true, placeholder: "mem_…" },
];

/** Failures of endpoints, sources, connectors and actions, grouped. */
export function Screen() {
  return (
    <ResourceList
      operation="issues.list"
      title="Issues"
      description="Failures of one endpoint, source, connector or action, as one item. Five successes in a row resolve it."
      filters={FILTERS}
      noun="issues"
      icon={CircleAlert}
      hint="An issue is opened when an object fails three times within ten minutes."
      columns={COLUMNS}
    />
  );
}

const COLUMNS: readonly TableColumn<wire.Issue>[] = [
  {
    header: "Issue",
    cell: (issue) => (
      <span className="flex min-w-0 flex-col">
        <Link
          to={paths.issue(issue.id)}
          look="plain"
          className="line-clamp-2 w-fit font-medium wrap-anywhere hover:underline"
        >
          <bdi>{issue.object_name ?? issue.object_id}</bdi>
        </Link>
        <span className="text-sm text-muted">{KINDS[issue.kind]}</span>
      </span>
    ),
  },
  { header: "State", cell: (issue) => <IssueLight issue={issue} /> },
  {
    header: "Last failure",
    from: "sm",
    cell: ({ fingerprints: [last] }) => (
      <span className="line-clamp-2 wrap-anywhere">
        <code>{last?.code}</code> {last?.message}
      </span>
    ),
  },
  { header: "Failures", from: "sm", cell: (issue) => issue.count },
  { header: "Last seen", cell: (issue) => <RelativeTime at={issue.last_seen_at} /> },
];
