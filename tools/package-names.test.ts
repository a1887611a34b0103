import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { CLI, NODE_SDK, packageNames, PHP_SDK, PYTHON_SDK } from "./package-names.ts";
import { nameFault } from "./registries.ts";

const manifest = createRequire(import.meta.url);

test("each package's own manifest has its name", async () => {
  const { name: node } = manifest("../sdks/node/package.json") as { name: string };
  const { name: cli } = manifest("../apps/cli/package.json") as { name: string };
  const { name: php } = manifest("../sdks/php/composer.json") as { name: string };
  const python = await readFile(new URL("../sdks/python/pyproject.toml", import.meta.url), "utf8");
  expect([node, cli, php]).toEqual([NODE_SDK.name, CLI.name, PHP_SDK.name]);
  expect(python).toContain(`\nname = "${PYTHON_SDK.name}"\n`);
});

test.for(packageNames)("$name is not registered on $registry by others", async (named, { skip }) => {
  const fault = await nameFault(named).catch((error: Error) => {
    const needed = `JUNCTION_NEED_${named.registry.toUpperCase()}`;
    if (process.env[needed] !== undefined) throw error;
    console.warn(`\nSKIPPED: the owner of ${named.name} was not checked. ${error.message}.\n`);
    return skip(error.message);
  });
  expect(fault).toBeUndefined();
});

test("a name registered by others and a missing name of ours are reported", async ({ skip }) => {
  const [theirs, absent] = await Promise.all([
    nameFault({ registry: "npm", name: "junction" }),
    nameFault({ ...NODE_SDK, owner: "junction-platform" }),
  ]).catch((error: Error) => skip(error.message));
  expect(theirs).toContain("junction is registered on npm by others");
  expect(absent).toContain("is not on npm, although junction-platform is recorded as its owner");
});
