import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { CompletedDeliveries, numberText, rateText } from "../../shared/shared.ts";
import { Chart, EmptyState, Link } from "../../ui/ui.ts";
import { millisecondsText } from "./words.ts";

/** Four plots of the same hours. */
export function Plots({ hours }: { readonly hours: readonly wire.UsageHour[] }) {
  const hasAny = hours.some((one) => one.events + one.attempts + one.receipts > 0);
  if (!hasAny) {
    return (
      <EmptyState
        title="No activity in this period"
        action={
          <Link to={paths.setupGuide} look="primary">
            Fire first event
          </Link>
        }
      >
        Hourly charts of latency, success rate and volume appear here.
      </EmptyState>
    );
  }
  const at = hours.map((one) => one.hour);
  return (
    <div className="grid gap-x-8 gap-y-6 xl:grid-cols-2">
      <Chart
        title="Delivery latency"
        kind="line"
        at={at}
        format={millisecondsText}
        series={[
          { name: "p50", values: hours.map((one) => one.ack_p50_ms) },
          { name: "p95", values: hours.map((one) => one.ack_p95_ms) },
          { name: "p99", values: hours.map((one) => one.ack_p99_ms) },
        ]}
      />
      <Chart
        title="Success rate of attempts"
        kind="area"
        at={at}
        atLeast={1}
        format={rateText}
        series={[{ name: "Success rate", tone: "good", values: hours.map((one) => one.success_rate) }]}
      />
      <CompletedDeliveries hours={hours} />
      <Chart
        title="Volume"
        kind="line"
        at={at}
        format={numberText}
        series={[
          { name: "Events", values: hours.map((one) => one.events) },
          { name: "Receipts", values: hours.map((one) => one.receipts) },
          { name: "Action runs", values: hours.map((one) => one.runs) },
        ]}
      />
    </div>
  );
}
