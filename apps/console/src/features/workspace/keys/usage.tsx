import { useQuery } from "@tanstack/react-query";
import { read } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { numberText } from "../../../shared/shared.ts";
import { Card, Chart, Loaded, Meter } from "../../../ui/ui.ts";

/** Calls of the last hour against the limit, and of the last day by the hour. */
export function Usage({ id }: { readonly id: string }) {
  const usage = useQuery({ ...read("keys.usage", { path: { id } }), refetchInterval: 15_000 });
  return (
    <Card title="Usage">
      <Loaded query={usage} label="Loading the usage" lines={4}>
        {(found) => <UsageFacts usage={found} />}
      </Loaded>
    </Card>
  );
}

function UsageFacts({ usage }: { readonly usage: wire.KeyUsage }) {
  const { hour, last_24_hours: day } = usage;
  const operations = day.by_operation.slice(0, 5);
  return (
    <div className="flex flex-col gap-5">
      <Meter
        label="Last 60 minutes"
        value={hour.used}
        most={hour.limit}
        text={`${numberText(hour.used)} of ${numberText(hour.limit)}`}
      />
      <Chart
        title="Calls per hour (last 24 hours)"
        kind="bar"
        height={120}
        at={day.by_hour.map((one) => one.hour)}
        series={[
          { name: "Succeeded", tone: "good", values: day.by_hour.map((one) => one.succeeded) },
          { name: "Denied", tone: "warn", values: day.by_hour.map((one) => one.refused + one.rate_limited) },
          { name: "Failed", tone: "bad", values: day.by_hour.map((one) => one.failed) },
        ]}
      />
      {operations.length === 0 ? null : (
        <ol className="flex flex-col gap-1 text-sm">
          {operations.map((one) => (
            <li key={one.operation} className="flex justify-between gap-4">
              <code className="truncate text-xs">{one.operation}</code>
              <span className="tabular text-muted">{numberText(one.total)}</span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
