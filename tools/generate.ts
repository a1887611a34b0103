/**
 * Runs all generators in the order in which they need each other, and says which files changed. Tests compare each generated file with its
 * source. `npm run generate`.
 */
import { createHash } from "node:crypto";
import { globSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "./run.ts";

interface Step {
  readonly makes: string;
  readonly script: readonly string[];
  /** Globs of the files that it writes, from the repository's root. */
  readonly writes: readonly string[];
}

const VITEST = "node_modules/vitest/vitest.mjs";

/** Each step reads only sources and the files of the steps before it. */
export const STEPS: readonly Step[] = [
  {
    makes: "the requirement ids, from requirements/requirements.json",
    script: ["tools/generate-requirement-ids.ts"],
    writes: ["requirements/ids.generated.ts"],
  },
  {
    makes: "the types of the tables, from the migrations",
    script: ["tools/generate-tables.ts"],
    writes: ["apps/service/src/platform/db/tables.generated.ts"],
  },
  {
    makes: "the reference of the settings",
    script: ["tools/generate-configuration.ts"],
    writes: ["docs/reference/configuration.md"],
  },
  {
    makes: "the reference of the senders",
    script: ["tools/generate-senders.ts"],
    writes: ["docs/reference/senders.md"],
  },
  {
    makes: "the contract, from the routes",
    script: ["tools/generate-openapi.ts"],
    writes: ["openapi/openapi.json"],
  },
  {
    makes: "the SDKs, the command line's operations and the Terraform provider's resources, from the contract",
    script: ["tools/generate-sdks.ts"],
    writes: [
      "sdks/*/{generated,src/**/generated}/**",
      "apps/{cli,console}/src/**/generated/**",
      "terraform/internal/contract/generated/**",
    ],
  },
  {
    makes: "the picture of the modules, from their imports",
    script: ["tools/generate-architecture.ts"],
    writes: ["ARCHITECTURE.md"],
  },
  {
    makes: "the access matrix, from the answers of a running service (review its changes)",
    script: [VITEST, "run", "apps/service/src/access/access-matrix.test.ts", "-u"],
    writes: ["apps/service/src/access/access-matrix.txt"],
  },
];

const root = fileURLToPath(new URL("../", import.meta.url));

/** Returns the files that differ between two states. */
export function changedBetween(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .toSorted();
}

function stateOf(globs: readonly string[]): Map<string, string> {
  const files = globSync(globs, { cwd: root }).filter((path) => statSync(root + path).isFile());
  return new Map(
    files.map((path) => [
      path,
      createHash("sha256")
        .update(readFileSync(root + path))
        .digest("hex"),
    ]),
  );
}

if (import.meta.main) {
  for (const { makes, script, writes } of STEPS) {
    const before = stateOf(writes);
    const { status, output } = await run(process.execPath, script, { cwd: root });
    if (status !== 0) {
      console.error(`${makes}: failed\n${output}`);
      process.exit(1);
    }
    const changed = changedBetween(before, stateOf(writes));
    console.log(`${makes}: ${changed.length === 0 ? "unchanged" : `${changed.length} changed`}`);
    for (const path of changed) console.log(`  ${path}`);
  }
}
