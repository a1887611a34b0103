import { dirname } from "node:path";
import { rm } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { startService } from "../../apps/service/src/testing/service.ts";
import { covers } from "../../requirements/covers.ts";
import { buildWheel, findPythons, install, runPytest } from "./pythons.ts";
import type { PythonTest } from "./pythons.ts";

/**
 * These tests run the wheel and the guide's blocks against the real service, on the oldest and the newest Python of
 * this machine.
 */

const FILES = ["tests/test_service.py", "tests/test_consume.py", "tests/test_guide.py"];

const found = await findPythons();
const pythons = found.filter((_, index) => index === 0 || index === found.length - 1);
const results = new Map<string, PythonTest[]>();
for (const python of pythons) {
  const service = await startService();
  const installed = await install(python);
  const { wheel } = await buildWheel(installed.tools);
  const env = {
    JUNCTION_SERVICE_URL: service.baseUrl,
    JUNCTION_SERVICE_KEY: service.key,
    JUNCTION_WHEELS: dirname(wheel),
  };
  results.set(python.version, await runPytest(installed, FILES, env));
  await rm(dirname(wheel), { recursive: true });
  await installed.remove();
  await service.close();
}

for (const [version, tests] of results) {
  describe(`Python ${version}`, () => {
    for (const { id, outcome, detail } of tests) {
      test(`pytest ${id}`, () => {
        expect(outcome === "passed" ? "" : detail).toBe("");
      });
    }
  });
}

// A developer's machine without Python skips these tests; findPythons throws on CI.
describe.skipIf(pythons.length === 0)("against the real service", () => {
  covers("sdk.call.events-fire", "the Python SDK fires an event with events.fire(name, data)", () => {
    expectPassed("tests/test_service.py::test_events_fire_is_signed_typed_and_happens_once");
  });

  covers(
    ["sdk.handles.signing", "sdk.handles.idempotency"],
    "the service accepts the signatures and repeated calls of the Python SDK",
    () => {
      expectPassed("tests/test_service.py::test_keys_with_a_signing_secret_sign_with_it");
      expectPassed("tests/test_service.py::test_a_wrong_clock_is_corrected_by_the_service");
    },
  );

  covers("sdk.handles.typed", "the Python SDK knows every member of the service's answers", () => {
    expectPassed(
      "tests/test_service.py::test_what_the_service_answers_has_no_member_that_the_sdk_does_not_know[events.list]",
    );
  });

  test("every block of the guide runs", () => {
    for (const tests of results.values()) {
      expect(tests.filter(({ id }) => id.startsWith("tests/test_guide.py::test_block")).length).toBeGreaterThan(12);
    }
  });
});

/** Expects that a test passed. A test that no longer exists has not passed. */
function expectPassed(id: string): void {
  for (const tests of results.values()) {
    expect(tests.find((one) => one.id === id)?.outcome).toBe("passed");
  }
}
