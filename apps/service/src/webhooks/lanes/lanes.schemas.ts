import { ListOf, Nullable, OneOf, PageQuery, strict, StringExample, Timestamp, Type, WireId } from "../../lib/lib.ts";

const LaneKey = StringExample('"ord_4711"', {
  minLength: 1,
  maxLength: 512,
  description: "The key, as the list of lanes shows it: JSON text with strings unescaped, or the hash of a longer one.",
});

const LaneView = Type.Object(
  {
    object: OneOf(["lane"]),
    key: LaneKey,
    waiting: Type.Integer({ minimum: 0, examples: [12], description: "The number of deliveries behind the head." }),
    oldest_waiting_at: Nullable(Timestamp),
    blocked_since: Nullable(Timestamp),
    head: Type.Object(
      {
        delivery_id: WireId("dlv"),
        state: OneOf(
          ["pending", "delivered", "failed", "cancelled", "filtered"],
          "`failed`: the delivery blocks the lane until it is retried or skipped. `pending`: it is being sent, or its retry waits.",
        ),
        attempt_count: Type.Integer({ minimum: 0, examples: [6] }),
        next_attempt_at: Nullable(Timestamp),
      },
      { title: "LaneHead", description: "The delivery that the others wait for." },
    ),
  },
  { title: "Lane" },
);
export const LaneListView = ListOf(LaneView);
export const LaneListQuery = Type.Object(
  {
    blocked: Type.Optional(
      Type.Boolean({
        description: "True: only lanes that a failed delivery blocks. False: only the others.",
      }),
    ),
    ...PageQuery,
  },
  strict,
);

/** Either member: the routes refuse none and both. */
export const LaneChoiceBody = Type.Object(
  {
    key: Type.Optional(LaneKey),
    all: Type.Optional(
      Type.Literal(true, {
        description: "All lanes of the endpoint whose head has failed or waits for a retry, in place of `key`.",
      }),
    ),
  },
  { ...strict, title: "LaneChoice" },
);
export const LaneCount = Type.Object(
  { count: Type.Integer({ minimum: 0, examples: [1], description: "The number of lanes." }) },
  { title: "LaneCount" },
);
