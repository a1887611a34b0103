import { Bot } from "lucide-react";
import { usePages } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { Outcome } from "../../governance/governance.ts";
import { paths } from "../../paths.ts";
import {
  Card,
  EmptyState,
  FilterBar,
  Link,
  LoadedPages,
  PageHeader,
  rangeStart,
  RelativeTime,
  ShowAs,
  Table,
  timeRanges,
  useFilters,
} from "../../ui/ui.ts";

const SOURCES = [
  { value: "assistant", label: "Assistant" },
  { value: "mcp", label: "MCP client" },
  { value: "api", label: "AI key" },
];

/** Requests of the assistant, MCP clients and AI keys, and their outcomes. */
export function Screen() {
  const [filters] = useFilters();
  const after = rangeStart(filters["since"]);
  const query = {
    ...(filters["status"] === undefined ? {} : { status: filters["status"] }),
    ...(filters["source"] === undefined ? {} : { source: filters["source"] }),
    ...(filters["event_id"] === undefined ? {} : { event_id: filters["event_id"] }),
    ...(after === undefined ? {} : { created_after: after }),
  };
  const pages = usePages("ai_history.list", { query });
  return (
    <>
      <PageHeader
        title="AI history"
        description="Requests of the assistant, MCP clients and AI keys, redacted: the prompt, the answer, and the outcome of each action."
        actions={<ShowAs operation="ai_history.list" input={{ query }} />}
      />
      <FilterBar
        fields={[
          { name: "since", label: "Time", options: timeRanges, isPinned: true },
          {
            name: "status",
            label: "Ended",
            options: ["ok", "failed", "refused"].map((value) => ({ value, label: value })),
            isPinned: true,
          },
          { name: "source", label: "Asked by", options: SOURCES, isPinned: true },
          { name: "event_id", label: "Event", mono: true, placeholder: "evt_…" },
        ]}
      />
      <Card flush>
        <LoadedPages
          pages={pages}
          label="Loading the history"
          empty={
            <EmptyState
              title="The assistant was not asked anything yet"
              icon={<Bot aria-hidden size={20} />}
              action={
                <Link to={paths.settings} look="primary">
                  Set the assistant up
                </Link>
              }
            >
              It hears of the events that it is told to hear of, and may only ask for registered actions.
            </EmptyState>
          }
        >
          {(rows) => <HistoryTable rows={rows} />}
        </LoadedPages>
      </Card>
    </>
  );
}

function HistoryTable({ rows }: { readonly rows: readonly wire.AiExchange[] }) {
  return (
    <Table
      label="Exchanges"
      rows={rows}
      keyOf={(row) => row.id}
      columns={[
        {
          id: "trigger",
          header: "Because of",
          cell: (row) => (
            <Link to={paths.aiExchange(row.id)} look="plain" className="font-medium break-all hover:underline">
              {row.trigger}
            </Link>
          ),
        },
        { id: "status", header: "Ended", cell: (row) => <Outcome status={row.status} /> },
        {
          id: "asked",
          header: "Asked for",
          from: "sm",
          cell: (row) => actionsOf(row) || "nothing",
        },
        { id: "model", header: "Model", from: "md", cell: (row) => row.model ?? row.provider },
        { id: "tokens", header: "Tokens", from: "lg", align: "end", cell: (row) => tokens(row.usage) },
        { id: "at", header: "When", cell: (row) => <RelativeTime at={row.created_at} /> },
      ]}
    />
  );
}

/** What was refused at once has no results. */
function actionsOf({ results, tool_calls: calls }: wire.AiExchange): string {
  const called = calls.flatMap((one) => (isNamed(one) ? [one.name] : []));
  return [...new Set([...called, ...results.map((one) => one.action)])].join(", ");
}

function isNamed(call: unknown): call is { readonly name: string } {
  return typeof call === "object" && call !== null && "name" in call && typeof call.name === "string";
}

function tokens({ input_tokens: given, output_tokens: made }: wire.AiExchangeUsage): string {
  return given === null && made === null ? "" : `${given ?? "?"} in, ${made ?? "?"} out`;
}
