import { t } from "../../lib/lib.ts";

const CONSUMER = "^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$";
const Consumer = t.StringExample("billing", {
  pattern: CONSUMER,
  description: "The name of the consumer: letters, digits and `_.:-`. Each consumer has its own position.",
});
export const ConsumerParams = t.Object({
  id: t.WireId("ep"),
  consumer: t.StringExample("billing", { pattern: CONSUMER, description: "The name of the consumer." }),
});
const LeaseId = t.StringExample("lse_7k2m9qaw01m7w4q17jeay9df1b7sqp908g", {
  maxLength: 64,
  description: "The `id` of the lease.",
});
const Offset = t.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER - 1,
  examples: [4711],
  description: "The offset of a message. Offsets are dense, from 1.",
});
const EPOCH = t.StringExample(
  "0f3a9c1e77d24b58",
  "Changes when a backup is restored: offsets are then given again, and leases are lost.",
);
const POSITION = t.Integer({ examples: [4711], description: "The first offset that is not committed." });
const LAG = t.Integer({ examples: [12], description: "The number of messages from `position` on." });

export const PullBody = t.Object(
  {
    consumer: Consumer,
    limit: t.Optional(
      t.Integer({ minimum: 1, maximum: 500, default: 100, description: "The maximum number of messages." }),
    ),
    wait_seconds: t.Optional(
      t.Integer({
        minimum: 0,
        maximum: 25,
        default: 0,
        description: "The time for which the call waits for a message.",
      }),
    ),
    lease_seconds: t.Optional(
      t.Integer({
        minimum: 5,
        maximum: 900,
        default: 60,
        description: "The time for which no other pull of the consumer gets messages.",
      }),
    ),
    start: t.Optional(
      t.OneOf(
        ["start", "end"],
        "Where a new consumer begins: with the oldest message that is kept, or after the last one. Default: `start`.",
      ),
    ),
  },
  { ...t.strict, title: "Pull" },
);

const PulledMessage = t.Object(
  {
    offset: Offset,
    delivery_id: t.WireId("dlv"),
    event: t.StringExample("invoice.paid", "The name of the event."),
    created_at: t.Timestamp,
    headers: t.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: { type: "string" },
      description: "The headers that a request to a webhook endpoint has, signed at the time of the pull.",
      examples: [{ "X-Service-Event": "invoice.paid" }],
    }),
    body: t.Nullable(
      t.StringExample(
        '{"event":"invoice.paid"}',
        "The body of such a request, byte for byte. Null if the event was erased.",
      ),
    ),
  },
  { title: "PulledMessage" },
);

export const PulledView = t.Object(
  {
    messages: t.Array(PulledMessage, { description: "In the order of their offsets." }),
    lease: t.Nullable(
      t.Object({ id: LeaseId, expires_at: t.Timestamp }, { description: "Null without messages.", title: "PullLease" }),
    ),
    position: POSITION,
    lag: LAG,
    epoch: EPOCH,
    skipped: t.Optional(
      t.Integer({
        examples: [3],
        description: "The number of messages that retention has deleted before the consumer read them.",
      }),
    ),
  },
  { title: "PulledMessages" },
);

export const CommitBody = t.Object(
  {
    consumer: Consumer,
    lease_id: LeaseId,
    offset: t.Optional(
      t.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER - 1,
        examples: [4711],
        description: "The last offset that is done. Default: the last one of the lease.",
      }),
    ),
  },
  { ...t.strict, title: "PullCommit" },
);
export const ReleaseBody = t.Object({ consumer: Consumer, lease_id: LeaseId }, { ...t.strict, title: "PullRelease" });

const To = t.Union(
  [
    t.OneOf(["start", "end"], "The oldest message that is kept, or after the last one."),
    t.Object({ offset: Offset }, t.strict),
    t.Object({ time: t.DateTimeFilter("The first message from this time on.") }, t.strict),
  ],
  { description: "The new position: `start`, `end`, `{offset}` or `{time}`." },
);
export const SeekBody = t.Object({ consumer: Consumer, to: To }, { ...t.strict, title: "PullSeek" });

const ConsumerShown = t.Object(
  {
    consumer: Consumer,
    position: POSITION,
    lag: LAG,
    epoch: EPOCH,
    oldest_unread_at: t.Nullable({
      ...t.Timestamp,
      description: "The time of the message at `position`. Null if there is none.",
    }),
    lease_expires_at: t.Nullable({ ...t.Timestamp, description: "Null while no lease runs." }),
    last_pulled_at: { ...t.Timestamp, description: "Within a minute, if pulls get nothing." },
  },
  { title: "PullConsumer" },
);
export const ConsumerList = t.ListOf(ConsumerShown);
export const ConsumerQuery = t.Object({ ...t.PageQuery }, t.strict);
