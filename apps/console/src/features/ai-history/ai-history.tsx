import { Bot } from "lucide-react";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { ActorName, Outcome, outcomeWord } from "../../shared/shared.ts";
import { Link, RelativeTime, ResourceList, sinceFilter } from "../../ui/ui.ts";
import type { FilterField, TableColumn } from "../../ui/ui.ts";
import { SOURCES, sourceWords } from "./sources.ts";

const FILTERS: readonly FilterField[] = [
  sinceFilter,
  {
    name: "status",
    label: "Outcome",
    options: [
      ...["ok", "failed"].map((value) => ({ value, label: outcomeWord(value) })),
      { value: "refused", label: "Denied or invalid" },
    ],
    isPinned: true,
  },
  { name: "source", label: "Source", options: SOURCES, isPinned: true },
  { name: "key_id", label: "Key", mono: true, placeholder: "key_…" },
  { name: "proposal_id", label: "Proposal", mono: true, placeholder: "prop_…" },
  { name: "run_id", label: "Run", mono: true, placeholder: "run_…" },
  { name: "event_id", label: "Event", mono: true, placeholder: "evt_…" },
];

/** Lists requests of the assistant, MCP clients and AI keys, with their results. */
export function Screen() {
  return (
    <ResourceList
      operation="ai_history.list"
      title="AI history"
      description="Requests from the assistant, MCP clients and AI keys, with secrets redacted."
      filters={FILTERS}
      noun="AI history"
      emptyTitle="No AI requests yet"
      icon={Bot}
      emptyAction={
        <Link to={paths.settings} look="primary">
          Set up assistant
        </Link>
      }
      hint="The assistant receives only the event types that you select, and can request only registered actions."
      label="AI requests"
      columns={COLUMNS}
    />
  );
}

const COLUMNS: readonly TableColumn<wire.AiExchange>[] = [
  {
    header: "Requested",
    cell: (row) => (
      <Link to={paths.aiExchange(row.id)} look="plain" className="font-medium break-all hover:underline">
        {actionsOf(row) || "Nothing"}
      </Link>
    ),
  },
  // The result of the request in the end: of a proposal, the state in which it is now.
  {
    header: "Outcome",
    cell: (row) => <Outcome status={row.results.at(-1)?.status ?? row.status} code={row.error_code} />,
  },
  { header: "Source", from: "sm", cell: (row) => sourceWords(row.source) },
  { header: "Requested by", from: "md", cell: (row) => <ActorName actor={row.actor} /> },
  { header: "Model or client", from: "lg", cell: (row) => row.model ?? row.client ?? "Unknown" },
  { header: "Tokens", from: "lg", align: "end", cell: (row) => tokens(row.usage) },
  { header: "Time", cell: (row) => <RelativeTime at={row.created_at} /> },
];

/** Returns the names of the requested actions. A request that was refused at once has no results. */
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
