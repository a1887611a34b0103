import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { choose, TURNS } from "./ci-turns.ts";
import { filesOfGroups, LEFT_OUT, leftOutFiles, POSTGRES_15, UNIT } from "./test-tiers.ts";

const exclude = (path: string): boolean => path.includes("node_modules");
const found = (globs: readonly string[]): string[] => globSync(globs, { exclude }).toSorted();
const byTurns = [...LEFT_OUT, POSTGRES_15].filter(({ about }) => about !== undefined).map(({ key }) => key);

test("every glob names files, and no file is in two tiers or groups", () => {
  const abouts = [...LEFT_OUT, POSTGRES_15].flatMap(({ about = [] }) => about);
  expect([...UNIT, ...leftOutFiles, ...abouts].filter((glob) => found([glob]).length === 0)).toEqual([]);
  const all = [found(UNIT), ...LEFT_OUT.map(({ files }) => found(files))].flat();
  expect(all.filter((path, at) => all.indexOf(path) !== at)).toEqual([]);
});

test("every group that goes by turns has exactly one turn", () => {
  expect(TURNS.flat().toSorted()).toEqual(byTurns.toSorted());
  const taken = (commit: string): string[] =>
    choose(commit, []).flatMap(({ key, because }) => (because === undefined ? [] : [key]));
  const commits = TURNS.map((_, at) => at.toString(16).padStart(8, "0").padEnd(40, "f"));
  const always = LEFT_OUT.filter(({ about }) => about === undefined).map(({ key }) => key);
  for (const [at, commit] of commits.entries())
    expect(taken(commit).toSorted()).toEqual([...always, ...(TURNS[at] ?? [])].toSorted());
});

test.each([
  ["sdks/php/src/Client.php", "toolchains"],
  ["sdks/node/src/index.ts", "packages"],
  ["connectors/stripe/connector.ts", "vendors"],
  ["apps/service/src/process/program.ts", "installs"],
  ["apps/service/src/events/fire/events.store.ts", "postgres-15"],
  ["apps/service/src/webhooks/deliveries/queue.worker.ts", "crashes"],
  ["apps/service/src/access/gate.ts", "routes"],
  ["tools/language/vale.ini", "language"],
  ["faults/run.ts", "crashes"],
  ["deploy/installs.test.ts", "installs"],
])("a change of %s runs the group %s in any turn", (path, group) => {
  for (const commit of ["00000000", "00000001", "00000002", "00000003"]) {
    const because = choose(commit.padEnd(40, "0"), [path]).find(({ key }) => key === group)?.because;
    expect(because).toMatch(/changed$|^its turn/);
  }
});

test("a change elsewhere leaves the other turns out, and unknown changes leave out nothing", () => {
  const left = choose("0".repeat(40), ["README.md"]).filter(({ because }) => because === undefined);
  expect(left.map(({ key }) => key).toSorted()).toEqual(TURNS.slice(1).flat().toSorted());
  expect(choose("0".repeat(40), undefined).filter(({ because }) => because === undefined)).toEqual([]);
});

test("a list of groups selects their files, and a misspelled group is refused", () => {
  expect(found(filesOfGroups("packages,postgres-15"))).toEqual(
    found(LEFT_OUT.find(({ key }) => key === "packages")?.files ?? []),
  );
  expect(filesOfGroups("")).toEqual([]);
  expect(() => filesOfGroups("package")).toThrow("JUNCTION_TEST_GROUPS names package");
});
