// Proves the order of the modules a second way, from the imports alone: a plugin that stopped loading, or a rule that
// stopped seeing imports, would leave the lint green.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { importsBetween, modules, sourceFiles, topFolder } from "../architecture/imports.ts";
import type { Edge } from "../architecture/imports.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const exemption = /(?:oxlint|eslint)-(?:disable|enable)|@ts-(?:ignore|expect-error|nocheck)/;

/** The order the imports allow, the earliest listed module first where they leave a choice; short when they go round. */
function derivedOrder(edges: readonly Edge[]): string[] {
  const order: string[] = [];
  for (;;) {
    const free = modules.find(
      (module) => !order.includes(module) && edges.every(({ from, to }) => from !== module || order.includes(to)),
    );
    if (free === undefined) return order;
    order.push(free);
  }
}

test("the order of modules.json is the one the imports of apps/service/src give", () => {
  expect(derivedOrder(importsBetween(sourceFiles()))).toEqual(modules);
});

test("every folder of apps/service/src is a listed module, testing, or stands above the modules", () => {
  const folders = new Set(sourceFiles().map(topFolder));
  const others = [undefined, "testing", "composition", "config", "process"];
  expect(
    [...folders].filter((name) => name !== undefined && !others.includes(name) && !modules.includes(name)),
  ).toEqual([]);
});

test("no file silences a checker, not even the rule against it", () => {
  const files = globSync("{apps,bench,conformance,requirements,tools}/**/*.{ts,mjs}", {
    cwd: root,
  });
  const own = ["tools/lint/module-order.test.ts", "tools/lint/plugin.test.ts", "tools/lint/no-exemptions.ts"];
  const silenced = files.filter(
    (path) =>
      !path.includes("node_modules") &&
      !own.includes(path.replaceAll("\\", "/")) &&
      exemption.test(readFileSync(join(root, path), "utf8")),
  );
  expect(silenced).toEqual([]);
});
