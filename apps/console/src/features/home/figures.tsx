import type { ReactNode } from "react";
import type { wire } from "../../api/api.ts";
import { numberText, rateText } from "../../shared/shared.ts";
import { counted, durationText, millisecondsText } from "./words.ts";

export interface FiguresProps {
  readonly hours: readonly wire.UsageHour[];
  readonly backlog: wire.Backlog | undefined;
}

/** The span in four numbers. */
export function Figures({ hours, backlog }: FiguresProps) {
  const attempts = sum(hours, "attempts");
  const failed = sum(hours, "failed_attempts");
  const slowest = Math.max(0, ...hours.map((one) => one.ack_p95_ms ?? 0));
  const age = backlog?.oldest_due_age_seconds ?? null;
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure label="Events" value={numberText(sum(hours, "events"))}>
        {counted(sum(hours, "receipts"), "receipt", "receipts")} received
      </Figure>
      <Figure label="Success rate" value={attempts === 0 ? "–" : rateText((attempts - failed) / attempts)}>
        {attempts === 0
          ? "No attempts yet"
          : `${counted(failed, "attempt", "attempts")} of ${numberText(attempts)} failed`}
      </Figure>
      <Figure label="Delivery latency (p95)" value={slowest === 0 ? "–" : millisecondsText(slowest)}>
        From acceptance to the receiver's response, in the slowest hour
      </Figure>
      <Figure
        label="Backlog"
        value={backlog === undefined ? "–" : `${numberText(backlog.count)}${backlog.capped ? "+" : ""}`}
      >
        {age === null ? "No late deliveries" : `The oldest is ${durationText(age)} late`}
      </Figure>
    </dl>
  );
}

function Figure({
  label,
  value,
  children,
}: {
  readonly label: string;
  readonly value: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="flex flex-col rounded-xl border border-line bg-surface px-4 py-3 shadow-card">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="tabular text-2xl font-semibold tracking-tight">{value}</dd>
      <dd className="text-xs text-muted">{children}</dd>
    </div>
  );
}

function sum(hours: readonly wire.UsageHour[], member: "events" | "receipts" | "attempts" | "failed_attempts"): number {
  return hours.reduce((total, hour) => total + hour[member], 0);
}
