import { expect, test } from "vitest";
import { loggedError } from "./logged-error.ts";

test("the log has an error's message and code, without the properties of libraries", () => {
  const client = { connectionParameters: { user: "ann", password: "canary-pw", host: "db.internal" } };
  const lost = Object.assign(new Error("Connection terminated unexpectedly"), {
    code: "57P01",
    client,
    detail: "Key (email)=(canary@example.com) already exists.",
  });
  expect(loggedError(lost)).toEqual({ type: "Error", message: lost.message, code: "57P01", stack: lost.stack });
});

test("causes and grouped errors are kept to a depth, and non-errors are described", () => {
  const ring = new Error("ring");
  ring.cause = ring;
  expect(JSON.stringify(loggedError(ring)).match(/"cause"/g)).toHaveLength(4);
  const gathered = new AggregateError([new TypeError("one"), "two"], "both");
  expect(loggedError(gathered)).toMatchObject({
    type: "AggregateError",
    errors: [
      { type: "TypeError", message: "one" },
      { type: "string", message: "two" },
    ],
  });
  expect(loggedError(null)).toEqual({ type: "object", message: "null" });
});
