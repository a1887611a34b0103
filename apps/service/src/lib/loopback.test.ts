import { expect, test } from "vitest";
import { isLoopback } from "./loopback.ts";

const LOOPBACK = ["localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]", "::ffff:127.0.0.1"];
const OTHERS = ["127.example.com", "127.0.0.1.example.com", "127.", "128.0.0.1", "::ffff:10.0.0.1", "::2", ""];

test.each(LOOPBACK)("%s counts as loopback", (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each(OTHERS)("%j does not count as loopback", (host) => {
  expect(isLoopback(host)).toBe(false);
});
