import fc from "fast-check";
import { expect, test } from "vitest";
import { scanJson } from "../../lib/lib.ts";
import { FUZZ_MS, holds, thrown } from "../../testing/fuzz.ts";
import { readCondition } from "./condition.ts";

const leaf = fc.record({
  field: fc.oneof(fc.constantFrom("$.data.a", "event.name", "contact.email", "x"), fc.anything()),
  op: fc.oneof(fc.constantFrom("eq", "neq", "gt", "in", "contains", "exists", "matches"), fc.anything()),
  value: fc.anything(),
});
const tree = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 8 },
    leaf,
    fc.record({ all: fc.array(tie("node")) }),
    fc.record({ any: fc.array(tie("node")) }),
    fc.record({ not: fc.anything() }),
    fc.anything(),
  ),
})).node;

test(
  "any JSON as a condition compiles or has faults with valid pointers",
  () =>
    holds(tree, (node) => {
      const text = thrown(() => JSON.stringify(node)) === undefined ? (JSON.stringify(node) ?? "null") : "null";
      const scan =
        thrown(() => scanJson(Buffer.from(text))) === undefined
          ? scanJson(Buffer.from(text))
          : scanJson(Buffer.from("null"));
      const { faults } = readCondition({ scan, place: [], roots: ["data", "event", "contact"] });
      for (const fault of faults) expect(fault.pointer === "" || fault.pointer.startsWith("/")).toBe(true);
    }),
  FUZZ_MS,
);
