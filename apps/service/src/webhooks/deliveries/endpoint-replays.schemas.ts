import { strict, DateTimeFilter, StringExample, Type, WireId } from "../../lib/lib.ts";

export const retransform = Type.Optional(
  Type.Boolean({
    default: false,
    description: "Whether the transformation of the endpoint runs again. Otherwise, the same bytes are sent again.",
  }),
);
export const ReplayFailedBody = Type.Object(
  {
    since: DateTimeFilter("Deliveries created at or after this time."),
    until: DateTimeFilter("Deliveries created before this time."),
    include_pending: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Whether pending deliveries whose retry waits are sent now too. Their schedule continues from there.",
      }),
    ),
    dry_run: Type.Optional(Type.Boolean({ description: "Whether to only count the deliveries." })),
    retransform,
  },
  { ...strict, title: "FailedReplay" },
);
export const BackfillBody = Type.Object(
  {
    from: DateTimeFilter("Events at or after this time."),
    to: Type.Optional(DateTimeFilter("Events before this time. Default: now.")),
    events: Type.Optional(
      Type.Array(StringExample("invoice.paid", { maxLength: 128 }), {
        minItems: 1,
        maxItems: 200,
        description: "Names or patterns within the events that the endpoint subscribes to. Default: all of them.",
      }),
    ),
    missing_only: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          "Whether only events are sent that the endpoint has no delivery of. Each of them is sent once, regardless of other backfills. False: all events are sent again, as new deliveries.",
      }),
    ),
    dry_run: Type.Optional(Type.Boolean({ description: "Whether to only count the events." })),
  },
  { ...strict, title: "NewBackfill" },
);
export const count = Type.Integer({ minimum: 0, description: "The number of deliveries.", examples: [42] });
export const ReplayCount = Type.Object({ count }, { title: "ReplayCount" });
export const ReplayJobView = Type.Object({ count, job_id: WireId("job") }, { title: "ReplayJob" });
const capped = Type.Optional(Type.Boolean({ description: "Present and true if there may be more." }));
export const BackfillCount = Type.Object({ count, capped }, { title: "BackfillCount" });
export const BackfillJobView = Type.Object({ count, capped, job_id: WireId("job") }, { title: "BackfillJob" });
