import { t } from "../../lib/lib.ts";

const lastDay = {
  hours: t.Array(
    t.Object(
      { hour: t.Timestamp, delivered: t.Integer({ examples: [53] }), failed: t.Integer({ examples: [1] }) },
      { title: "EndpointHour" },
    ),
    { description: "The attempts by hour, oldest first: 24 hours, including the current one." },
  ),
  success_rate: t.Nullable(
    t.Number({ examples: [0.981], description: "The proportion of successful attempts in these hours." }),
  ),
  next_attempt_at: t.Nullable(t.Timestamp),
  filtered: t.Integer({
    examples: [42],
    description:
      "The number of events in these hours that the endpoint subscribes to, but that its filter or its transformation kept from it. A few seconds old.",
  }),
};
export const SummaryView = t.Object(
  {
    ...lastDay,
    p50_ms: t.Nullable(
      t.Number({ description: "The median duration of the attempts, in milliseconds.", examples: [48.5] }),
    ),
    p95_ms: t.Nullable(
      t.Number({
        description: "The 95th percentile of the attempts' duration, in milliseconds, accurate to 6 percent.",
        examples: [210.4],
      }),
    ),
    pending: t.Integer({ description: "The number of pending deliveries, counted up to 1000.", examples: [12] }),
    pending_capped: t.Boolean({ description: "Whether there are more than 1000 pending deliveries." }),
  },
  { title: "WebhookEndpointSummary" },
);
export const StatsView = t.Object(
  {
    delivered: t.Integer({ examples: [1280] }),
    failed: t.Integer({ examples: [3] }),
    cancelled: t.Integer({ examples: [0] }),
    pending: t.Integer({ examples: [12] }),
    p50_ms: t.Nullable(
      t.Number({ description: "The median duration of the attempts, in milliseconds.", examples: [48.5] }),
    ),
    p95_ms: t.Nullable(
      t.Number({
        description: "The 95th percentile of the attempts' duration, in milliseconds.",
        examples: [210.4],
      }),
    ),
    ...lastDay,
  },
  { title: "WebhookEndpointStats" },
);
