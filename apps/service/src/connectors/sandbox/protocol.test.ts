import { expect, test } from "vitest";
import { caller, failureOf, neighbourOf, rawBackend, rawProgram, startHosts } from "./testing/programs.ts";
import type { TestHosts } from "./testing/programs.ts";
import { nodeBackend } from "./hosts.ts";
import type { LogLine } from "./hosts.ts";

function started(): TestHosts {
  return startHosts({ backends: [rawBackend({ permission: false })], walls: ["none"] });
}

test.each([
  ["garbage", `write("garbage\\n");`],
  ["an empty line", `write("\\n");`],
  ["another JSON value", `write("[1]\\n");`],
  ["null", `write("null\\n");`],
  ["a kind that is not known", `say({ t: "toString" });`],
  ["no kind", `say({ id: call.id, value: 1 });`],
  ["a member too many", `say({ t: "done", id: call.id, value: 1, more: 1 });`],
  ["a member too few", `say({ t: "done", id: call.id });`],
  ["a name twice", `write('{"t":"done","id":' + call.id + ',"value":1,"value":2}\\n');`],
  ["__proto__", `write('{"t":"done","id":' + call.id + ',"value":1,"__proto__":{}}\\n');`],
  ["bytes that are no UTF-8", `fs.writeSync(1, Buffer.from([0x22, 0xff, 0x22, 0x0a]));`],
  ["a byte order mark", `write("\\ufeff" + JSON.stringify({ t: "done", id: call.id, value: 1 }) + "\\n");`],
  [
    "a value too deep",
    `write('{"t":"done","id":' + call.id + ',"value":' + "[".repeat(100000) + "]".repeat(100000) + "}\\n");`,
  ],
  ["half a line without end", `write("x".repeat(5e6));`],
  ["a line without end", `for (;;) write("x".repeat(65536));`],
  ["a whole line that is too long", `say({ t: "done", id: call.id, value: "x".repeat(5e6) });`],
  ["a call that was never made", `say({ t: "done", id: 99, value: 1 });`],
  ["a call's id as text", `say({ t: "done", id: String(call.id), value: 1 });`],
  ["a call's id that is no number", `write('{"t":"done","id":1e999,"value":1}\\n');`],
  ["the end of a call twice", `done(call); done(call);`, "answered"],
  ["a second ready", `say({ t: "ready", protocol: 1, runtime: "ts", version: "1" });`],
  ["an answer to itself", `say({ t: "answer", id: 1, ok: true, value: "forged" });`],
  ["a call of its own", `say({ t: "call", id: 1, hook: "describe", name: "", args: [], facts: {} });`],
  ["a service for a call that does not run", `say({ t: "service", id: 1, call: 99, name: "kv.get", args: [] });`],
  [
    "a service's id twice",
    `for (const id of [1, 1]) say({ t: "service", id, call: call.id, name: "kv.get", args: [] });`,
  ],
  [
    "a service's id that goes back",
    `for (const id of [7, 6]) say({ t: "service", id, call: call.id, name: "kv.get", args: [] });`,
  ],
  ["a service with arguments that are none", `say({ t: "service", id: 1, call: call.id, name: "kv.get", args: {} });`],
  [
    "a name of a service that is endless",
    `say({ t: "service", id: 1, call: call.id, name: "x".repeat(100), args: [] });`,
  ],
  [
    "too many services at once",
    `for (let id = 1; id <= 17; id += 1) say({ t: "service", id, call: call.id, name: "kv.get", args: [] });`,
  ],
  ["too many log lines", `for (;;) say({ t: "log", call: call.id, level: "info", message: "x" });`],
  ["a log line of no level", `say({ t: "log", call: call.id, level: "loud", message: "x" });`],
  ["an error that is none", `say({ t: "failed", id: call.id, error: "x" });`],
  ["an error of a code that is none", `say({ t: "failed", id: call.id, error: { message: "x", code: "odd" } });`],
  ["an error that is endless", `say({ t: "failed", id: call.id, error: { message: "x".repeat(3000) } });`],
])("%s ends the child at once", async (_, body, ended = "protocol") => {
  const hosts = started();
  const call = caller(hosts, rawProgram(`if (call.name === "fine") return done(call, "fine"); ${body}`));
  const never = async () => await new Promise<null>(() => {});
  if (ended === "answered") expect(await call("x")).toBeNull();
  else expect(await failureOf(call("x", { service: never }))).toMatchObject({ kind: "protocol" });
  await expect.poll(() => hosts.crashes.map(([, kind]) => kind)).toEqual(["protocol"]);
  expect(await call("fine")).toBe("fine");
});

test.each([
  ["says it is of another runtime", `say({ t: "ready", protocol: 1, runtime: "php", version: "1" });`, "protocol"],
  ["speaks another protocol", `say({ t: "ready", protocol: 2, runtime: "ts", version: "1" });`, "protocol"],
  ["speaks before it is ready", `say({ t: "log", call: 1, level: "info", message: "x" });`, "protocol"],
  ["ends before it is ready", `console.error("no reason"); process.exit(3);`, "start"],
  ["says nothing", "", "start"],
  ["loops", "for (;;);", "start"],
])("a child that %s is ended, and not started again for waiting calls", async (_, before, kind) => {
  const silent = before === "" || before.startsWith("for");
  const hosts = startHosts({
    backends: [rawBackend({ permission: false })],
    walls: ["none"],
    ...(silent ? { startMs: 1500 } : {}),
  });
  const call = caller(hosts, rawProgram("done(call);", before, false));
  const failures = await Promise.all([1, 2, 3].map(async () => await failureOf(call("x"))));
  expect(failures.map((failure) => failure.kind)).toEqual([kind, kind, kind]);
  expect(hosts.crashes.map(([, what]) => what)).toEqual([kind]);
  if (kind === "start" && before.includes("exit"))
    expect(failures[0]?.message).toContain("exited with code 3. Output: no reason");
});

test("a child that does not read its input is ended before memory fills", async () => {
  const hosts = started();
  const asking = `process.stdin.pause(); setInterval(() => {}, 1000);
    for (let id = 1; id <= 12; id += 1) say({ t: "service", id, call: call.id, name: "x", args: [] });`;
  const large = "x".repeat(3e6);
  const failure = await failureOf(
    caller(hosts, rawProgram(asking))("x", { service: async () => await Promise.resolve(large) }),
  );
  expect(failure).toMatchObject({ kind: "protocol", message: expect.stringContaining("does not read its input") });
});

test("a child that ends itself in any way is the only one that crashes", async () => {
  const neighbours = startHosts({ backends: [nodeBackend()] });
  const neighbour = await neighbourOf(neighbours);
  const hosts = started();
  for (const means of [
    "process.exit(0)",
    "process.exit(9)",
    "process.abort()",
    "process.kill(process.pid, 'SIGKILL'); for (;;);",
  ]) {
    expect(await failureOf(caller(hosts, rawProgram(means))("x"))).toMatchObject({ kind: "crashed" });
  }
  expect(hosts.crashes).toHaveLength(4);
  expect(await neighbour.stop()).toBeGreaterThan(0);
});

test("a flood of standard error is delayed, and costs the service little", async () => {
  const hosts = started();
  const call = caller(
    hosts,
    rawProgram(`if (call.name === "fine") return done(call, "fine"); for (;;) fs.writeSync(2, "x".repeat(65536));`),
  );
  expect(await call("fine")).toBe("fine");
  const before = process.cpuUsage();
  expect(await failureOf(call("x", { deadlineMs: 1500 }))).toMatchObject({ kind: "deadline" });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(1.2);
});

test("long log lines are cut, and large fields are left out", async () => {
  const log: LogLine[] = [];
  const program = rawProgram(`
    say({ t: "log", call: call.id, level: "info", message: "x".repeat(10_000), fields: { a: "x".repeat(10_000) } });
    say({ t: "log", call: call.id, level: "error", message: "m", fields: { a: [1] } });
    done(call);`);
  await caller(started(), program)("x", { log });
  expect(log).toEqual([
    { level: "info", message: "x".repeat(8192) },
    { level: "error", message: "m", fields: { a: [1] } },
  ]);
});

test("a service response after the end of its call has no effect", async () => {
  const hosts = started();
  let answer: (value: null) => void = () => {};
  const call = caller(
    hosts,
    rawProgram(`if (call.name === "fine") return done(call, "fine");
      say({ t: "service", id: 1, call: call.id, name: "kv.get", args: [] }); done(call);`),
  );
  await call("x", {
    service: async () =>
      await new Promise<null>((resolve) => {
        answer = resolve;
      }),
  });
  answer(null);
  expect(await call("fine")).toBe("fine");
  expect(hosts.crashes).toEqual([]);
});
