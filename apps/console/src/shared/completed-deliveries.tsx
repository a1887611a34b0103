import type { wire } from "../api/api.ts";
import { Chart } from "../ui/ui.ts";
import { numberText } from "./number.ts";

/** Plots the deliveries that ended, by hour. */
export function CompletedDeliveries({ hours }: { readonly hours: readonly wire.UsageHour[] }) {
  return (
    <Chart
      title="Completed deliveries"
      kind="bar"
      at={hours.map((one) => one.hour)}
      format={numberText}
      series={[
        { name: "Delivered", tone: "good", values: hours.map((one) => one.delivered) },
        { name: "Failed", tone: "bad", values: hours.map((one) => one.failed) },
      ]}
    />
  );
}
