import { t } from "../../lib/lib.ts";
import { deliveryFilter } from "./deliveries.schemas.ts";
import { count, retransform } from "./endpoint-replays.schemas.ts";

export const ReplayBody = t.Object(
  {
    filter: t.Optional(
      t.Object(
        {
          state: t.Optional(
            t.OneOf(
              ["failed", "delivered", "filtered", "cancelled", "pending"],
              "The state of the deliveries. Default: failed. `pending`: only deliveries whose retry waits, which is made now.",
            ),
          ),
          ...deliveryFilter,
        },
        { ...t.strict, title: "ReplayFilter" },
      ),
    ),
    delivery_ids: t.Optional(t.Array(t.WireId("dlv"), { minItems: 1, maxItems: 1000 })),
    dry_run: t.Optional(t.Boolean({ description: "Whether to only count the deliveries." })),
    retransform,
  },
  { ...t.strict, title: "NewReplay", examples: [{ filter: { status_class: "5xx" }, dry_run: false }] },
);
export const ReplayTally = t.Object(
  { count, capped: t.Boolean({ description: "Whether there are more than 100 000 deliveries." }) },
  { title: "ReplayTally" },
);
export const ReplayView = t.Object(
  {
    id: t.WireId("job"),
    object: t.OneOf(["replay"]),
    kind: t.OneOf(["replay", "backfill"], "`backfill`: it creates new deliveries of stored events."),
    state: t.OneOf(["running", "finished", "cancelled"]),
    total: t.Integer({ minimum: 0, description: "The number of deliveries to replay.", examples: [420] }),
    total_capped: t.Boolean({ description: "Whether the actual number was higher than `total`." }),
    done: t.Integer({
      minimum: 0,
      description: "The number of deliveries that have been started so far.",
      examples: [400],
    }),
    endpoint_id: t.Nullable(t.WireId("ep")),
    ended_at: t.Nullable(t.Timestamp),
    ...t.ownershipFields,
  },
  { title: "Replay" },
);
export const ReplayListView = t.ListOf(ReplayView);
export const ReplayListQuery = t.Object(t.PageQuery, t.strict);
