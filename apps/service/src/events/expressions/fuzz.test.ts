import fc from "fast-check";
import { expect, test } from "vitest";
import { locate, readPath, scanJson } from "../../lib/lib.ts";
import type { Path } from "../../lib/lib.ts";
import { FUZZ_MS, holds, thrown } from "../../testing/fuzz.ts";
import { readCondition } from "./condition.ts";
import { factsOf, sourceOfScalar, sourceOfText } from "./facts.ts";

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

const spaced = fc
  .tuple(fc.constantFrom("", " ", "\n\t "), fc.json(), fc.constantFrom("", " ", "\r\n"))
  .map((parts) => parts.join(""));

function read(query: string): Path {
  const path = readPath(query);
  if (path === undefined) throw new Error(query);
  return path;
}

test(
  "a whole text and its parts are found as a scan finds them",
  () =>
    holds(spaced, (text) => {
      const scan = scanJson(Buffer.from(text));
      const facts = factsOf({ data: sourceOfText(text) });
      for (const path of ["$.data", "$.data[0]", "$.data[-1]", "$.data.a"].map(read)) {
        const found = locate(scan.value, path.steps.slice(1));
        const fact = facts.at(path);
        expect(fact === undefined).toBe(found === undefined);
        if (fact === undefined || found === undefined) continue;
        // The text first: it must not depend on whether the value was read.
        expect(fact.text).toBe(scan.slice(found.at));
        expect(fact.value).toEqual(found.value);
        if (!Array.isArray(found.value)) continue;
        const [elementAt, last] = [fact.elements(), found.value.length - 1];
        for (const at of [0, last, 0].filter((one) => one >= 0 && last >= 0))
          expect(elementAt(at)).toBe(scan.slice([...found.at, at]));
      }
    }),
  FUZZ_MS,
);

test(
  "a scalar that was not parsed has the value and text of its JSON",
  () =>
    holds(fc.oneof(fc.string({ unit: "binary" }), fc.integer(), fc.constant(null)), (value) => {
      const facts = factsOf({ quick: sourceOfScalar(value), parsed: sourceOfText(JSON.stringify(value)) });
      const [quick, parsed] = [facts.at(read("$.quick")), facts.at(read("$.parsed"))];
      expect([quick?.value, quick?.text]).toEqual([parsed?.value, parsed?.text]);
      expect(facts.at(read("$.quick.length"))).toBeUndefined();
    }),
  FUZZ_MS,
);
