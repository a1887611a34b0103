import { Nullable, OneOf, StringExample, Type, WireId } from "../../lib/lib.ts";

const ACTOR_TYPES = ["user", "service", "ai", "rule", "workflow", "connector", "standing_approval", "system"] as const;

export const ActionActor = Type.Object(
  {
    type: OneOf(ACTOR_TYPES),
    id: Nullable(WireId("mem")),
    display: Nullable(StringExample("Ines Costa")),
    key_id: Nullable(WireId("key")),
    ip: Nullable(StringExample("203.0.113.7")),
  },
  { title: "ActionActor" },
);
