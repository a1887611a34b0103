import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { Wall } from "./wall.ts";
import { caller, connectorOf, failureOf, programOf, rawBackend, rawProgram, startHosts } from "./testing/programs.ts";

const PID = "const started = Math.random();";
const COUNTING = connectorOf(
  `child() { return started; }
  async ask() { await this.kv.get("x"); return started; }
  async slow(ms) { await new Promise((resolve) => setTimeout(resolve, ms)); return started; }
  async askSlow(ms) { await this.kv.get("x"); await new Promise((resolve) => setTimeout(resolve, ms)); return started; }
  exit() { setTimeout(() => { throw new Error("down"); }, 1); return new Promise(() => {}); }
  exitSoon() { setTimeout(() => { throw new Error("down"); }, 100); return new Promise(() => {}); }
  loop() { for (;;); }`,
  { imports: PID },
);

test("a process exists only while there are calls, and until it is idle", async () => {
  const hosts = startHosts({ idleMs: 500 });
  const call = caller(hosts, programOf({ "connector.ts": COUNTING }));
  expect(await hosts.report()).toMatchObject({ children: 0 });
  const children = await Promise.all([1, 2, 3].map(async () => await call("child")));
  expect(new Set(children).size).toBe(1);
  expect(await hosts.report()).toMatchObject({ children: 1, running: 0, waiting: 0 });
  await expect.poll(async () => (await hosts.report()).children).toBe(0);
  expect(processesWith(hosts.directory)).toEqual([]);
  expect(readdirSync(`${hosts.directory}/${readdirSync(hosts.directory)[0]}`)).toEqual(["empty"]);
  expect(await call("child")).not.toBe(children[0]);
  expect(hosts.crashes).toEqual([]);
});

test("each program has its own child, and another version replaces it after its calls", async () => {
  const hosts = startHosts();
  const first = programOf({ "connector.ts": COUNTING });
  const call = caller(hosts, first);
  const other = await caller(hosts, programOf({ "connector.ts": COUNTING }))("child");
  const before = await call("child");
  expect(other).not.toBe(before);
  const slow = call("slow", { args: [400] });
  const after = await caller(hosts, { ...first, digest: "next" })("child");
  expect(after).not.toBe(before);
  expect(await slow).toBe(before);
});

test("a child runs 16 calls at once, others wait, and an excess is refused", async () => {
  const hosts = startHosts();
  const call = caller(hosts, programOf({ "connector.ts": COUNTING }));
  await call("child");
  const calls = Array.from(
    { length: 300 },
    async () => await call("slow", { args: [100] }).catch((error: unknown) => error),
  );
  expect(await hosts.report()).toMatchObject({ running: 16, waiting: 256 });
  const ended = await Promise.all(calls);
  const refused = ended.filter((one) => typeof one !== "number");
  expect(refused).toHaveLength(300 - 16 - 256);
  expect(refused[0]).toMatchObject({ kind: "unavailable", message: "Too many calls are waiting for the connector." });
});

test("a call that waits too long for a busy child is refused", async () => {
  const hosts = startHosts({ waitMs: 300, backends: [{ ...rawBackend({ permission: false }), calls: 1 }] });
  const call = caller(
    hosts,
    rawProgram(`if (call.name === "fine") return done(call, "fine");
      answers.push(() => done(call, "held"));
      say({ t: "service", id: 1, call: call.id, name: "x", args: [] });`),
  );
  // The call also waits for the start of the child, which may take longer.
  await expect.poll(async () => await call("fine").catch(() => null)).toBe("fine");
  let release: (value: null) => void = () => {};
  const held = call("hold", { service: async () => await new Promise<null>((resolve) => (release = resolve)) });
  expect(await failureOf(call("fine"))).toMatchObject({
    kind: "unavailable",
    message: expect.stringContaining("busy"),
  });
  release(null);
  expect(await held).toBe("held");
});

test("a serial runtime runs one call at a time, in order", async () => {
  const hosts = startHosts({ backends: [{ ...rawBackend({ permission: false }), calls: 1 }] });
  const call = caller(
    hosts,
    rawProgram(
      `if (globalThis.busy) return done(call, "two at once"); globalThis.busy = true; setTimeout(() => { globalThis.busy = false; done(call, (globalThis.n = (globalThis.n ?? 0) + 1)); }, 5);`,
    ),
  );
  expect(await Promise.all([1, 2, 3, 4].map(async () => await call("x")))).toEqual([1, 2, 3, 4]);
});

test("calls of a child that another call ended are repeated only without effects", async () => {
  const hosts = startHosts();
  const call = caller(hosts, programOf({ "connector.ts": COUNTING }));
  const before = await call("child");
  const idle = call("slow", { args: [2000] });
  let asked = Promise.resolve<unknown>(null);
  await new Promise<void>((resolve) => {
    const service = async () => {
      resolve();
      return await Promise.resolve(null);
    };
    asked = failureOf(call("askSlow", { args: [2000], service }));
  });
  const loop = failureOf(call("loop", { deadlineMs: 200 }));
  expect(await loop).toMatchObject({ kind: "deadline" });
  expect(await asked).toMatchObject({
    kind: "crashed",
    message: expect.stringContaining("Another call ended the process"),
  });
  expect(await idle).not.toBe(before);
  expect(hosts.crashes.map(([, kind]) => kind)).toEqual(["deadline"]);
});

test("calls of a child without a known culprit are repeated alone, and one fails", async () => {
  const hosts = startHosts();
  const call = caller(hosts, programOf({ "connector.ts": COUNTING }));
  await call("child");
  const slow = [1, 2, 3].map(async () => await call("slow", { args: [200] }));
  const culprit = failureOf(call("exitSoon"));
  expect(new Set(await Promise.all(slow)).size).toBeGreaterThan(0);
  expect(await culprit).toMatchObject({ kind: "crashed", message: expect.stringContaining("Error: down") });
  expect(hosts.crashes.map(([, kind]) => kind)).toEqual(["crashed", "crashed"]);
});

test("the child that was idle longest makes room when all places are taken", async () => {
  const hosts = startHosts({ maxChildren: 2 });
  const [a, b, c] = [1, 2, 3].map(() => caller(hosts, programOf({ "connector.ts": COUNTING })));
  if (a === undefined || b === undefined || c === undefined) throw new Error("Three programs were made.");
  const [first, second] = [await a("child"), await b("child")];
  expect(await a("child")).toBe(first);
  await c("child");
  expect(await hosts.report()).toMatchObject({ children: 2 });
  expect(await a("child")).toBe(first);
  expect(await b("child")).not.toBe(second);
});

test("busy programs take turns when there are more programs than places", { timeout: 120_000 }, async () => {
  const hosts = startHosts({ maxChildren: 1, waitMs: 100_000 });
  let stopped = false;
  const answered = [0, 0, 0];
  const busy = answered.map(async (_, at) => {
    const call = caller(hosts, programOf({ "connector.ts": COUNTING }));
    while (!stopped) {
      await Promise.all([call("slow", { args: [20] }), call("slow", { args: [30] })]);
      answered[at] = (answered[at] ?? 0) + 1;
    }
  });
  await expect.poll(() => answered.every((count) => count > 3), { timeout: 100_000 }).toBe(true);
  stopped = true;
  await Promise.all(busy);
  expect(hosts.crashes).toEqual([]);
});

test("ending a program, or stopping, fails its calls and leaves no process or file", async () => {
  const hosts = startHosts();
  const program = programOf({ "connector.ts": COUNTING });
  const call = caller(hosts, program);
  const other = caller(hosts, programOf({ "connector.ts": COUNTING }));
  const before = await call("child");
  const running = [failureOf(call("loop")), failureOf(call("slow", { args: [9] }))];
  await sleep(50);
  await hosts.end(program.id);
  expect((await Promise.all(running)).map(({ kind }) => kind)).toEqual(["unavailable", "unavailable"]);
  expect(await call("child")).not.toBe(before);
  const last = failureOf(other("slow", { args: [60_000] }));
  await sleep(300);
  await hosts.stop();
  expect((await last).kind).toBe("unavailable");
  expect(await failureOf(call("child"))).toMatchObject({ kind: "unavailable" });
  expect(processesWith(hosts.directory)).toEqual([]);
  expect(readdirSync(hosts.directory)).toEqual([]);
  expect(hosts.crashes).toEqual([]);
});

test("a program with missing files or invalid paths does not start", async () => {
  const hosts = startHosts();
  const lost = { ...programOf({}), files: async () => await Promise.reject(new Error("ENOENT /secret/path")) };
  const failure = await failureOf(caller(hosts, lost)("x"));
  expect(failure).toMatchObject({ kind: "start", message: "The connector's process could not be started." });
  for (const path of ["../x.ts", "/etc/x.ts", "a/../../x.ts", "a//b.ts", ".hidden", "a\\b.ts", "a\0b.ts", ""]) {
    expect(await failureOf(caller(hosts, programOf({ [path]: "" }))("x"))).toMatchObject({ kind: "start" });
  }
  expect(hosts.crashes).toEqual([]);
});

test.each<Wall>(["namespaces", "none"])("no child survives a killed service: %s", async (wall) => {
  const script = fileURLToPath(new URL("testing/killed.ts", import.meta.url));
  const hosts = startHosts();
  const service = spawn(process.execPath, [script, hosts.directory, wall], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void service.kill("SIGKILL"));
  await new Promise<void>((resolve) => service.stdout.once("data", () => resolve()));
  expect(processesWith(`-${service.pid}-`).length).toBeGreaterThanOrEqual(2);
  service.kill("SIGKILL");
  await expect.poll(() => processesWith(`-${service.pid}-`)).toEqual([]);
  // The next service removes the killed service's files.
  await caller(hosts, programOf({ "connector.ts": COUNTING }))("child");
  expect(readdirSync(hosts.directory)).toEqual([expect.stringMatching(`^hosts-\\w+-${process.pid}-`)]);
});

/** Returns the command lines of processes that contain a text. */
function processesWith(text: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "latin1");
      } catch {
        return "";
      }
    })
    .filter((line) => line.includes(text) && !line.includes("killed.ts"));
}
