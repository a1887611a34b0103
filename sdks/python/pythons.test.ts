import { describe, expect, test } from "vitest";
import { startMock } from "../../conformance/mock.ts";
import { covers } from "../../requirements/covers.ts";
import { findPythons, install, runPytest } from "./pythons.ts";
import type { PythonTest } from "./pythons.ts";

/**
 * These tests run the wheel on each Python of this machine, against the scripted server. Each test of pytest is a test
 * here.
 */

const FILES = ["tests"];

const pythons = await findPythons();
const mock = await startMock();
const results = new Map<string, PythonTest[]>();
for (const python of pythons) {
  const installed = await install(python);
  const env = { JUNCTION_MOCK_URL: mock.url };
  results.set(python.version, await runPytest(installed, FILES, env));
  await installed.remove();
}

// One run is enough for tests that depend on packages and not on Python.
const [eldest] = pythons;
if (eldest !== undefined) {
  const installed = await install(eldest, { oldest: true });
  const env = { JUNCTION_MOCK_URL: mock.url };
  const scenarios = ["tests/test_scenarios.py"];
  results.set(`${eldest.version} with httpx2 2.5`, await runPytest(installed, scenarios, env));
  const without = { ...env, JUNCTION_WITHOUT_HTTPX2: "1" };
  results.set(`${eldest.version} with httpx`, await runPytest(installed, scenarios, without));
  await installed.remove();
}
await mock.close();

for (const [version, tests] of results) {
  describe(`Python ${version}`, () => {
    for (const { id, outcome, detail } of tests) {
      test.skipIf(outcome === "skipped")(`pytest ${id}`, () => {
        expect(outcome === "passed" ? "" : detail).toBe("");
      });
    }
  });
}

// A developer's machine without Python skips these tests; findPythons throws on CI.
describe.skipIf(pythons.length === 0)("on every Python", () => {
  covers("sdk.python.runtime", "an official Python SDK exists and runs on Python 3.10 or later", () => {
    for (const tests of results.values()) {
      expect(tests.length).toBeGreaterThan(200);
      expect(tests.filter(({ outcome }) => outcome === "failed")).toEqual([]);
    }
  });

  covers("sdk.handles.retries", "the Python SDK retries only calls that may succeed later", () => {
    expectPassed("test_scenario[", [
      "retried_503",
      "not_retried_409",
      "zero_means_zero",
      "retry_after",
      "retry_after_61",
    ]);
    expectPassed("test_scenario_async[", [
      "retried_503-asyncio",
      "zero_means_zero-trio",
      "timeout_then_success-asyncio",
    ]);
  });

  covers("sdk.handles.idempotency", "the Python SDK sends one idempotency key on each attempt of a write", () => {
    expectPassed("test_scenario[", ["success", "own_idempotency_key", "retry_is_idempotent_replay", "read"]);
  });

  covers("sdk.handles.signing", "the Python SDK signs each attempt again, with the service's time", () => {
    expectPassed("test_scenario[", ["path_escaped", "clock_behind", "clock_corrected_once", "two_retries"]);
  });
});

/** Expects that tests passed. A test that no longer exists has not passed. */
function expectPassed(prefix: string, names: readonly string[]): void {
  const wanted = names.map((name) => `tests/test_scenarios.py::${prefix}${name}]`);
  for (const tests of results.values()) {
    const passed = tests.filter(({ outcome }) => outcome === "passed").map(({ id }) => id);
    expect(passed).toEqual(expect.arrayContaining(wanted));
  }
}
