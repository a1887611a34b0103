import { ListOf, Nullable, OneOf, ownershipFields, PageQuery, strict, Timestamp, Type, WireId } from "../../lib/lib.ts";
import { deliveryFilter } from "./deliveries.schemas.ts";
import { count, retransform } from "./endpoint-replays.schemas.ts";

export const ReplayBody = Type.Object(
  {
    filter: Type.Optional(
      Type.Object(
        {
          state: Type.Optional(
            OneOf(
              ["failed", "delivered", "filtered", "cancelled", "pending"],
              "The state of the deliveries. Default: failed. `pending`: only deliveries whose retry waits, which is made now.",
            ),
          ),
          ...deliveryFilter,
        },
        { ...strict, title: "ReplayFilter" },
      ),
    ),
    delivery_ids: Type.Optional(Type.Array(WireId("dlv"), { minItems: 1, maxItems: 1000 })),
    dry_run: Type.Optional(Type.Boolean({ description: "Whether to only count the deliveries." })),
    retransform,
  },
  { ...strict, title: "NewReplay", examples: [{ filter: { status_class: "5xx" }, dry_run: false }] },
);
export const ReplayTally = Type.Object(
  { count, capped: Type.Boolean({ description: "Whether there are more than 100 000 deliveries." }) },
  { title: "ReplayTally" },
);
export const ReplayView = Type.Object(
  {
    id: WireId("job"),
    object: OneOf(["replay"]),
    kind: OneOf(["replay", "backfill"], "`backfill`: it creates new deliveries of stored events."),
    state: OneOf(["running", "finished", "cancelled"]),
    total: Type.Integer({ minimum: 0, description: "The number of deliveries to replay.", examples: [420] }),
    total_capped: Type.Boolean({ description: "Whether the actual number was higher than `total`." }),
    done: Type.Integer({
      minimum: 0,
      description: "The number of deliveries that have been started so far.",
      examples: [400],
    }),
    endpoint_id: Nullable(WireId("ep")),
    ended_at: Nullable(Timestamp),
    ...ownershipFields,
  },
  { title: "Replay" },
);
export const ReplayListView = ListOf(ReplayView);
export const ReplayListQuery = Type.Object(PageQuery, strict);
