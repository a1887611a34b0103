// Proves the order of the modules a second way, from the imports alone: a plugin that stopped loading, or a rule that
// stopped seeing imports, would leave the lint green.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const src = join(root, "apps/service/src");
const listed = JSON.parse(readFileSync(join(src, "modules.json"), "utf8")) as readonly string[];
const importedPath = /(?:^(?:import|export)\b[^"';]*?\bfrom\s*|^import\s*|\bimport\(\s*)["'](\.{1,2}\/[^"']+)["']/gm;
const exemption = /(?:oxlint|eslint)-(?:disable|enable)|@ts-(?:ignore|expect-error|nocheck)/;

interface Edge {
  readonly from: string;
  readonly to: string;
}

function topFolder(path: string): string | undefined {
  return path.includes("/") ? path.split("/")[0] : undefined;
}

function edgesOf(file: string): Edge[] {
  const from = topFolder(file);
  return [...readFileSync(join(src, file), "utf8").matchAll(importedPath)].flatMap(([, specifier = ""]) => {
    const to = topFolder(posix.normalize(posix.join(dirname(file), specifier)));
    if (from === undefined || to === undefined || from === to || [from, to].some((name) => !listed.includes(name))) {
      return [];
    }
    return [{ from, to }];
  });
}

/** The order the imports allow, the earliest listed module first where they leave a choice; short when they go round. */
function derivedOrder(edges: readonly Edge[]): string[] {
  const order: string[] = [];
  for (;;) {
    const free = listed.find(
      (module) => !order.includes(module) && edges.every(({ from, to }) => from !== module || order.includes(to)),
    );
    if (free === undefined) return order;
    order.push(free);
  }
}

function sourceFiles(): string[] {
  return globSync("**/*.ts", { cwd: src }).map((path) => path.replaceAll("\\", "/"));
}

test("the order of modules.json is the one the imports of apps/service/src give", () => {
  expect(derivedOrder(sourceFiles().flatMap(edgesOf))).toEqual(listed);
});

test("every folder of apps/service/src is a listed module or testing", () => {
  const folders = new Set(sourceFiles().map(topFolder));
  expect([...folders].filter((name) => name !== undefined && name !== "testing" && !listed.includes(name))).toEqual([]);
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
