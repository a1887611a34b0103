import { expect, test } from "vitest";
import { createSparing } from "./sparing.ts";

const down = (id: number): Error => Object.assign(new Error(`connection ${id} is refused`), { code: "ECONNREFUSED" });

test("a cause is written once in ten seconds, with a count", () => {
  let nowMs = 0;
  const judge = createSparing(() => nowMs);
  const kinds = Array.from({ length: 5000 }, (_, n) =>
    judge("a request failed", { err: down(n), request_id: `r${n}` }),
  );
  expect(kinds[0]).toEqual({ kind: "whole", repeated: 0 });
  expect(new Set(kinds.slice(1).map(({ kind }) => kind))).toEqual(new Set(["none"]));
  nowMs = 10_000;
  expect(judge("a request failed", { err: down(7) })).toEqual({ kind: "whole", repeated: 4999 });
});

test("another message, code or text is another cause", () => {
  const judge = createSparing(() => 0);
  const records = [
    ["a", down(1)],
    ["b", down(1)],
    ["a", Object.assign(down(1), { code: "57P01" })],
    ["a", new Error("another")],
  ] as const;
  for (const [message, err] of records) expect(judge(message, { err }).kind).toBe("whole");
});

test("a request that fails internally is always found by its id", () => {
  const judge = createSparing(() => 0);
  const fault = { err: new TypeError("x is not a function"), request_id: "req_1" };
  expect([judge("a request failed", fault).kind, judge("a request failed", fault).kind]).toEqual(["whole", "brief"]);
});

test("the causes that are remembered are bounded", () => {
  const judge = createSparing(() => 0);
  for (let n = 0; n < 2000; n += 1) judge("x".repeat(n), { err: new Error("y") });
  expect(judge("", { err: new Error("y") }).kind).toBe("whole");
});
