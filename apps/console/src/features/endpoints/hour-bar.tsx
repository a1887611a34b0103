import type { wire } from "../../api/api.ts";

const HEIGHT = 22;
const clock = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** The last 24 hours, an hour a column: delivered below, failed on top, height by how many. Said in words too. */
export function HourBar({ hours }: { readonly hours: readonly wire.EndpointHour[] }) {
  const most = Math.max(1, ...hours.map((hour) => hour.delivered + hour.failed));
  return (
    <span className="flex h-6 items-end gap-px" role="img" aria-label={said(hours)}>
      {hours.map((hour) => {
        const all = hour.delivered + hour.failed;
        const height = all === 0 ? 2 : Math.max(4, (all / most) * HEIGHT);
        const failed = all === 0 ? 0 : Math.max(hour.failed === 0 ? 0 : 2, (hour.failed / all) * height);
        return (
          <span
            key={hour.hour}
            title={`${clock.format(new Date(hour.hour))}: ${hour.delivered} delivered, ${hour.failed} failed`}
            className="flex w-1 flex-col overflow-hidden rounded-[1px]"
            style={{ height }}
          >
            <span className="bg-bad" style={{ height: failed }} />
            <span className={all === 0 ? "flex-1 bg-line-strong" : "flex-1 bg-good"} />
          </span>
        );
      })}
    </span>
  );
}

function said(hours: readonly wire.EndpointHour[]): string {
  const delivered = hours.reduce((sum, hour) => sum + hour.delivered, 0);
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0);
  return `Attempts of the last 24 hours: ${delivered} delivered, ${failed} failed`;
}
