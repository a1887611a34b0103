import { expect, test } from "vitest";
import { operation } from "../../access/access.ts";
import type { Bound, NamedOperation as Named, OperationSchema } from "../../access/access.ts";
import { scanJson } from "../../lib/lib.ts";
import { writers } from "../../accounts/accounts.ts";
import { bind } from "./general.ts";

function named(name: string, schema: OperationSchema): [string, Named] {
  return [name, { operation: operation({ name, access: "write", callers: writers }), schema }];
}

const names = (...all: string[]): { properties: Record<string, object> } => ({
  properties: Object.fromEntries(all.map((name) => [name, {}])),
});
const contracts = named("actions.run", { body: names("action", "parameters", "confirmed", "prompt") });
const table = new Map([
  contracts,
  named("proposals.update", { params: names("id"), body: names("parameters") }),
  named("things.update", { params: names("id"), querystring: names("dry"), body: names("id", "name") }),
]);

function bound(text: string): Bound<Named> | undefined {
  return bind(table, scanJson(Buffer.from(text)));
}

test("an action that names no operation calls a contract through actions.run", () => {
  const call = bound('{"action":"crm.refund","parameters":{"n":1.0},"confirmed":true,"prompt":"p"}');
  expect(call?.entry.operation.name).toBe("actions.run");
  expect(call?.body).toEqual({ action: "crm.refund", parameters: { n: 1 }, confirmed: true, prompt: "p" });
  expect(call?.scanned.slice(["parameters"])).toBe('{"n":1.0}');
  expect(call?.pointer("/parameters/n")).toBe("/parameters/n");
});

test("actions.run by name takes the contract's key under parameters, and confirmed on either level", () => {
  for (const text of [
    '{"action":"actions.run","confirmed":true,"parameters":{"action":"crm.refund","parameters":{"n":1}}}',
    '{"action":"actions.run","parameters":{"action":"crm.refund","parameters":{"n":1},"confirmed":true}}',
  ]) {
    const call = bound(text);
    expect([call?.body, call?.fault]).toEqual([
      { action: "crm.refund", parameters: { n: 1 }, confirmed: true },
      undefined,
    ]);
    expect(call?.pointer("/parameters/n")).toBe("/parameters/parameters/n");
    expect(call?.scanned.slice(["parameters", "n"])).toBe("1");
  }
});

test("without contracts, an action that names no operation is unknown", () => {
  expect(bind(new Map(), scanJson(Buffer.from('{"action":"crm.refund"}')))).toBeUndefined();
});

test("an argument named parameters is distinguished from the container", () => {
  for (const text of [
    '{"action":"proposals.update","id":"prop_1","parameters":{"n":1}}',
    '{"action":"proposals.update","parameters":{"id":"prop_1","parameters":{"n":1}}}',
  ]) {
    const call = bound(text);
    expect([call?.params, call?.body]).toEqual([{ id: "prop_1" }, { parameters: { n: 1 } }]);
    expect(call?.scanned.text).toBe('{"parameters":{"n":1}}');
  }
});

test("an argument fills the path first, then the query, then the body", () => {
  const call = bound('{"action":"things.update","id":"a","dry":true,"parameters":{"name":"b"}}');
  expect([call?.params, call?.query, call?.body]).toEqual([{ id: "a" }, { dry: true }, { name: "b" }]);
});

test("an argument named __proto__ is accepted, and a non-object names no operation", () => {
  const call = bound('{"action":"things.update","id":"a","__proto__":{"x":1}}');
  expect(Object.keys(Object(call?.body))).toEqual(["__proto__"]);
  expect(call?.scanned.slice(["__proto__"])).toBe('{"x":1}');
  for (const text of ["null", "[]", '"x"', "{}", '{"action":1}', '{"action":null}'])
    expect(bound(text)).toBeUndefined();
});
