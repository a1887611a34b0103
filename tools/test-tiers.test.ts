import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { choose, digestsOf, passedNow, TURNS } from "./ci-turns.ts";
import type { Digests } from "./ci-turns.ts";
import { filesOfGroups, LEFT_OUT, leftOutFiles, POSTGRES_15, UNIT } from "./test-tiers.ts";

const exclude = (path: string): boolean => path.includes("node_modules");
const found = (globs: readonly string[]): string[] => globSync(globs, { exclude }).toSorted();
const taken = (commit: string, digests: Digests, passed: Digests): string[] =>
  choose(commit, digests, passed).flatMap(({ key, because }) => (because === undefined ? [] : [key]));
const groups = [...LEFT_OUT, POSTGRES_15].map(({ key }) => key);

test("every glob names files, and no file is in two tiers or groups", () => {
  const abouts = [...LEFT_OUT, POSTGRES_15].flatMap(({ about }) => about);
  expect([...UNIT, ...leftOutFiles, ...abouts].filter((glob) => found([glob]).length === 0)).toEqual([]);
  const all = [found(UNIT), ...LEFT_OUT.map(({ files }) => found(files))].flat();
  expect(all.filter((path, at) => all.indexOf(path) !== at)).toEqual([]);
});

test("every group that goes by turns has exactly one turn", () => {
  expect(TURNS.flat().toSorted()).toEqual(groups.toSorted());
  const same = digestsOf([]);
  const commits = TURNS.map((_, at) => at.toString(16).padStart(8, "0").padEnd(40, "f"));
  for (const [at, commit] of commits.entries())
    expect(taken(commit, same, same).toSorted()).toEqual((TURNS[at] ?? []).toSorted());
});

test.each([
  ["sdks/php/src/Client.php", "toolchains"],
  ["sdks/node/src/index.ts", "packages"],
  ["connectors/stripe/connector.ts", "vendors"],
  ["apps/service/src/process/program.ts", "installs"],
  ["apps/service/src/events/event/events.store.ts", "postgres-15"],
  ["apps/service/src/webhooks/deliveries/queue.worker.ts", "crashes"],
  ["apps/service/src/access/access-checks.ts", "routes"],
  ["apps/service/src/webhooks/sources/intake.ts", "webhooks"],
  ["tools/language/vale.ini", "language"],
  ["faults/run.ts", "crashes"],
  ["deploy/installs.test.ts", "installs"],
])("a change of %s runs the group %s in any turn", (path, group) => {
  const [before, after] = [digestsOf([{ path, content: "1" }]), digestsOf([{ path, content: "2" }])];
  for (let turn = 0; turn < TURNS.length; turn += 1)
    expect(taken(turn.toString(16).padStart(8, "0"), after, before)).toContain(group);
});

test("a change elsewhere leaves other turns out, but not what never passed", () => {
  const digests = digestsOf([{ path: "README.md", content: "1" }]);
  expect(digests).toEqual(digestsOf([{ path: "README.md", content: "2" }]));
  expect(taken("0".repeat(40), digests, digests).toSorted()).toEqual(TURNS[0]?.toSorted());
  expect(taken("0".repeat(40), digests, {})).toEqual(groups);
  const some = passedNow(digests, { work: "before" }, ["people"]);
  expect(some).toEqual({ people: digests["people"], work: "before" });
  expect(passedNow(digests, some)).toEqual(digests);
  expect(() => passedNow(digests, {}, ["peple"])).toThrow("peple is no group");
});

test("a list of groups selects their files, and a misspelled group is refused", () => {
  expect(found(filesOfGroups("packages,postgres-15"))).toEqual(
    found(LEFT_OUT.find(({ key }) => key === "packages")?.files ?? []),
  );
  expect(filesOfGroups("")).toEqual([]);
  expect(() => filesOfGroups("package")).toThrow("JUNCTION_TEST_GROUPS names package");
});
