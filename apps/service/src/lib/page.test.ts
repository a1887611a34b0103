import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";
import { ServiceError } from "./errors.ts";
import { createIdMaker, uuidFloor } from "./ids.ts";
import {
  decodeCursor,
  decodeNameCursor,
  encodeCursor,
  encodeNameCursor,
  minUuidAt,
  pageOf,
  pageOfWhole,
  parseTimestamp,
} from "./page.ts";

const ids = createIdMaker(systemClock);
const binding = ["tag", "events", { event: "order.created" }];

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof ServiceError ? error.code : String(error);
  }
}

test("a page reports that there are more, with a cursor at its last row", () => {
  const rows = [ids.uuid(), ids.uuid(), ids.uuid()].toReversed().map((id) => ({ id }));
  const page = pageOf(rows, 2, binding, (row) => row.id);
  expect(page).toMatchObject({ object: "list", data: [rows[0]?.id, rows[1]?.id], has_more: true });
  expect(decodeCursor(page.next_cursor ?? undefined, binding)).toBe(rows[1]?.id);
});

test("a page of more than one row has at most 8 MiB", () => {
  const rows = [ids.uuid(), ids.uuid(), ids.uuid()].map((id) => ({ id, data: "x".repeat(5 * 1024 * 1024) }));
  const page = pageOf(rows, 20, binding, (row) => row.data);
  expect([page.data.length, page.has_more]).toEqual([1, true]);
  expect(decodeCursor(page.next_cursor ?? undefined, binding)).toBe(rows[0]?.id);
  expect(pageOf([{ id: ids.uuid(), data: "x".repeat(9 * 1024 * 1024) }], 20, binding, (row) => row)).toMatchObject({
    data: [{}],
    has_more: false,
  });
});

test("a page counts the escapes of its text", () => {
  const rows = [ids.uuid(), ids.uuid()].map((id) => ({ id, data: "\u0001".repeat(1024 * 1024) }));
  expect(pageOf(rows, 20, binding, ({ data }) => ({ data })).data).toHaveLength(1);
});

test("the last page and an empty page have no cursor", () => {
  expect(pageOf([{ id: ids.uuid() }], 1, binding, (row) => row)).toMatchObject({ has_more: false, next_cursor: null });
  expect(pageOf([], 20, binding, (row) => row)).toEqual({
    object: "list",
    data: [],
    has_more: false,
    next_cursor: null,
  });
});

test.each([
  ["another workspace", ["other", "events", { event: "order.created" }]],
  ["another list", ["tag", "deliveries", { event: "order.created" }]],
  ["another filter", ["tag", "events", { event: "order.shipped" }]],
  ["no filter", ["tag", "events", {}]],
])("a cursor is refused with %s", (_what, other) => {
  const cursor = encodeCursor(ids.uuid(), binding);
  expect(codeOf(() => decodeCursor(cursor, other))).toBe("cursor_invalid");
});

test("a filter that was not sent is also part of the binding", () => {
  const last = ids.uuid();
  expect(decodeCursor(encodeCursor(last, ["t", undefined]), ["t", undefined])).toBe(last);
  expect(codeOf(() => decodeCursor(encodeCursor(last, ["t", undefined]), ["t", "done"]))).toBe("cursor_invalid");
});

test("a list in memory is whole without a limit and refuses a removed cursor", () => {
  const of = { binding, nameOf: (name: string) => name };
  const names = ["a", "b", "c"];
  expect(pageOfWhole(names, {}, of)).toEqual({ object: "list", data: names, has_more: false, next_cursor: null });
  const { data, next_cursor: cursor } = pageOfWhole(names, { limit: 2 }, of);
  expect(data).toEqual(["a", "b"]);
  expect(pageOfWhole(["new", ...names], { cursor: cursor ?? "" }, of).data).toEqual(["c"]);
  expect(codeOf(() => pageOfWhole(["a", "c"], { cursor: cursor ?? "" }, of))).toBe("cursor_invalid");
  expect(pageOfWhole([], {}, of).data).toEqual([]);
});

test("a cursor by name belongs to its list and is not one by id", () => {
  const cursor = encodeNameCursor("acme/é", binding);
  expect(decodeNameCursor(cursor, binding)).toBe("acme/é");
  expect(decodeNameCursor(undefined, binding)).toBeUndefined();
  expect(codeOf(() => decodeNameCursor(cursor, ["tag", "tenants"]))).toBe("cursor_invalid");
  expect(codeOf(() => decodeNameCursor("", binding))).toBe("cursor_invalid");
  expect(codeOf(() => decodeCursor(cursor, binding))).toBe("cursor_invalid");
});

test("a cursor does not depend on the order of the filters", () => {
  const last = ids.uuid();
  const cursor = encodeCursor(last, ["t", { event: "a", subject: "b" }]);
  expect(decodeCursor(cursor, ["t", { subject: "b", event: "a" }])).toBe(last);
});

test.each([
  "",
  "x",
  "AAAA",
  "not base64 !",
  `${encodeCursor(ids.uuid(), binding)}=`,
  `${encodeCursor(ids.uuid(), binding)}A`,
])("%j is not a cursor", (text) => {
  expect(codeOf(() => decodeCursor(text, binding))).toBe("cursor_invalid");
});

test("a list without a cursor starts at its first item", () => {
  expect(decodeCursor(undefined, binding)).toBeUndefined();
});

test("times are read, and an invalid time is refused at its place", () => {
  expect(parseTimestamp(undefined, "/occurred_at")).toBeUndefined();
  expect(parseTimestamp("2026-11-21T13:00:00Z", "/occurred_at")).toBe(Date.UTC(2026, 10, 21, 13));
  expect(codeOf(() => parseTimestamp("yesterday", "/occurred_at"))).toBe("validation_failed");
  const at = minUuidAt("2026-11-21T13:00:00Z", "created_after");
  expect(at).toBe(uuidFloor(Date.UTC(2026, 10, 21, 13) as never));
  expect(codeOf(() => minUuidAt("2026-11-21", "created_after"))).toBe("query_invalid");
});
