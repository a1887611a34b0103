import { defineConfig } from "vitest/config";
import { findPostgres15, storeTests } from "./apps/service/src/testing/store-tests.ts";
import { LongestFirst } from "./tools/test-order.ts";
import { namespacesFault } from "./world/namespaces.ts";

// .ci/run counts the tests from this file; a person reads the terminal.
const resultsFile = process.env["JUNCTION_TEST_RESULTS"];

const postgres15 = { name: "postgres-15", globalSetup: ["apps/service/src/testing/global-setup-15.ts"] };

export default defineConfig({
  test: {
    // Two keep the two processors of a small machine busy; a third makes each slower and none sooner done.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    reporters: resultsFile === undefined ? ["default"] : ["default", ["json", { outputFile: resultsFile }]],
    projects: [
      {
        test: {
          ...shared(),
          name: "embedded",
          include: [
            "apps/**/*.test.ts",
            "tools/**/*.test.ts",
            "bench/**/*.test.ts",
            "faults/**/*.test.ts",
            "conformance/**/*.test.ts",
            "deploy/**/*.test.ts",
            "sdks/**/*.test.ts",
            "connectors/*.test.ts",
          ],
          globalSetup: ["apps/service/src/testing/global-setup.ts", "tools/console/global-setup.ts"],
        },
      },
      ...(hasNamespaces() ? [{ test: { ...shared(), name: "world", include: ["world/**/*.test.ts"] } }] : []),
      ...(hasPostgres15() ? [{ test: { ...shared(), ...postgres15, include: [...storeTests] } }] : []),
    ],
  },
});

function shared() {
  return {
    pool: "forks" as const,
    // How long a test may take says nothing: only what hangs is to fail.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000, interval: 50 } },
  };
}

function hasPostgres15(): boolean {
  if (findPostgres15() !== undefined) return true;
  return leaveOut(
    "JUNCTION_NEED_POSTGRES_15",
    "the store tests on PostgreSQL 15. PostgreSQL 15, the oldest that is supported, is not on this machine. Install Debian's postgresql-15, or name the folder of its programs in JUNCTION_POSTGRES_15.",
  );
}

function hasNamespaces(): boolean {
  const fault = namespacesFault();
  if (fault === undefined) return true;
  return leaveOut(
    "JUNCTION_NEED_NAMESPACES",
    `the tests with host names, HTTPS receivers and default settings (world/). They need Linux namespaces: ${fault}.`,
  );
}

/** Skips tests with a message. Throws when the variable `needed` is set, as CI sets it. */
function leaveOut(needed: string, what: string): false {
  if (process.env[needed] !== undefined) throw new Error(`${needed} is set, but this machine cannot run ${what}`);
  console.warn(`\nSKIPPED: ${what}\n`);
  return false;
}
