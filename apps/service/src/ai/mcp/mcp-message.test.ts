import { expect, test } from "vitest";
import { clientOf, clientOfSession, sessionIdFor } from "./mcp-message.ts";

const said = (info: unknown): string | null =>
  clientOf({ params: { _meta: { "io.modelcontextprotocol/clientInfo": info } } });

test.each<[unknown, string | null]>([
  [{ name: "claude-code", version: "2.1" }, "claude-code 2.1"],
  [{ name: "cursor" }, "cursor"],
  [{ name: "a\u202eb\u0000c\n", version: 7 }, "abc"],
  [{ name: "\ud800", version: "" }, "\ufffd"],
  [{ name: "\u2066a\u2028b\u200bc\ufe0fd\u3164" }, "abcd"],
  [{ name: "<b>x</b>" }, "<b>x</b>"],
  [{ name: "" }, null],
  [{ name: { toString: 1 } }, null],
  ["claude", null],
  [null, null],
])("%j is the client %j", (info, client) => {
  expect(said(info)).toBe(client);
});

test("a session id repeats the client of its handshake, and any other id nothing", () => {
  const handshake = (clientInfo: unknown): unknown => ({
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { clientInfo },
  });
  const id = sessionIdFor(handshake({ name: "claude-code\u202e", version: "2.1" }));
  expect(id).toMatch(/^[\x21-\x7e]+$/);
  expect(clientOfSession(id)).toBe("claude-code 2.1");
  const longest = sessionIdFor(handshake({ name: "😀".repeat(500) }));
  expect(clientOfSession(longest)?.length).toBeLessThanOrEqual(100);
  for (const info of [undefined, null, "x", { name: "" }]) expect(sessionIdFor(handshake(info))).toBeUndefined();
  const forged = `${"0".repeat(36)}.${Buffer.from("a\u202eb\n").toString("base64url")}`;
  expect(clientOfSession(forged)).toBe("ab");
  for (const other of [undefined, ["a"], "made-up", `${id}=`, `${"0".repeat(36)}.`, "x".repeat(10_000)])
    expect(clientOfSession(other)).toBeNull();
});

test("a long name is cut, and a message without one has no client", () => {
  expect(said({ name: "😀".repeat(500) })?.length).toBeLessThanOrEqual(100);
  for (const message of [null, {}, { params: 1 }, { params: { _meta: null } }]) expect(clientOf(message)).toBeNull();
});
