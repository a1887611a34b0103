import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const page = await readFile(join(root, "docs/security.md"), "utf8");
const cited = [...page.matchAll(/^\| (?<claim>[^|]+) \| `(?<path>[^`]+\.test\.ts)`: "(?<name>[^|]+)" \s*\|$/gm)].map(
  ({ groups = {} }) => ({ claim: groups["claim"] ?? "", path: groups["path"] ?? "", name: groups["name"] ?? "" }),
);

test("every row of the table of claims names a test", () => {
  const table = page.split("## Claims\n")[1]?.split("\n## ")[0] ?? "";
  const rows = table.split("\n").filter((line) => line.startsWith("| ") && !/^\| (?:claim|-)/.test(line));
  expect(rows.length).toBeGreaterThan(30);
  expect(cited.length).toBe(rows.length);
});

test.each(cited)("$path holds: $claim", async ({ path, name }) => {
  const text = await readFile(join(root, path), "utf8");
  // The name must appear in the code as the whole argument of a test.
  expect(text.replaceAll('\\"', '"')).toContain(`"${name}"`);
});
