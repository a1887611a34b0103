import { defineConfig } from "vitest/config";

// .ci/run counts the tests from this file; a person reads the terminal.
const resultsFile = process.env["JUNCTION_TEST_RESULTS"];

export default defineConfig({
  test: {
    include: ["apps/**/*.test.ts", "tools/**/*.test.ts", "bench/**/*.test.ts", "conformance/**/*.test.ts"],
    // Each test file may start its own database and service: two at a time keeps a small machine honest.
    globalSetup: ["apps/service/src/testing/global-setup.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // How long a test may take says nothing: only what hangs is to fail.
    expect: { poll: { timeout: 20_000, interval: 50 } },
    reporters: resultsFile === undefined ? ["default"] : ["default", ["json", { outputFile: resultsFile }]],
  },
});
