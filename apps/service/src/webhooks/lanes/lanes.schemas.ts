import { t } from "../../lib/lib.ts";
import { ErrorClass } from "../deliveries/deliveries.schemas.ts";

const LaneKey = t.StringExample('"ord_4711"', {
  minLength: 1,
  maxLength: 512,
  description: "The key, as the list of lanes shows it: JSON text with strings unescaped, or the hash of a longer one.",
});

const LaneView = t.Object(
  {
    object: t.OneOf(["lane"]),
    key: LaneKey,
    waiting: t.Integer({ minimum: 0, examples: [12], description: "The number of deliveries behind the head." }),
    oldest_waiting_at: t.Nullable(t.Timestamp),
    blocked_since: t.Nullable(t.Timestamp),
    head: t.Object(
      {
        delivery_id: t.WireId("dlv"),
        state: t.OneOf(
          ["pending", "delivered", "failed", "cancelled", "filtered"],
          "`failed`: the delivery blocks the lane until it is retried or skipped. `pending`: it is being sent, or its retry waits.",
        ),
        attempt_count: t.Integer({ minimum: 0, examples: [6] }),
        last_status_code: t.Nullable(t.Integer({ examples: [503] })),
        last_error_class: t.Nullable(ErrorClass),
        next_attempt_at: t.Nullable(t.Timestamp),
      },
      { title: "LaneHead", description: "The delivery that the others wait for." },
    ),
  },
  { title: "Lane" },
);
export const LaneListView = t.ListOf(LaneView);
export const LaneListQuery = t.Object(
  {
    blocked: t.Optional(
      t.Boolean({
        description: "True: only lanes that a failed delivery blocks. False: only the others.",
      }),
    ),
    ...t.PageQuery,
  },
  t.strict,
);

/** Either member: the routes refuse none and both. */
export const LaneChoiceBody = t.Object(
  {
    key: t.Optional(LaneKey),
    all: t.Optional(
      t.Literal(true, {
        description: "All lanes of the endpoint whose head has failed or waits for a retry, in place of `key`.",
      }),
    ),
  },
  { ...t.strict, title: "LaneChoice" },
);
export const LaneCount = t.Object(
  { count: t.Integer({ minimum: 0, examples: [1], description: "The number of lanes." }) },
  { title: "LaneCount" },
);
