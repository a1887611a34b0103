import { AsyncLocalStorage } from "node:async_hooks";
import { expect, test } from "vitest";
import { HostError } from "./hosts.ts";
import { caller, connectorOf, failureOf, programOf, startHosts } from "./testing/programs.ts";
import type { Call } from "./testing/programs.ts";
import type { LogLine } from "./hosts.ts";

function started(methods: string, more: { readonly imports?: string; readonly hooks?: string } = {}): Call {
  return caller(startHosts(), programOf({ "connector.ts": connectorOf(methods, more) }));
}

test("describe returns what the class declares, including functions and priorities", async () => {
  const call = started("orders() { return []; }", {
    hooks: `
      subscribers() { return { "order.created": ["onOrder", { handler: () => 1, priority: 30 }], "*": ["onAny"] }; }
      identityProviders() { return { acme: "find" }; }
      registerActions() { return { "acme.refund": "refund" }; }
      handleWebhook(body) {}
      onOrder() {} onAny() {} find() {} refund() {}`,
  });
  expect(await call("", { hook: "describe" })).toEqual({
    key: "acme",
    subscribers: {
      "order.created": [
        { name: "onOrder", priority: null },
        { name: "order.created#1", priority: 30 },
      ],
      "*": [{ name: "onAny", priority: null }],
    },
    identity: ["acme"],
    context: ["orders"],
    actions: ["acme.refund"],
    webhook: true,
  });
});

test("each hook is called with its arguments and returns its result", async () => {
  const call = started("customer(given) { return [given, this.event]; }", {
    hooks: `
      subscribers() { return { "order.created": ["onOrder", (event) => { console.log("function", event.id); }] }; }
      identityProviders() { return { acme: "find" }; }
      registerActions() { return { "acme.refund": (parameters, run) => [parameters, run] }; }
      handleWebhook(body) { console.log("webhook", body.id); return "not told"; }
      onOrder(event) { console.log("method", event.id, this.event.id); return "not told"; }
      find(identifier) { return { email: identifier }; }
      tryIt() { return { ok: true, message: "fine" }; }
      quiet() {}`,
  });
  const log: LogLine[] = [];
  const event = { id: "evt_1", event: "order.created", timestamp: "2026-11-21T13:00:00.000Z", data: {} };
  expect(await call("onOrder", { hook: "subscriber", event, log })).toBeNull();
  expect(await call("order.created#1", { hook: "subscriber", event, log })).toBeNull();
  expect(await call("", { hook: "webhook", args: [{ id: "w1" }], log })).toBeNull();
  expect(await call("acme", { hook: "identity", args: ["a@b.c"] })).toEqual({ email: "a@b.c" });
  expect(await call("acme.refund", { hook: "action", args: [{ n: 1 }, { id: "run_1" }] })).toEqual([
    { n: 1 },
    { id: "run_1" },
  ]);
  expect(await call("customer", { args: [{ id: "cus_1" }] })).toEqual([{ id: "cus_1" }, null]);
  expect(await call("tryIt", { hook: "test" })).toEqual({ ok: true, message: "fine" });
  expect(await call("quiet", { hook: "test" })).toBeNull();
  expect(log.map(({ message }) => message)).toEqual(["method evt_1 evt_1", "function evt_1", "webhook w1"]);
});

test("methods that the class lacks, or inherits, are not called", async () => {
  const call = started("one() { return 1; }", { hooks: `subscribers() { return { x: ["fire"] }; }` });
  expect(await failureOf(call("two"))).toMatchObject({
    kind: "threw",
    message: 'contextProviders() does not name "two".',
  });
  expect(await failureOf(call("constructor"))).toMatchObject({ kind: "threw" });
  expect(await failureOf(call("fire", { hook: "subscriber" }))).toMatchObject({
    kind: "threw",
    message: 'The class has no method "fire".',
  });
  expect(await failureOf(call("constructor", { hook: "test" }))).toMatchObject({ kind: "threw" });
});

test("services receive the arguments of the methods and return their results", async () => {
  const asked: unknown[] = [];
  const call = started(`async all() {
      const fired = await this.fire("a.b", { n: 1 });
      const page = await this.http({ method: "GET", url: "https://a.example/", auth: "settings.api_key" });
      const found = await this.contacts.find({ email: "a@b.c" });
      await this.contacts.upsert({ external_id: "7" });
      await this.timeline.add("con_1", { text: "x" });
      await this.kv.set("k", { v: 1 }, { ttl_seconds: 5 });
      await this.kv.set("k", undefined);
      const swapped = await this.kv.cas("k", null, 2);
      await this.mail({ to: "a@b.c", subject: "s", text: "t" });
      return [fired, page.json, found, swapped, this.settings("api_key"), this.settings("none"), this.settings("toString")];
    }`);
  const answers: Record<string, never> = {
    fire: { id: "evt_1" } as never,
    http: { status: 200, headers: {}, body: '{"a":[1]}' } as never,
    "kv.cas": true as never,
  };
  const value = await call("all", {
    settings: { api_key: "secret:settings.api_key" },
    service: async (name, args) => {
      asked.push([name, ...args]);
      return await Promise.resolve(answers[name] ?? null);
    },
  });
  expect(value).toEqual([{ id: "evt_1" }, { a: [1] }, null, true, "secret:settings.api_key", null, null]);
  expect(asked).toEqual([
    ["fire", "a.b", { n: 1 }],
    ["http", { method: "GET", url: "https://a.example/", auth: "settings.api_key" }],
    ["contacts.find", { email: "a@b.c" }],
    ["contacts.upsert", { external_id: "7" }],
    ["timeline.add", "con_1", { text: "x" }],
    ["kv.set", "k", { v: 1 }, { ttl_seconds: 5 }],
    ["kv.set", "k", null],
    ["kv.cas", "k", null, 2],
    ["mail", { to: "a@b.c", subject: "s", text: "t" }],
  ]);
});

test("services run in the context of their call when another started the child", async () => {
  const contexts = new AsyncLocalStorage<string>();
  const call = started(`async ask() { return await this.kv.get("k"); }`);
  const service = async (): Promise<string> => await Promise.resolve(contexts.getStore() ?? "none");
  const within = async (name: string): Promise<unknown> =>
    await contexts.run(name, async () => await call("ask", { service }));
  expect([await within("first"), await within("second"), await call("ask", { service })]).toEqual([
    "first",
    "second",
    "none",
  ]);
});

test("a service's HostError keeps its code, and an internal error is hidden", async () => {
  const call = started(`async caught() {
      try { await this.kv.get("a"); } catch (error) { return [error instanceof HostError, error.name, error.code, error.message]; }
    }
    async uncaught() { await this.kv.get("a"); }`);
  const refused = async () => await Promise.reject(new HostError("not_declared", "Declare it."));
  expect(await call("caught", { service: refused })).toEqual([true, "HostError", "not_declared", "Declare it."]);
  expect(await failureOf(call("uncaught", { service: refused }))).toMatchObject({
    kind: "threw",
    code: "not_declared",
    message: "Declare it.",
  });
  const broken = async () => await Promise.reject(new Error("password of the database"));
  expect(await call("caught", { service: broken })).toEqual([true, "HostError", "failed", "kv.get failed."]);
});

test("an error shows its place in the connector's file, and no host path", async () => {
  const hosts = startHosts();
  const call = caller(
    hosts,
    programOf({
      "connector.ts": connectorOf("fail() { throw new TypeError(`odd ${import.meta.dirname} ${import.meta.url}`); }"),
    }),
  );
  const failure = await failureOf(call("fail"));
  expect(failure).toMatchObject({ kind: "threw", message: expect.stringMatching(/^TypeError: odd .*connector\.ts$/) });
  expect(failure.trace).toMatch(/at Acme\.fail \(connector\.ts:7:\d+\)$/m);
  expect(JSON.stringify([failure.message, failure.trace])).not.toContain(hosts.directory.slice(5));
});

test.each([
  ["throw null", "Thrown: null"],
  ["throw { toString() { throw 1; } }", "Something was thrown that cannot be shown."],
  ["throw Object.defineProperty(new Error('x'), 'stack', { get() { throw 1; } })", "x"],
  ["throw Object.defineProperty(new Error('x'), 'message', { get() { for (let i = 0; i < 9; i++); return {}; } })", ""],
  ["return 1n", "What the hook returned is not JSON: Do not know how to serialize a BigInt"],
  ["const a = {}; a.a = a; return a", "What the hook returned is not JSON"],
  ["return 'x'.repeat(5e6)", "What the hook returned has more than 4 MiB."],
  ["let a = 1; for (let i = 0; i < 100; i++) a = [a]; return a", "What the hook returned is nested more than 60"],
  ["return { toJSON() { throw new Error('no') } }", "What the hook returned is not JSON: no"],
])("any thrown or returned value fails only its call: %s", async (body, message) => {
  const call = started(`odd() { ${body}; }
    fine() { return 1; }`);
  const failure = await failureOf(call("odd"));
  expect(failure.kind).toBe("threw");
  expect(failure.message).toContain(message);
  expect(await call("fine")).toBe(1);
});

test.each([
  ["export class { ", "SyntaxError"],
  ["throw new Error('at the top');", "at the top"],
  ["export const a = 1;", "exports no class that extends AbstractConnector"],
  [
    'import { AbstractConnector } from "@junction/connector"; export class A extends AbstractConnector {} export class B extends AbstractConnector {}',
    "more than one class",
  ],
  ['import "left-pad";', '"left-pad" cannot be imported'],
  ["enum A { B }", "enum"],
])("a file that does not load fails each call with the reason: %s", async (source, message) => {
  const hosts = startHosts();
  const call = caller(hosts, programOf({ "connector.ts": source }));
  for (let time = 0; time < 2; time += 1) {
    const failure = await failureOf(call("x"));
    expect(failure.kind).toBe("threw");
    expect(failure.message).toContain(message);
  }
  expect(hosts.crashes).toEqual([]);
});

test("a connector can have files that import each other, including types and JSON", async () => {
  const files = {
    "connector.ts": connectorOf("sum(list: number[]) { return total(list) + more.three; }", {
      imports: 'import { total } from "./lib/total.ts";\nimport more from "./lib/more.json" with { type: "json" };',
    }),
    "lib/total.ts":
      "export function total(list: readonly number[]): number { return list.reduce((a, b) => a + b, 0); }",
    "lib/more.json": '{"three":3}',
  };
  expect(await caller(startHosts(), programOf(files))("sum", { args: [[1, 2]] })).toBe(6);
});

test("each call has a new instance, and its own event, settings and time", async () => {
  const call = started(
    `async count() { this.n = (this.n ?? 0) + 1; await this.kv.get("x"); return [this.n, this.settings("a"), this.now()]; }`,
  );
  const all = await Promise.all([1, 2, 3].map(async (a) => await call("count", { settings: { a } })));
  expect(all).toEqual([1, 2, 3].map((a) => [1, a, expect.stringMatching(/^2026-11-21T13:00:/)]));
});

test("printed and logged lines belong to their call, up to a hundred", async () => {
  const call = started(`async chat(name) {
      console.log("%s has %d", name, 1, { a: 1 });
      await this.kv.get("x");
      console.warn("careful");
      this.log("error", "bad " + name, { a: [1] });
      this.log("odd", { b: 1 }, { n: 1n });
    }
    async flood() { for (let i = 0; i < 1000; i++) console.log(i); return "done"; }
    long() { console.log("x".repeat(1e6)); this.log("info", "m", { long: "x".repeat(1e5) }); }`);
  const logs: LogLine[][] = [[], []];
  await Promise.all(["a", "b"].map(async (name, at) => await call("chat", { args: [name], log: logs[at] ?? [] })));
  for (const [at, name] of ["a", "b"].entries()) {
    expect(logs[at]).toEqual([
      { level: "info", message: `${name} has 1 { a: 1 }` },
      { level: "warning", message: "careful" },
      { level: "error", message: `bad ${name}`, fields: { a: [1] } },
      { level: "info", message: "{ b: 1 }" },
    ]);
  }
  const flood: LogLine[] = [];
  expect(await call("flood", { log: flood })).toBe("done");
  expect(flood).toHaveLength(101);
  expect(flood.at(-1)).toEqual({ level: "warning", message: "900 more lines are left out." });
  const long: LogLine[] = [];
  await call("long", { log: long });
  expect(long).toEqual([
    { level: "info", message: "x".repeat(8192) },
    { level: "info", message: "m" },
  ]);
});

test("an unhandled rejection fails the call that caused it", async () => {
  const call = started(`async forget() { void Promise.reject(new Error("lost")); await this.kv.get("x"); return 1; }
    fine() { return 1; }`);
  const failure = await failureOf(call("forget"));
  expect(failure).toMatchObject({ kind: "threw", message: "A promise was rejected without a handler: lost" });
  expect(await call("fine")).toBe(1);
});

test("a call that has ended cannot use services or log", async () => {
  const asked: string[] = [];
  const log: LogLine[] = [];
  const call = started(
    `leave() {
      setTimeout(() => { this.log("info", "late"); this.kv.get("late").catch((error) => { left = error.code; }); }, 20);
    }
    async look() { await new Promise((resolve) => setTimeout(resolve, 60)); return left; }`,
    {
      imports: "let left = null;",
    },
  );
  const service = async (name: string) => await Promise.resolve(asked.push(name));
  await call("leave", { service, log });
  expect(await call("look")).toBe("invalid");
  expect([asked, log]).toEqual([[], []]);
});

test("a call has at most 16 concurrent service requests", async () => {
  let open = 0;
  let most = 0;
  const call = started(
    `async many() { return (await Promise.all(Array.from({ length: 200 }, (_, n) => this.kv.get(String(n))))).length; }`,
  );
  const value = await call("many", {
    service: async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 1));
      open -= 1;
      return null;
    },
  });
  expect(value).toBe(200);
  expect(most).toBe(16);
});

test("values that exceed a line's limit are refused in both directions", async () => {
  const call = started(`async ask() { await this.kv.set("a", "x".repeat(5e6)); }
    async get() { return await this.kv.get("a"); }
    echo(value) { return value.length; }`);
  expect(await failureOf(call("ask"))).toMatchObject({ kind: "threw", code: "too_large" });
  const large = async () => await Promise.resolve("ä".repeat(3e6));
  expect(await failureOf(call("get", { service: large }))).toMatchObject({ kind: "threw", code: "too_large" });
  expect(await call("echo", { args: ["ä".repeat(2e6)] })).toBe(2e6);
  expect(await failureOf(call("echo", { args: ["ä".repeat(3e6)] }))).toMatchObject({ kind: "unavailable" });
});

test("a runtime that this machine lacks is reported as missing", async () => {
  const hosts = startHosts();
  const call = caller(hosts, programOf({ "connector.php": "<?php" }, { runtime: "php" }));
  expect(await failureOf(call("x"))).toMatchObject({ kind: "unavailable", message: expect.stringContaining("php") });
  expect(await hosts.report()).toMatchObject({
    runtimes: { ts: { backend: "node", version: process.versions.node }, php: { missing: expect.any(String) } },
    children: 0,
  });
});
