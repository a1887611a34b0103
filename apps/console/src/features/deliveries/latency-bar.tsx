import type { wire } from "../../api/api.ts";

/** Shows the parts of the latency as a bar and as figures. */
export function LatencyBar({ latency }: { readonly latency: wire.Latency }) {
  const parts = partsOf(latency);
  return (
    <div className="flex flex-col gap-1.5">
      <div aria-hidden className="flex h-2 overflow-hidden rounded-full bg-sunken">
        {parts.map((part) => (
          <span key={part.name} className={part.look} style={{ flexGrow: part.ms, flexBasis: 0 }} />
        ))}
      </div>
      <dl className="tabular flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        {parts.map((part) => (
          <div key={part.name} className="flex items-center gap-1.5">
            <dt className="flex items-center gap-1.5">
              <span aria-hidden className={`size-2 rounded-full ${part.look}`} />
              {part.name}
            </dt>
            <dd className="text-ink">{ms(part.ms)}</dd>
          </div>
        ))}
        <div className="flex items-center gap-1.5 font-medium">
          <dt>Total</dt>
          <dd className="text-ink">{ms(latency.total)}</dd>
        </div>
      </dl>
    </div>
  );
}

function partsOf({ dns, connect, tls, first_byte: firstByte, total }: wire.Latency) {
  const rest = Math.max(0, total - dns - connect - tls - firstByte);
  return [
    { name: "DNS", ms: dns, look: "bg-info" },
    { name: "Connect", ms: connect, look: "bg-warn" },
    { name: "TLS", ms: tls, look: "bg-faint" },
    { name: "First byte", ms: firstByte, look: "bg-good" },
    { name: "Download", ms: rest, look: "bg-line-strong" },
  ].filter((part) => part.ms > 0);
}

function ms(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}
