import { t } from "../../lib/lib.ts";
import { operators } from "./operators.ts";

const nodes = (description: string): object => ({ type: "array", items: { type: "object" }, description });

export const ConditionView = t.Unsafe<object>({
  type: "object",
  title: "Condition",
  description:
    "A group of nodes, or a leaf. Groups can be nested five levels deep, with at most 100 groups and 100 leaves.",
  properties: {
    all: nodes("True if every node is true."),
    any: nodes("True if at least one node is true."),
    not: nodes("True if no node is true."),
    field: {
      type: "string",
      description:
        "The path of a leaf: event, data.order.total, tenant. Rules and workflows also have contact.score, and workflows have input.x and steps.<id>.x. Standing approvals have only parameters.x.",
    },
    op: { type: "string", enum: Object.keys(operators) },
    value: { description: "The value that the field is compared with, without any conversion." },
  },
  examples: [{ all: [{ field: "data.total", op: "gte", value: 100 }] }],
});

/** The result of one leaf, as `evaluate` writes it. */
export const LeafView = t.Object(
  {
    path: t.StringExample("/all/0", "The position of the leaf in the condition, as an RFC 6901 pointer."),
    field: t.StringExample("data.total"),
    op: t.OneOf(Object.keys(operators)),
    expected: t.Unsafe<unknown>({
      examples: [100],
      description: "The value of the leaf, as it was written.",
    }),
    found: t.Boolean({ description: "Whether the field existed." }),
    actual: t.Unsafe<unknown>({
      examples: [120],
      description:
        "The value of the field, as it was written. A value of more than 500 characters is replaced by a string with its beginning.",
    }),
    truth: t.Boolean(),
  },
  { title: "RuleLeaf" },
);
