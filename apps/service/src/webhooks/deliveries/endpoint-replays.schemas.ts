import { t } from "../../lib/lib.ts";

export const retransform = t.Optional(
  t.Boolean({
    default: false,
    description: "Whether the transformation of the endpoint runs again. Otherwise, the same bytes are sent again.",
  }),
);
export const ReplayFailedBody = t.Object(
  {
    since: t.DateTimeFilter("Deliveries created at or after this time."),
    until: t.DateTimeFilter("Deliveries created before this time."),
    include_pending: t.Optional(
      t.Boolean({
        default: false,
        description:
          "Whether pending deliveries whose retry waits are sent now too. Their schedule continues from there.",
      }),
    ),
    dry_run: t.Optional(t.Boolean({ description: "Whether to only count the deliveries." })),
    retransform,
  },
  { ...t.strict, title: "FailedReplay" },
);
export const BackfillBody = t.Object(
  {
    from: t.DateTimeFilter("Events at or after this time."),
    to: t.Optional(t.DateTimeFilter("Events before this time. Default: now.")),
    events: t.Optional(
      t.Array(t.StringExample("invoice.paid", { maxLength: 128 }), {
        minItems: 1,
        maxItems: 200,
        description: "Names or patterns within the events that the endpoint subscribes to. Default: all of them.",
      }),
    ),
    missing_only: t.Optional(
      t.Boolean({
        default: true,
        description:
          "Whether only events are sent that the endpoint has no delivery of. Each of them is sent once, regardless of other backfills. False: all events are sent again, as new deliveries.",
      }),
    ),
    dry_run: t.Optional(t.Boolean({ description: "Whether to only count the events." })),
  },
  { ...t.strict, title: "NewBackfill" },
);
export const count = t.Integer({ minimum: 0, description: "The number of deliveries.", examples: [42] });
export const ReplayCount = t.Object({ count }, { title: "ReplayCount" });
export const ReplayJobView = t.Object({ count, job_id: t.WireId("job") }, { title: "ReplayJob" });
const capped = t.Optional(t.Boolean({ description: "Present and true if there may be more." }));
export const BackfillCount = t.Object({ count, capped }, { title: "BackfillCount" });
export const BackfillJobView = t.Object({ count, capped, job_id: t.WireId("job") }, { title: "BackfillJob" });
