import {
  DateTimeFilter,
  ListOf,
  Nullable,
  OneOf,
  PageQuery,
  strict,
  StringExample,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";

const CONSUMER = "^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$";
const Consumer = StringExample("billing", {
  pattern: CONSUMER,
  description: "The name of the consumer: letters, digits and `_.:-`. Each consumer has its own position.",
});
export const ConsumerParams = Type.Object({
  id: WireId("ep"),
  consumer: StringExample("billing", { pattern: CONSUMER, description: "The name of the consumer." }),
});
const LeaseId = StringExample("lse_7k2m9qaw01m7w4q17jeay9df1b7sqp908g", {
  maxLength: 64,
  description: "The `id` of the lease.",
});
const Offset = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER - 1,
  examples: [4711],
  description: "The offset of a message. Offsets are dense, from 1.",
});
const EPOCH = StringExample("0f3a9c1e77d24b58", {
  description: "Changes when a backup is restored: offsets are then given again, and leases are lost.",
});
const POSITION = Type.Integer({ examples: [4711], description: "The first offset that is not committed." });
const LAG = Type.Integer({ examples: [12], description: "The number of messages from `position` on." });

export const PullBody = Type.Object(
  {
    consumer: Consumer,
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, default: 100, description: "The maximum number of messages." }),
    ),
    wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 25,
        default: 0,
        description: "The time for which the call waits for a message.",
      }),
    ),
    lease_seconds: Type.Optional(
      Type.Integer({
        minimum: 5,
        maximum: 900,
        default: 60,
        description: "The time for which no other pull of the consumer gets messages.",
      }),
    ),
    start: Type.Optional(
      OneOf(
        ["start", "end"],
        "Where a new consumer begins: with the oldest message that is kept, or after the last one. Default: `start`.",
      ),
    ),
  },
  { ...strict, title: "Pull" },
);

const PulledMessage = Type.Object(
  {
    offset: Offset,
    delivery_id: WireId("dlv"),
    event: StringExample("invoice.paid", { description: "The name of the event." }),
    created_at: Timestamp,
    headers: Type.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: { type: "string" },
      description: "The headers that a request to a webhook endpoint has, signed at the time of the pull.",
      examples: [{ "X-Service-Event": "invoice.paid" }],
    }),
    body: Nullable(
      StringExample('{"event":"invoice.paid"}', {
        description: "The body of such a request, byte for byte. Null if the event was erased.",
      }),
    ),
  },
  { title: "PulledMessage" },
);

export const PulledView = Type.Object(
  {
    messages: Type.Array(PulledMessage, { description: "In the order of their offsets." }),
    lease: Nullable(
      Type.Object(
        { id: LeaseId, expires_at: Timestamp },
        { description: "Null without messages.", title: "PullLease" },
      ),
    ),
    position: POSITION,
    lag: LAG,
    epoch: EPOCH,
    skipped: Type.Optional(
      Type.Integer({
        examples: [3],
        description: "The number of messages that retention has deleted before the consumer read them.",
      }),
    ),
  },
  { title: "PulledMessages" },
);

export const CommitBody = Type.Object(
  {
    consumer: Consumer,
    lease_id: LeaseId,
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER - 1,
        examples: [4711],
        description: "The last offset that is done. Default: the last one of the lease.",
      }),
    ),
  },
  { ...strict, title: "PullCommit" },
);
export const ReleaseBody = Type.Object({ consumer: Consumer, lease_id: LeaseId }, { ...strict, title: "PullRelease" });

const To = Type.Union(
  [
    OneOf(["start", "end"], "The oldest message that is kept, or after the last one."),
    Type.Object({ offset: Offset }, strict),
    Type.Object({ time: DateTimeFilter("The first message from this time on.") }, strict),
  ],
  { description: "The new position: `start`, `end`, `{offset}` or `{time}`." },
);
export const SeekBody = Type.Object({ consumer: Consumer, to: To }, { ...strict, title: "PullSeek" });

const ConsumerShown = Type.Object(
  {
    consumer: Consumer,
    position: POSITION,
    lag: LAG,
    epoch: EPOCH,
    oldest_unread_at: Nullable({
      ...Timestamp,
      description: "The time of the message at `position`. Null if there is none.",
    }),
    lease_expires_at: Nullable({ ...Timestamp, description: "Null while no lease runs." }),
    last_pulled_at: { ...Timestamp, description: "Within a minute, if pulls get nothing." },
  },
  { title: "PullConsumer" },
);
export const ConsumerList = ListOf(ConsumerShown);
export const ConsumerQuery = Type.Object({ ...PageQuery }, strict);
