import { expect, test } from "vitest";
import type { FailureKind, LogLine } from "./hosts.ts";
import { caller, connectorOf, failureOf, neighbourOf, programOf, startHosts } from "./testing/programs.ts";

interface Ended {
  readonly kind: FailureKind;
  readonly message: string;
  /** The reasons for which its child was ended. */
  readonly crashes: readonly string[];
}

/**
 * Runs attacks, each in a separate program, while a neighbor is called all the time. Each program must be able to
 * answer again afterwards.
 */
async function attack(bodies: readonly string[], deadlineMs: number): Promise<readonly Ended[]> {
  const hosts = startHosts();
  const neighbour = await neighbourOf(hosts);
  const ended = await Promise.all(
    bodies.map(async (body) => {
      const program = programOf({
        "connector.ts": connectorOf(`async attack() { ${body} }\n  fine() { return "fine"; }`),
      });
      const call = caller(hosts, program);
      expect(await call("fine")).toBe("fine");
      const { kind, message } = await failureOf(call("attack", { deadlineMs }));
      expect(await call("fine")).toBe("fine");
      return { kind, message, crashes: hosts.crashes.filter(([id]) => id === program.id).map(([, what]) => what) };
    }),
  );
  expect(await neighbour.stop()).toBeGreaterThan(0);
  return ended;
}

test("code that does not end is ended at its deadline", { timeout: 90_000 }, async () => {
  const bodies = [
    "for (;;);",
    "await new Promise(() => {});",
    "await new Promise((resolve) => setTimeout(resolve, 60_000));",
    "for (;;) await null;",
    "const regex = /^(a+)+$/; regex.test('a'.repeat(40) + 'b');",
    "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);",
  ];
  const ended = await attack(bodies, 1000);
  expect(ended).toEqual(
    bodies.map(() => ({
      kind: "deadline",
      message: "context attack took longer than 1000 ms.",
      crashes: ["deadline"],
    })),
  );
});

test.each([
  "const all = []; for (;;) all.push({ n: all.length });",
  "const all = []; for (;;) all.push(Buffer.alloc(8 * 1024 * 1024, 1));",
  "const all = []; for (;;) { all.push(Buffer.alloc(1024 * 1024, 1)); await new Promise((r) => setTimeout(r, 1)); }",
  "const m = new WebAssembly.Memory({ initial: 6000 }); new Uint8Array(m.buffer).fill(1); await new Promise(() => {});",
])("code that uses all available memory is ended: %s", async (body) => {
  expect(await attack([body], 20_000)).toEqual([
    { kind: "memory", message: expect.stringContaining("memory"), crashes: ["memory"] },
  ]);
});

/** Returns the outcome of each attempt of a connector: the message of an error, or the result. */
async function outcomes(attempts: readonly string[]): Promise<unknown> {
  const tries = attempts.map((attempt) => `async () => ${attempt}`).join(",\n");
  const source = connectorOf(`async attack() {
      const outcomes = [];
      for (const attempt of [${tries}]) {
        try { outcomes.push({ got: String(await attempt()) }); } catch (error) { outcomes.push(error.message); }
      }
      return outcomes;
    }`);
  const hosts = startHosts();
  const answer = await caller(hosts, programOf({ "connector.ts": source }))("attack");
  expect(hosts.crashes).toEqual([]);
  return answer;
}

test("a connector imports its own files and modules that only compute, and nothing else", async () => {
  const builtins = `node:child_process child_process node:worker_threads node:cluster node:net node:http node:http2 node:dgram node:dns
    node:tls node:inspector node:fs fs/promises node:process node:os node:module node:vm node:v8 node:wasi node:sqlite node:ffi
    node:async_hooks node:diagnostics_channel`;
  const specifiers = [
    ...builtins.split(/\s+/),
    "/etc/passwd",
    "file:///etc/passwd",
    "data:text/javascript,export default 1",
    "https://example.com/x.js",
    "undici",
    "../../../../etc/passwd",
    "./connector.ts?again",
    "./%2e%2e%2f%2e%2e%2fx.ts",
    "@junction/connector/src/binding.ts",
  ];
  const ended = await outcomes(specifiers.map((specifier) => `import(${JSON.stringify(specifier)})`));
  expect(ended).toEqual(specifiers.map(() => expect.stringContaining("cannot be imported")));
});

test("globals with access to the outside do not exist", async () => {
  const attempts = [
    "fetch('http://127.0.0.1:1/')",
    "new WebSocket('ws://127.0.0.1:1/')",
    "process.exit(0)",
    "process.kill(process.ppid, 9)",
    "process.getBuiltinModule('node:fs').readFileSync('/etc/passwd')",
    "process.binding('spawn_sync')",
    "process.stdout.write('x')",
    "Function('return process')().kill(1, 9)",
    "require('node:fs')",
    "import.meta.require('node:fs')",
  ];
  expect(await outcomes(attempts)).toEqual(
    attempts.map(() =>
      expect.stringMatching(/is not there for|is not a (function|constructor)|is not defined|undefined \(reading/),
    ),
  );
});

test("the environment is empty", async () => {
  const call = caller(
    startHosts(),
    programOf({ "connector.ts": connectorOf("look() { return [process.env, process.argv]; }") }),
  );
  expect(await call("look")).toEqual([{}, []]);
});

test("Node's internal process object cannot be found, or has lost its dangerous methods", async () => {
  const source = connectorOf(
    `async look() {
      const found = [];
      const { emit } = EventEmitter.prototype;
      EventEmitter.prototype.emit = function (...args) { found.push(this); return Reflect.apply(emit, this, args); };
      Error.prepareStackTrace = (_, sites) => { for (const site of sites) found.push(site.getThis(), site.getFunction()); };
      new Error("x").stack;
      Promise.reject(new Error("y")).catch(() => {});
      setTimeout(() => {}, 0);
      await new Promise((resolve) => setTimeout(resolve, 20));
      const reaching = ["kill", "_kill", "reallyExit", "binding", "dlopen", "getBuiltinModule", "_debugProcess", "setuid", "stdout"];
      return found.filter((one) => one != null && reaching.some((name) => one[name] !== undefined)).length;
    }`,
    { imports: 'import { EventEmitter } from "node:events";' },
  );
  expect(await caller(startHosts(), programOf({ "connector.ts": source }))("look")).toBe(0);
});

test("tampering with the language and uncaught errors affect no other program", { timeout: 90_000 }, async () => {
  const attacks: readonly (readonly [string, readonly FailureKind[]])[] = [
    [
      "JSON.parse = () => ({ t: 'answer', id: 1 }); JSON.stringify = () => 'x'; await this.kv.get('a'); throw new Error('still here');",
      ["threw"],
    ],
    [
      "Object.prototype.t = 'answer'; Object.prototype.ok = true; Object.prototype.value = 'forged'; throw new Error(await this.kv.get('a'));",
      ["threw", "protocol", "crashed"],
    ],
    [
      "Object.defineProperty(Object.prototype, 'toJSON', { value: () => ({ t: 'ready' }) }); await this.kv.get('a');",
      ["protocol", "threw"],
    ],
    [
      "Object.defineProperty(Object.prototype, 'id', { get() { return 99; }, set() {} }); await this.kv.get('a'); throw new Error('still here');",
      ["threw", "protocol", "crashed"],
    ],
    [
      "Promise.prototype.then = () => { throw new Error('no'); }; await this.kv.get('a'); throw new Error('still here');",
      ["threw", "crashed", "deadline"],
    ],
    [
      "globalThis.Promise = class {}; globalThis.Map = class {}; await this.kv.get('a'); throw new Error('still here');",
      ["threw"],
    ],
    [
      "Map.prototype.get = () => undefined; await this.kv.get('a'); throw new Error('still here');",
      ["threw", "deadline"],
    ],
    [
      "Array.prototype.push = () => { throw new Error('no'); }; console.log('x'); await this.kv.get('a'); throw new Error('x');",
      ["threw", "crashed", "deadline"],
    ],
    [
      "Buffer.concat = Buffer.from = () => { throw new Error('no'); }; await this.kv.get('a'); throw new Error('x');",
      ["threw", "crashed"],
    ],
    ["setTimeout(() => { throw new Error('from nowhere'); }, 1); await new Promise(() => {});", ["crashed"]],
    ["const down = () => down() + 1; down();", ["threw"]],
  ];
  const ended = await attack(
    attacks.map(([body]) => body),
    6000,
  );
  const odd = attacks.filter(([, kinds], at) => {
    const { kind, crashes } = ended[at] ?? { kind: "start", crashes: [] };
    return !kinds.includes(kind) || crashes.join(",") !== (kind === "threw" ? "" : kind);
  });
  expect(odd).toEqual([]);
});

test("a flood of lines, standard error and log is limited and costs little", async () => {
  const hosts = startHosts();
  const source = connectorOf(`
    async attack() {
      setInterval(() => { for (let i = 0; i < 1000; i++) console.error("x".repeat(8000)); }, 1);
      for (let i = 0; i < 100_000; i++) this.log("info", "x".repeat(1000));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    fine() { return "fine"; }`);
  const program = programOf({ "connector.ts": source });
  const call = caller(hosts, program);
  const neighbour = await neighbourOf(hosts);
  const log: LogLine[] = [];
  await call("attack", { log });
  expect(log).toHaveLength(101);
  // It continues to write outside of any call now.
  await call("attack");
  expect(await neighbour.stop()).toBeGreaterThan(0);
  expect(await call("fine")).toBe("fine");
  expect(hosts.crashes).toEqual([]);
});
