import { Bot } from "lucide-react";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { ActorName, Outcome, outcomeWord } from "../../shared/shared.ts";
import { Link, RelativeTime, ResourceList, sinceFilter } from "../../ui/ui.ts";
import type { FilterField, TableColumn } from "../../ui/ui.ts";
import { KINDS, kindWords, SOURCES, sourceWords } from "./sources.ts";
import { Target } from "./target.tsx";

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
  { name: "kind", label: "Kind", options: KINDS, isPinned: true },
  { name: "client", label: "Client", placeholder: "claude-code" },
  { name: "error_code", label: "Error code", mono: true, placeholder: "scope_missing" },
  { name: "key_id", label: "Key", mono: true, placeholder: "key_…" },
  { name: "proposal_id", label: "Proposal", mono: true, placeholder: "prop_…" },
  { name: "run_id", label: "Run", mono: true, placeholder: "run_…" },
  { name: "event_id", label: "Event", mono: true, placeholder: "evt_…" },
];

/** Lists requests of the assistant, MCP clients and AI keys, with their outcomes. Polls and refusals of a minute are one row. */
export function Screen() {
  return (
    <ResourceList
      operation="ai_history.list"
      title="AI history"
      description="Requests from the assistant, MCP clients and AI keys, with secrets redacted. Repeated polls and refusals are counted per minute."
      filters={FILTERS}
      noun="AI history"
      emptyTitle="No AI requests yet"
      icon={Bot}
      emptyAction={
        <Link to={paths.settings} look="primary">
          Set up assistant
        </Link>
      }
      hint="Connect an MCP client, or set up the assistant, which receives only the event types that you select."
      label="AI requests"
      columns={COLUMNS}
    />
  );
}

const COLUMNS: readonly TableColumn<wire.AiExchange>[] = [
  {
    header: "Requested",
    cell: (row) => (
      <div className="flex flex-wrap items-baseline gap-x-2">
        <Link to={paths.aiExchange(row.id)} look="plain" className="font-medium break-all hover:underline">
          {actionsOf(row) || (row.kind === "question" ? "Nothing" : "Several")}
        </Link>
        {row.count === 1 ? null : <span className="text-xs text-muted tabular">{`${row.count} times`}</span>}
      </div>
    ),
  },
  // The result of the request in the end: of a proposal, the state in which it is now.
  {
    header: "Outcome",
    cell: (row) => (
      <div className="flex flex-col items-start">
        <Outcome status={row.results.at(-1)?.status ?? row.status} code={row.error_code} />
        {row.error_code === null ? null : <code className="text-xs wrap-anywhere text-bad">{row.error_code}</code>}
      </div>
    ),
  },
  { header: "Kind", from: "lg", cell: (row) => kindWords(row.kind) },
  { header: "Object", from: "md", cell: (row) => (row.target === null ? "" : <Target target={row.target} />) },
  { header: "Client", from: "sm", cell: (row) => <bdi className="break-words">{clientOf(row)}</bdi> },
  { header: "Requested by", from: "md", cell: (row) => <ActorName actor={row.actor} /> },
  { header: "Tokens", from: "lg", align: "end", cell: (row) => tokens(row.usage) },
  { header: "Time", cell: (row) => <RelativeTime at={row.created_at} /> },
];

/** Returns what the client calls itself, or the model that was asked. */
function clientOf({ client, model, source }: wire.AiExchange): string {
  return client ?? model ?? sourceWords(source);
}

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
