import { configDefaults, defineConfig } from "vitest/config";
import { findCitus } from "./apps/service/src/testing/citus.ts";
import { citusTests, clusterTests, findPostgres15, storeTests } from "./apps/service/src/testing/store-tests.ts";
import { LeftOutReporter } from "./tools/left-out-reporter.ts";
import { LongestFirst } from "./tools/test-order.ts";
import { filesOfGroups, leftOutFiles, POSTGRES_15, UNIT } from "./tools/test-tiers.ts";
import { namespacesFault } from "./world/namespaces.ts";

// .ci/run counts the tests from this file; a person reads the terminal.
const resultsFile = process.env["JUNCTION_TEST_RESULTS"];

// .ci/run takes some of the groups by turns.
const groups = process.env["JUNCTION_TEST_GROUPS"];

/** A PostgreSQL for all test files, and the console as it is served. */
const SETUPS = ["apps/service/src/testing/global-setup.ts", "tools/console/global-setup.ts"];

const projects = {
  // The tests that need neither a service nor a database. `npm run test:unit` runs only these, and nothing is prepared for them.
  unit: {
    ...shared(),
    name: "unit",
    isolate: false,
    include: [...UNIT],
  },
  // Everything else that `npm test` runs, but for the world.
  embedded: {
    ...shared(),
    name: "embedded",
    // Loading the service takes a second of processor time in each file otherwise (decision 0200).
    isolate: false,
    setupFiles: ["apps/service/src/testing/fresh-connectors.ts"],
    include: [
      "apps/**/*.test.ts",
      "packages/**/*.test.ts",
      "tools/**/*.test.ts",
      "bench/**/*.test.ts",
      "faults/**/*.test.ts",
      "conformance/**/*.test.ts",
      "deploy/**/*.test.ts",
      "sdks/**/*.test.ts",
      "connectors/*.test.ts",
    ],
    exclude: [...configDefaults.exclude, ...UNIT, ...leftOutFiles, ...clusterTests],
    globalSetup: SETUPS,
  },
  long: {
    ...shared(),
    name: "long",
    isolate: false,
    setupFiles: ["apps/service/src/testing/fresh-connectors.ts"],
    include: [...filesOfGroups(groups)],
    globalSetup: SETUPS,
  },
  world: {
    ...shared(),
    name: "world",
    include: ["world/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...leftOutFiles],
  },
  postgres15: {
    ...shared(),
    name: "postgres-15",
    isolate: false,
    setupFiles: ["apps/service/src/testing/fresh-connectors.ts"],
    include: [...storeTests],
    globalSetup: ["apps/service/src/testing/global-setup-15.ts"],
  },
  citus: {
    ...shared(),
    name: "citus",
    include: [...citusTests.include],
    exclude: [...configDefaults.exclude, ...citusTests.exclude],
    globalSetup: ["apps/service/src/testing/global-setup-citus.ts", "tools/console/global-setup.ts"],
  },
};

const citusFault =
  findCitus() === undefined
    ? "the tests on a database of several machines. Name the folder of the programs of a PostgreSQL with Citus 13 in JUNCTION_CITUS."
    : undefined;
const postgres15Fault = faultOfPostgres15();
const worldFault = faultOfWorld();

export default defineConfig({
  test: {
    // Tests often wait, for a limit or a process: four keep the two processors of a small machine busy.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    reporters: [
      "default",
      new LeftOutReporter({
        missing: [postgres15Fault, worldFault, citusFault].filter((fault) => fault !== undefined),
      }),
      ...(resultsFile === undefined ? [] : [jsonTo(resultsFile)]),
    ],
    projects: [
      { test: projects.unit },
      { test: projects.embedded },
      { test: projects.long },
      ...(worldFault === undefined ? [{ test: projects.world }] : []),
      ...(citusFault === undefined ? [{ test: projects.citus }] : []),
      ...(postgres15Fault === undefined && (groups?.split(",").includes(POSTGRES_15.key) ?? true)
        ? [{ test: projects.postgres15 }]
        : []),
    ],
  },
});

function jsonTo(outputFile: string): ["json", { outputFile: string }] {
  return ["json", { outputFile }];
}

function shared() {
  return {
    pool: "forks" as const,
    // How long a test may take says nothing: only what hangs is to fail.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000, interval: 50 } },
  };
}

function faultOfPostgres15(): string | undefined {
  if (findPostgres15() !== undefined) return undefined;
  return faultOf(
    "JUNCTION_NEED_POSTGRES_15",
    "the store tests on PostgreSQL 15. PostgreSQL 15, the oldest that is supported, is not on this machine. Install Debian's postgresql-15, or name the folder of its programs in JUNCTION_POSTGRES_15.",
  );
}

function faultOfWorld(): string | undefined {
  const fault = namespacesFault();
  if (fault === undefined) return undefined;
  return faultOf(
    "JUNCTION_NEED_NAMESPACES",
    `the tests with host names, HTTPS receivers and default settings (world/). They need Linux namespaces: ${fault}.`,
  );
}

/** Returns why tests are left out. Throws when the variable `needed` is set, as CI sets it. */
function faultOf(needed: string, what: string): string {
  if (process.env[needed] !== undefined) throw new Error(`${needed} is set, but this machine cannot run ${what}`);
  return what;
}
