import { t } from "../../lib/lib.ts";

const ACTOR_TYPES = ["user", "service", "ai", "rule", "workflow", "connector", "standing_approval", "system"] as const;

export const ActionActor = t.Object(
  {
    type: t.OneOf(ACTOR_TYPES),
    id: t.Nullable(t.WireId("mem")),
    display: t.Nullable(t.StringExample("Ines Costa")),
    key_id: t.Nullable(t.WireId("key")),
    ip: t.Nullable(t.StringExample("203.0.113.7")),
  },
  { title: "ActionActor" },
);
