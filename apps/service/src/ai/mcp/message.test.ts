import { expect, test } from "vitest";
import { clientOf } from "./message.ts";

const said = (info: unknown): string | null =>
  clientOf({ params: { _meta: { "io.modelcontextprotocol/clientInfo": info } } });

test.each<[unknown, string | null]>([
  [{ name: "claude-code", version: "2.1" }, "claude-code 2.1"],
  [{ name: "cursor" }, "cursor"],
  [{ name: "a\u202eb\u0000c\n", version: 7 }, "abc"],
  [{ name: "\ud800", version: "" }, "\ufffd"],
  [{ name: "" }, null],
  [{ name: { toString: 1 } }, null],
  ["claude", null],
  [null, null],
])("%j is the client %j", (info, client) => {
  expect(said(info)).toBe(client);
});

test("a long name is cut, and a message without one has no client", () => {
  expect(said({ name: "😀".repeat(500) })?.length).toBeLessThanOrEqual(100);
  for (const message of [null, {}, { params: 1 }, { params: { _meta: null } }]) expect(clientOf(message)).toBeNull();
});
