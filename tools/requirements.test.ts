import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { idsModule } from "./generate-requirement-ids.ts";
import { citedIds, report } from "./requirements-report.ts";

const requirements = [
  { id: "a.one", section: "A" },
  { id: "b.one", section: "B" },
  { id: "b.two", section: "B" },
];

function read(name: string): string {
  return readFileSync(new URL(`../requirements/${name}`, import.meta.url), "utf8");
}

test("the generated ids are those of requirements.json", () => {
  expect(read("ids.generated.ts")).toBe(idsModule(JSON.parse(read("requirements.json")) as { readonly id: string }[]));
});

test("a citation is found with one id or several, on one line or more", () => {
  // The word is not written out, because the report would count this file as citing the ids.
  const call = "covers";
  const one = `${call}("a.one", "sentence", () => {});`;
  const several = `${call}(\n  ["b.one", "b.two"],\n  "a sentence with ${call}(things)",\n  () => {},\n);`;
  expect(citedIds(`${one}\n${several}\nre${call}("c.one");`)).toEqual(["a.one", "b.one", "b.two"]);
});

test("the report lists uncited requirements by section and does not fail for them", () => {
  const { text, hasUnknownIds } = report(requirements, [{ id: "b.one", file: "x.test.ts" }]);
  expect(text).toBe("requirements: 1 cited by a test, 2 not cited, 3 in all\n  A\n    a.one\n  B\n    b.two");
  expect(hasUnknownIds).toBe(false);
});

test("the report fails for an id that does not exist", () => {
  const { text, hasUnknownIds } = report(requirements, [{ id: "c.one", file: "x.test.ts" }]);
  expect(text).toContain('unknown requirement id "c.one" in x.test.ts');
  expect(hasUnknownIds).toBe(true);
});
