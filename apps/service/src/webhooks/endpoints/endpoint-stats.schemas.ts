import { Nullable, Timestamp, Type } from "../../lib/lib.ts";

const lastDay = {
  hours: Type.Array(
    Type.Object(
      { hour: Timestamp, delivered: Type.Integer({ examples: [53] }), failed: Type.Integer({ examples: [1] }) },
      { title: "EndpointHour" },
    ),
    { description: "The attempts by hour, oldest first: 24 hours, including the current one." },
  ),
  success_rate: Nullable(
    Type.Number({ examples: [0.981], description: "The proportion of successful attempts in these hours." }),
  ),
  next_attempt_at: Nullable(Timestamp),
  filtered: Type.Integer({
    examples: [42],
    description:
      "The number of events in these hours that the endpoint subscribes to, but that its filter or its transformation kept from it. A few seconds old.",
  }),
};
export const SummaryView = Type.Object(
  {
    ...lastDay,
    p50_ms: Nullable(
      Type.Number({ description: "The median duration of the attempts, in milliseconds.", examples: [48.5] }),
    ),
    p95_ms: Nullable(
      Type.Number({
        description: "The 95th percentile of the attempts' duration, in milliseconds, accurate to 6 percent.",
        examples: [210.4],
      }),
    ),
    pending: Type.Integer({ description: "The number of pending deliveries, counted up to 1000.", examples: [12] }),
    pending_capped: Type.Boolean({ description: "Whether there are more than 1000 pending deliveries." }),
  },
  { title: "WebhookEndpointSummary" },
);
export const StatsView = Type.Object(
  {
    delivered: Type.Integer({ examples: [1280] }),
    failed: Type.Integer({ examples: [3] }),
    cancelled: Type.Integer({ examples: [0] }),
    pending: Type.Integer({ examples: [12] }),
    p50_ms: Nullable(
      Type.Number({ description: "The median duration of the attempts, in milliseconds.", examples: [48.5] }),
    ),
    p95_ms: Nullable(
      Type.Number({
        description: "The 95th percentile of the attempts' duration, in milliseconds.",
        examples: [210.4],
      }),
    ),
    ...lastDay,
  },
  { title: "WebhookEndpointStats" },
);
