import { Plus, Workflow } from "lucide-react";
import { usePages, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Badge,
  Card,
  EmptyState,
  Link,
  LoadedPages,
  PageHeader,
  RelativeTime,
  ShowAs,
  Switch,
  Table,
  toastError,
} from "../../ui/ui.ts";

const EXAMPLE = {
  name: "Thank for large orders",
  on: ["order.created"],
  when: { all: [{ field: "data.total", op: "gte", value: 100 }] },
  then: [{ type: "add_tag", tag: "large-order" }],
};
const SHOWN_EVENTS = 2;

/** What happens by itself when an event comes. */
export function Screen() {
  const access = useAccess();
  const pages = usePages("rules.list");
  const add = access.may("rules.create") ? (
    <Link to={paths.rule("new")} look="primary">
      <Plus aria-hidden size={15} />
      Make a rule
    </Link>
  ) : null;
  return (
    <>
      <PageHeader
        title="Rules"
        description="When an event comes and a condition holds, something is done. Those with a lower priority number run first."
        actions={
          <>
            <ShowAs operation="rules.list" input={{}} />
            {add ?? <p className="text-sm text-muted">Your role, {access.role}, makes no rules.</p>}
          </>
        }
      />
      <Card flush>
        <LoadedPages
          pages={pages}
          label="Loading the rules"
          empty={
            <EmptyState
              title="No rule yet"
              icon={<Workflow aria-hidden size={20} />}
              action={
                <>
                  <ShowAs operation="rules.create" input={{ body: EXAMPLE }} />
                  {add}
                </>
              }
            >
              A rule tags a contact, calls a webhook, runs an action or starts a workflow by itself.
            </EmptyState>
          }
        >
          {(rows) => <RuleTable rows={rows} />}
        </LoadedPages>
      </Card>
    </>
  );
}

function RuleTable({ rows }: { readonly rows: readonly wire.Rule[] }) {
  return (
    <Table
      label="Rules"
      rows={rows}
      keyOf={(rule) => rule.id}
      columns={[
        {
          id: "name",
          header: "Rule",
          className: "w-full max-w-0",
          cell: (rule) => (
            <Link to={paths.rule(rule.id)} look="plain" className="block truncate font-medium hover:underline">
              <bdi>{rule.name}</bdi>
            </Link>
          ),
        },
        { id: "on", header: "Listens to", from: "md", cell: (rule) => <Events events={rule.on} /> },
        {
          id: "does",
          header: "Actions",
          from: "lg",
          align: "end",
          cell: (rule) => rule.then.length,
        },
        { id: "priority", header: "Priority", from: "sm", align: "end", cell: (rule) => rule.priority },
        {
          id: "changed",
          header: "Changed",
          from: "lg",
          cell: (rule) => (
            <span className="whitespace-nowrap">
              <RelativeTime at={rule.updated_at} />
            </span>
          ),
        },
        { id: "enabled", header: "Runs", cell: (rule) => <Toggle rule={rule} /> },
      ]}
    />
  );
}

function Events({ events }: { readonly events: readonly string[] }) {
  return (
    <span className="flex items-center gap-1 whitespace-nowrap">
      {events.slice(0, SHOWN_EVENTS).map((event) => (
        <Badge key={event}>
          <code className="max-w-40 truncate">{event === "*" ? "every event" : event}</code>
        </Badge>
      ))}
      {events.length > SHOWN_EVENTS ? (
        <span className="text-xs text-muted">and {events.length - SHOWN_EVENTS} more</span>
      ) : null}
    </span>
  );
}

function Toggle({ rule }: { readonly rule: wire.Rule }) {
  const access = useAccess();
  const update = useWrite("rules.update", { refreshes: ["rules."] });
  return (
    <Switch
      isSelected={rule.enabled}
      isDisabled={update.isPending || !access.may("rules.update")}
      onChange={(enabled) => update.mutate({ path: { id: rule.id }, body: { enabled } }, { onError: toastError })}
      aria-label={`${rule.name.slice(0, 80)} runs`}
    >
      {rule.enabled ? "On" : "Off"}
    </Switch>
  );
}
