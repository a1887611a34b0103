import type { wire } from "../../api/api.ts";
import type { Endpoints } from "../../shared/shared.ts";
import { Badge, EmptyState, StatusLight, Table } from "../../ui/ui.ts";
import type { Tone } from "../../ui/ui.ts";
import { Subscriber } from "./reacts.tsx";

/** Lists the stages of an event in order, with their results. */
export function Stages({
  stages,
  endpoints,
}: {
  readonly stages: readonly wire.Stage[];
  readonly endpoints: Endpoints;
}) {
  if (stages.length === 0) {
    return (
      <EmptyState title="No stages">Nothing but endpoints listened to this event. It went directly to them.</EmptyState>
    );
  }
  return (
    <Table
      label="Stages"
      rows={stages.toSorted((a, b) => a.priority - b.priority)}
      keyOf={(stage) => `${stage.kind} ${stage.key}`}
      columns={[
        { header: "Priority", align: "end", cell: (stage) => stage.priority, className: "w-16" },
        {
          header: "Subscriber",
          className: "max-w-44 sm:max-w-72",
          cell: (stage) => <Subscriber kind={stage.kind} name={stage.key} endpoints={endpoints} />,
        },
        { header: "Outcome", cell: (stage) => <Outcome stage={stage} /> },
        { header: "Duration", align: "end", from: "sm", cell: tookText },
      ]}
    />
  );
}

function Outcome({ stage }: { readonly stage: wire.Stage }) {
  const { tone, word } = STAGE[stage.state] ?? { tone: "neutral", word: stage.state };
  return (
    <span className="flex flex-col">
      <span className="flex items-center gap-2">
        <StatusLight tone={tone}>{word}</StatusLight>
        {stage.late ? <Badge tone="warn">Late: the next stage started first</Badge> : null}
      </span>
      {stage.error === null ? null : <span className="max-w-80 text-xs wrap-anywhere text-bad">{stage.error}</span>}
    </span>
  );
}

function tookText({ started_at: started, ended_at: ended }: wire.Stage): string {
  if (started === null || ended === null) return "—";
  const ms = Date.parse(ended) - Date.parse(started);
  return ms < 10_000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`;
}

interface Words {
  readonly tone: Tone;
  readonly word: string;
}

const STAGE: Readonly<Record<string, Words>> = {
  waiting: { tone: "neutral", word: "Waiting" },
  running: { tone: "info", word: "Running" },
  done: { tone: "good", word: "Done" },
  failed: { tone: "bad", word: "Failed" },
};
