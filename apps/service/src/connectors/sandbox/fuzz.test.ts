import fc from "fast-check";
import { expect, test } from "vitest";
import { FUZZ_MS, holds, jsonish, thrown } from "../../testing/fuzz.ts";
import { readMessage } from "./sandbox-message.ts";

const line = fc.record(
  {
    t: fc.constantFrom("ready", "service", "log", "done", "failed", "__proto__", "toString"),
    id: fc.anything(),
    call: fc.integer(),
    value: fc.jsonValue(),
    name: fc.string(),
    args: fc.array(fc.jsonValue()),
    error: fc.anything(),
  },
  { requiredKeys: [] },
);

test(
  "any line of a connector's process is a valid message or ignored",
  () =>
    holds(
      fc.oneof(
        fc.uint8Array(),
        jsonish.map((text) => Buffer.from(text)),
        line.map((one) => Buffer.from(thrown(() => JSON.stringify(one)) === undefined ? JSON.stringify(one) : "{}")),
      ),
      (bytes) => {
        const message = readMessage(bytes);
        if (message !== undefined) expect(["ready", "service", "log", "done", "failed"]).toContain(message.t);
      },
    ),
  FUZZ_MS,
);
