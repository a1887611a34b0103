import { Type } from "../../lib/lib.ts";
import { operators } from "./operators.ts";

const nodes = (description: string): object => ({ type: "array", items: { type: "object" }, description });

export const ConditionView = Type.Unsafe<object>({
  type: "object",
  title: "Condition",
  description: "A group of nodes, or a leaf. Groups are five deep at most, with at most 100 of them and 100 leaves.",
  properties: {
    all: nodes("Holds where each of its nodes does."),
    any: nodes("Holds where one of its nodes does."),
    not: nodes("Holds where none of its nodes does."),
    field: {
      type: "string",
      description: "A leaf's path: event, data.order.total, contact.score; in workflows also input.x and steps.<id>.x.",
    },
    op: { type: "string", enum: Object.keys(operators) },
    value: { description: "What the field is compared with, without any conversion." },
  },
  examples: [{ all: [{ field: "data.total", op: "gte", value: 100 }] }],
});
