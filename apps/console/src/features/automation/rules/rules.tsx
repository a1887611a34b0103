import type { wire } from "../../../api/api.ts";
import { Badge } from "../../../ui/ui.ts";
import type { TableColumn } from "../../../ui/ui.ts";
import { RULE_NAMES } from "../automation-kind.ts";
import { AutomationList } from "../automation-list.tsx";

const EXAMPLE: wire.NewRule = {
  name: "Tag large orders",
  on: ["order.created"],
  when: { all: [{ field: "data.total", op: "gte", value: 100 }] },
  then: [{ type: "add_tag", tag: "large-order" }],
};
const SHOWN_EVENTS = 2;

/** Lists the rules, which run actions when an event meets a condition. */
export function Screen() {
  return (
    <AutomationList
      names={RULE_NAMES}
      description="Run actions automatically when an event meets a condition. Rules with lower priority numbers run first."
      example={EXAMPLE}
      columns={COLUMNS}
    >
      A rule can tag a contact, send a webhook, run an action or start a workflow automatically.
    </AutomationList>
  );
}

const COLUMNS: readonly TableColumn<wire.Rule>[] = [
  { header: "Event types", from: "md", cell: (rule) => <Events events={rule.on} /> },
  { header: "Actions", from: "lg", align: "end", cell: (rule) => rule.then.length },
  { header: "Priority", from: "sm", align: "end", cell: (rule) => rule.priority },
];

function Events({ events }: { readonly events: readonly string[] }) {
  return (
    <span className="flex items-center gap-1 whitespace-nowrap">
      {events.slice(0, SHOWN_EVENTS).map((event) => (
        <Badge key={event}>
          {event === "*" ? "All except system events" : <code className="max-w-40 truncate">{event}</code>}
        </Badge>
      ))}
      {events.length > SHOWN_EVENTS ? (
        <span className="text-xs text-muted">and {events.length - SHOWN_EVENTS} more</span>
      ) : null}
    </span>
  );
}
