import { closed, ListOf, Nullable, OneOf, Sample, Timestamp, Type, WholeQuery } from "../lib/lib.ts";

const count = (example: number, description: string) => Type.Integer({ minimum: 0, examples: [example], description });
const share = Nullable(
  Type.Number({ minimum: 0, maximum: 1, examples: [0.998], description: "Of the attempts; null where none was made." }),
);
const time = (description: string) =>
  Nullable(
    Type.Number({ minimum: 0, examples: [42.7], description: `${description} Milliseconds, within 6 percent.` }),
  );

const totals = {
  events: count(1204, "Events accepted."),
  deliveries: count(2311, "Deliveries made of them."),
  delivered: count(2290, "Deliveries that ended delivered."),
  failed: count(3, "Deliveries that ended failed."),
  cancelled: count(0, "Deliveries that were cancelled as they were to be sent."),
  attempts: count(2318, "Attempts."),
  failed_attempts: count(28, "Attempts that failed."),
  receipts: count(87, "Inbound requests that were recorded."),
  runs: count(12, "Runs of actions that ended."),
  unlogged_requests: count(0, "Requests that the log of requests had no room for."),
};
const Day = Sample("2026-11-21", { description: "A day of UTC." });

export const UsageQuery = Type.Object(
  {
    from: Type.Optional(Sample("2026-11-01", { description: "The first day, of UTC; without, 30 days before `to`." })),
    to: Type.Optional(Sample("2026-11-30", { description: "The last day; without, today." })),
  },
  closed,
);
export const UsageShape = Type.Object(
  {
    object: OneOf(["usage"]),
    time_zone: OneOf(["UTC"]),
    from: Day,
    to: Day,
    total: Type.Object(totals, { title: "UsageTotals" }),
    data: Type.Array(Type.Object({ day: Day, ...totals }, { title: "UsageDay" })),
  },
  { title: "Usage" },
);

const hours = (most: number, fallback: number) =>
  Type.Optional(
    Type.Integer({ minimum: 1, maximum: most, default: fallback, description: "So many, the one that runs included." }),
  );
export const SeriesQuery = Type.Object({ hours: hours(720, 24) }, closed);
export const SeriesShape = Type.Object(
  {
    object: OneOf(["usage_series"]),
    from: Timestamp,
    to: Timestamp,
    data: Type.Array(
      Type.Object(
        {
          hour: Timestamp,
          ...totals,
          success_rate: share,
          ack_p50_ms: time("From an event's acceptance to the receiver's 2xx, of first attempts: the median."),
          ack_p95_ms: time("The 95th percentile."),
          ack_p99_ms: time("The 99th percentile."),
        },
        { title: "UsageHour" },
      ),
      { description: "Oldest first, without a gap." },
    ),
  },
  { title: "UsageSeries" },
);

export const EventUsageQuery = Type.Object({ hours: hours(720, 720), ...WholeQuery }, closed);
export const EventUsageList = ListOf(
  Type.Object(
    {
      object: OneOf(["event_usage"]),
      event: Sample("invoice.paid", {
        description: "Its name; `(other)` stands for those beyond 500 different ones in an hour.",
      }),
      count: count(420, "How often it happened."),
      last_hour: Timestamp,
    },
    { title: "EventUsage" },
  ),
);
