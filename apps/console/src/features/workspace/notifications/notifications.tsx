import { Bell } from "lucide-react";
import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { useAccess } from "../../../session/session.ts";
import {
  Button,
  Link,
  RelativeTime,
  ResourceList,
  StatusLight,
  Table,
  toastError,
  useIsFiltered,
} from "../../../ui/ui.ts";
import type { FilterField, TableColumn } from "../../../ui/ui.ts";

const FILTERS: readonly FilterField[] = [
  { name: "unread", label: "Read", options: [{ value: "true", label: "Unread only" }], isPinned: true },
];

/** Lists what rules sent to the user. */
export function Screen() {
  const isFiltered = useIsFiltered();
  return (
    <ResourceList
      operation="notifications.list"
      title="Notifications"
      description="Messages of rules to you. Unread ones are also sent by e-mail if the operator has set a mail server."
      filters={FILTERS}
      actions={<Link to={paths.account}>E-mail preferences</Link>}
      noun="notifications"
      emptyTitle={isFiltered ? "No unread notifications" : "No notifications yet"}
      icon={Bell}
      hint="Messages appear here when a rule notifies you or your role."
    >
      {(rows) => <Notifications rows={rows} />}
    </ResourceList>
  );
}

function Notifications({ rows }: { readonly rows: readonly wire.Notification[] }) {
  const access = useAccess();
  const markRead = useWrite("notifications.read", { refreshes: ["notifications."] });
  const unread = rows.filter((row) => row.read_at === null).map((row) => row.id);
  return (
    <>
      <Table label="Messages of rules" rows={rows} columns={COLUMNS} />
      {unread.length === 0 ? null : (
        <div className="border-t border-line p-3">
          <Button
            size="sm"
            isPending={markRead.isPending}
            isDisabled={!access.may("notifications.read")}
            onPress={() => markRead.mutate({ body: { ids: unread.slice(0, MOST) } }, { onError: toastError })}
          >
            Mark {Math.min(unread.length, MOST)} as read
          </Button>
        </div>
      )}
    </>
  );
}

/** The maximum number of ids in a request. */
const MOST = 100;

const COLUMNS: readonly TableColumn<wire.Notification>[] = [
  {
    header: "Message",
    className: "w-full max-w-0",
    cell: (row) => (
      <Link to={paths.event(row.event_id)} look="plain" className="block truncate font-medium hover:underline">
        <bdi>{row.message}</bdi>
      </Link>
    ),
  },
  {
    header: "Rule",
    from: "md",
    className: "max-w-48",
    cell: (row) => (
      <Link to={paths.rule(row.rule_id)} look="plain" className="block truncate hover:underline">
        <bdi>{row.rule_name}</bdi>
      </Link>
    ),
  },
  {
    header: "State",
    cell: (row) =>
      row.read_at === null ? (
        <StatusLight tone="warn">Unread</StatusLight>
      ) : (
        <StatusLight tone="neutral">Read</StatusLight>
      ),
  },
  { header: "Created", from: "sm", cell: (row) => <RelativeTime at={row.created_at} /> },
];
