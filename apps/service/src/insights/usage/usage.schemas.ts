import { t } from "../../lib/lib.ts";

const count = (example: number, description: string) => t.Integer({ minimum: 0, examples: [example], description });
const share = t.Nullable(
  t.Number({
    minimum: 0,
    maximum: 1,
    examples: [0.998],
    description: "The proportion of attempts that succeeded, from 0 to 1. Null if there were no attempts.",
  }),
);
const time = (description: string) =>
  t.Nullable(
    t.Number({
      minimum: 0,
      examples: [42.7],
      description: `${description} In milliseconds, accurate to 6 percent.`,
    }),
  );

const totals = {
  events: count(1204, "The number of accepted events."),
  deliveries: count(2311, "The number of deliveries that were created for these events."),
  delivered: count(2290, "The number of deliveries that succeeded."),
  failed: count(3, "The number of deliveries that failed."),
  cancelled: count(0, "The number of deliveries that were cancelled when they were about to be sent."),
  filtered: count(0, "The number of deliveries that ended because a transformation returned null."),
  attempts: count(2318, "The number of attempts."),
  failed_attempts: count(28, "The number of failed attempts."),
  receipts: count(87, "The number of recorded inbound requests."),
  runs: count(12, "The number of completed action runs. Always 0 with `tenant`: runs are the workspace's."),
  unlogged_requests: count(0, "The number of requests that did not fit into the request log. Always 0 with `tenant`."),
};
const tenant = t.Optional(
  t.Tenant(
    "The tenant whose usage is returned: its events, the deliveries to its endpoints, and the requests to its sources. A tenant's key always gets its own.",
  ),
);
const whose = {
  tenant: t.Nullable(t.Tenant("The tenant whose usage this is. Null: the usage of the whole environment.")),
  other_tenants: t.Nullable(
    t.Object(
      {
        limit: count(1000, "The number of tenants that each process counts by their names in an hour."),
        events: count(0, "The number of events of further tenants in the range. They belong to no tenant's usage."),
      },
      {
        title: "OtherTenants",
        description: "The tenants beyond the limit. Null without `tenant`, and for a tenant's key.",
      },
    ),
  ),
};
const Day = t.StringExample("2026-11-21", "A day, in UTC.");

export const UsageQuery = t.Object(
  {
    from: t.Optional(t.StringExample("2026-11-01", "The first day, in UTC. Default: 30 days before `to`.")),
    to: t.Optional(t.StringExample("2026-11-30", "The last day, in UTC. Default: today.")),
    tenant,
  },
  t.strict,
);
export const UsageShape = t.Object(
  {
    object: t.OneOf(["usage"]),
    ...whose,
    time_zone: t.OneOf(["UTC"]),
    from: Day,
    to: Day,
    total: t.Object(totals, { title: "UsageTotals" }),
    data: t.Array(t.Object({ day: Day, ...totals }, { title: "UsageDay" })),
  },
  { title: "Usage" },
);

const hours = (most: number, fallback: number) =>
  t.Optional(
    t.Integer({
      minimum: 1,
      maximum: most,
      default: fallback,
      description: "The number of hours, including the current one.",
    }),
  );
export const SeriesQuery = t.Object({ hours: hours(720, 24), tenant }, t.strict);
export const SeriesShape = t.Object(
  {
    object: t.OneOf(["usage_series"]),
    ...whose,
    from: t.Timestamp,
    to: t.Timestamp,
    data: t.Array(
      t.Object(
        {
          hour: t.Timestamp,
          ...totals,
          success_rate: share,
          ack_p50_ms: time(
            "The median time from an event's acceptance to the receiver's 2xx response, for first attempts.",
          ),
          ack_p95_ms: time("The 95th percentile of the same time."),
          ack_p99_ms: time("The 99th percentile of the same time."),
        },
        { title: "UsageHour" },
      ),
      { description: "Oldest first, without gaps." },
    ),
  },
  { title: "UsageSeries" },
);

export const EventUsageQuery = t.Object({ hours: hours(720, 720), ...t.WholeQuery }, t.strict);
export const EventUsageList = t.ListOf(
  t.Object(
    {
      object: t.OneOf(["event_usage"]),
      event: t.StringExample(
        "invoice.paid",
        "The name of the event type. `(other)` stands for the event types beyond 500 different ones in an hour.",
      ),
      count: count(420, "The number of occurrences."),
      last_hour: t.Timestamp,
    },
    { title: "EventUsage" },
  ),
);
