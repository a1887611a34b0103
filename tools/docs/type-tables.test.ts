import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MEMBERS as ACTION_MEMBERS } from "../../apps/service/src/automation/rules/actions.ts";
import { MEMBERS as STEP_MEMBERS } from "../../apps/service/src/automation/workflows/step.ts";
import { DOCS } from "./page.ts";

interface Schema {
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

const contract = JSON.parse(readFileSync(`${DOCS}../openapi/openapi.json`, "utf8")) as {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** Returns the values of a member of a schema, or of the items of its list. */
function valuesOf(name: string, member: string): readonly string[] {
  const found = contract.components.schemas[name]?.properties?.[member];
  return found?.enum ?? found?.items?.enum ?? [];
}

/** Returns the words that are marked as code, without the marks of optional members. */
function codes(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word.replace(/\?$/, ""));
}

/** Returns the rows of the table of a guide whose first column has this heading. */
function rowsOf(page: string, heading: string): string[][] {
  const lines = readFileSync(`${DOCS}guide/${page}`, "utf8").split("\n");
  const cells = (line: string): string[] =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim());
  const at = lines.findIndex((line, n) => cells(line)[0] === heading && /^\|[ :|-]+\|$/.test(lines[n + 1] ?? ""));
  if (at < 0) return [];
  const end = lines.findIndex((line, n) => n > at && !line.startsWith("|"));
  return lines.slice(at + 2, end).map(cells);
}

const STEPS = valuesOf("WorkflowStep", "type");

/** The tables that list all values of a type: the page, the heading of the first column, and the values. */
const TABLES: readonly (readonly [page: string, heading: string, values: readonly string[]])[] = [
  ["workflows.md", "`type`", STEPS],
  ["workflows.md", "step", STEPS],
  ["rules.md", "`type`", Object.keys(ACTION_MEMBERS)],
  ["rules.md", "`op`", valuesOf("Condition", "op")],
  ["rules.md", "status", valuesOf("RuleRun", "status").filter((status) => status !== "running")],
  ["concepts.md", "state", valuesOf("Delivery", "state")],
  ["event-types.md", "enforcement", valuesOf("NewEventType", "enforcement")],
  ["inbound.md", "preset", valuesOf("InboundEndpoint", "preset")],
  ["inbound.md", "`contact`", valuesOf("InboundEndpoint", "contact")],
  ["inbound.md", "`kind`", valuesOf("SignatureScheme", "kind")],
  ["portal.md", "Capability", valuesOf("PortalSessionRequest", "capabilities")],
];

test.each(TABLES)("the table of %s that begins with %s has every value, and no other", (page, heading, values) => {
  expect(values.length).toBeGreaterThan(2);
  expect(
    rowsOf(page, heading)
      .flatMap(([first = ""]) => codes(first))
      .toSorted(),
  ).toEqual([...values].toSorted());
});

test("the tables of step types and rule actions name every member", () => {
  const named = (page: string): Record<string, string[]> =>
    Object.fromEntries(rowsOf(page, "`type`").map(([type = "", members = ""]) => [codes(type)[0], codes(members)]));
  const steps = Object.entries(STEP_MEMBERS).map(([type, { required, optional }]) => [
    type,
    [...required, ...optional],
  ]);
  for (const [page, members] of [
    ["workflows.md", Object.fromEntries(steps)],
    ["rules.md", ACTION_MEMBERS],
  ] as const)
    for (const [type, all] of Object.entries(members as Record<string, string[]>)) {
      // `next` is a member of every step, and `label` and `value` are members of a field.
      const missing = all.filter((one) => one !== "next" && named(page)[type]?.includes(one) !== true);
      expect([page, type, missing]).toEqual([page, type, []]);
    }
});
