import { expect, test } from "vitest";
import { inBody, inElement, mappedHeaders, pathsIn } from "./mapping.ts";

test.each([
  ["", []],
  ["$.a", ["$.a"]],
  ["$.a, $.b ,", ["$.a", "$.b"]],
  ["$.a\n$.b", ["$.a", "$.b"]],
  ["$['a,b'],$['c']", ["$['a,b']", "$['c']"]],
  ["$.a,$['b'][0]", ["$.a", "$['b'][0]"]],
  ["$['a], b']", ["$['a], b']"]],
  [String.raw`$['it\'s,"[b'],$.c`, [String.raw`$['it\'s,"[b']`, "$.c"]],
])("commas and lines separate paths: %s", (text, paths) => {
  expect(pathsIn(text)).toEqual(paths);
});

test.each([
  ["$.events[3].a", "$.events", "$.a"],
  ["$[0]['a']", "$", "$['a']"],
  ["$.events[0]", "$.events", "$"],
  ["$.other[0].a", "$.events", "$.other[0].a"],
  ["$.events.length", "$.events", "$.events.length"],
  ["$['a'].b", "$", "$['a'].b"],
  ["$.a", "", "$.a"],
])("paths of a list begin at its element: %s with %s", (path, each, inside) => {
  expect(inElement(path, each)).toBe(inside);
});

test("a path is marked in the first element of the list", () => {
  expect([inBody("$.a", ""), inBody("$.a", "$.events"), inBody("$", "$")]).toEqual(["$.a", "$.events[0].a", "$[0]"]);
});

test("a preview gets only the headers that decide the reading", () => {
  const headers = { "content-type": "a", "content-encoding": "b", "ce-id": "c", "x-type": "d", host: "e" };
  expect(mappedHeaders(headers, { event_type_header: "X-Type" })).toEqual({
    "content-type": "a",
    "content-encoding": "b",
    "ce-id": "c",
    "x-type": "d",
  });
});
