import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../lib/lib.ts";
import type { Tag } from "../../lib/lib.ts";
import { createTelemetry } from "../../platform/telemetry/telemetry.ts";
import { ScriptsBusyError } from "../../webhooks/webhooks.ts";
import type { ScriptResult } from "../../webhooks/webhooks.ts";
import { createScripts } from "./scripts.ts";
import type { Scripts } from "./scripts.ts";

const TAG = "scriptst" as Tag;
const ENDLESS = "for (;;);";
const INPUT = '{"event":"a.b","data":{"salary":90000},"id":"evt_1"}';
/** Names that a script of the process, and not of the engine, would see. */
const REACH = "[typeof process, typeof require, typeof Buffer, typeof fetch].join()";
const NOTHING = "undefined,undefined,undefined,undefined";

let directory: string;
let scripts: Scripts;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "junction-scripts-"));
  scripts = createScripts({ log: createTelemetry("error").log, clock: systemClock, directory });
});
afterAll(async () => {
  await scripts.stop();
  await rm(directory, { recursive: true, force: true });
});

const source = (code: string): string => `export function transform({ data }) { ${code} }`;

async function ran(code: string, tenant: string | null = "acme"): Promise<ScriptResult> {
  return await scripts.run({ tag: TAG, tenant, source: source(code) }, INPUT);
}

/** Returns the body, or why there is none. Scripts that are not valid have neither. */
async function bodyOf(code: string, tenant?: string): Promise<unknown> {
  const result = await ran(code, tenant);
  return result.kind === "request" ? JSON.parse(result.body) : result.kind === "failed" ? result.message : null;
}

/** Tries again when it is busy, as deliveries do. */
async function patientBodyOf(code: string, tenant: string): Promise<unknown> {
  for (;;) {
    try {
      return await bodyOf(code, tenant);
    } catch (error) {
      if (!(error instanceof ScriptsBusyError)) throw error;
    }
  }
}

function* spellings(tokens: readonly string[]): Generator<string> {
  for (const gap of [" ", "/*x*/", "\n", "//x\n", "/*\n*/", "\u2028", "\t/**/\n"]) yield tokens.join(gap);
  for (const at of tokens.keys()) yield `${tokens.slice(0, at).join("")}/*;*/${tokens.slice(at).join("")}`;
}

const IMPORTS = [
  ...spellings(["import", "(", '"node:fs"', ")"]),
  ...spellings(["import", ".", "source", "(", '"node:fs"', ")"]),
  ...spellings(["import", ".", "defer", "(", '"node:fs"', ")"]),
  ...spellings(["import", ".", "meta"]),
  ...spellings(["[", "...", "import", "(", "`node:fs`", ")", "]"]),
  "imp\\u006frt('node:fs')",
];

test.each(IMPORTS)("an import reaches nothing, however it is spelled: %j", async (spelled) => {
  const hook = `globalThis.found ??= ${REACH}; return { body: found };`;
  const rejected = `const take = (error) => { globalThis.found = error.constructor.constructor(${JSON.stringify(`return ${REACH}`)})(); };`;
  const body = await bodyOf(
    `${rejected} try { const x = ${spelled}; x?.then?.(take, take); take(x ?? {}); } catch (error) { take(error); } ${hook}`,
  );
  if (!/^SyntaxError|Expected|Unexpected|must export/.test(String(body))) expect(body).toBe(NOTHING);
  // The callback of a promise would run with the next run.
  expect(await bodyOf(`return { body: [typeof found, Map.groupBy.toString().includes("native code")] };`)).toEqual([
    "undefined",
    true,
  ]);
});

test.each([
  ["a constructor's constructor", `({}).constructor.constructor("return ${REACH}")()`],
  ["eval", `(0, eval)("${REACH}")`],
  ["Function", `new Function("return ${REACH}")()`],
  ["a constructor of async functions", `(async () => {}).constructor("take(${REACH})")()`],
  ["a constructor of generators", `(function* () {}).constructor("yield ${REACH}")().next().value`],
  ["the console", `console.log.constructor("return ${REACH}")()`],
  ["the input", `data.constructor.constructor("return ${REACH}")()`],
  [
    "a prepared stack trace",
    `(() => { let seen; Error.prepareStackTrace = (error, frames) => { seen = frames; return ""; }; new Error().stack; return seen?.[0]?.getThis?.()?.constructor.constructor("return ${REACH}")() ?? ${REACH}; })()`,
  ],
  [
    "the error of an exhausted stack",
    `(() => { const f = () => f(); try { f(); } catch (error) { return error.constructor.constructor("return ${REACH}")(); } })()`,
  ],
  ["the caller", `(() => { try { return arguments.callee.caller; } catch { return ${REACH}; } })()`],
])("%s has nothing of the process", async (_what, expression) => {
  const body = await bodyOf(`let got = ${REACH}; const take = (x) => { got = x; }; got = ${expression} ?? got;
    return { body: typeof got === "string" ? got : ${REACH} };`);
  expect([NOTHING, "The script exhausted the stack."]).toContain(body);
});

test.each([
  ["prototypes", "Object.prototype.left = 1; Array.prototype.map = () => 1; Map.groupBy = () => 1;"],
  ["globals", "globalThis.left = 1; globalThis.JSON = null;"],
  ["functions that the frame uses", "JSON.stringify = () => '1'; String = () => 'x'; Object.keys = () => [];"],
  ["callbacks of promises", "Promise.resolve().then(() => { globalThis.left = 1; }); queueMicrotask?.(() => 1);"],
  ["registered symbols", "Symbol.for('left'); Object.defineProperty(Symbol.prototype, 'left', { value: 1 });"],
])("nothing stays of changed %s, neither for the same script nor for others", async (_what, change) => {
  const look =
    "const seen = [typeof left, ({}).left ?? null, [1].map((x) => x + 1)[0], typeof Map.groupBy([], String)];";
  for (const tenant of ["acme", "acme", "globex"]) {
    expect(await bodyOf(`${look} ${change} return { body: seen };`, tenant)).toEqual(["undefined", null, 2, "object"]);
  }
});

test("each run has random numbers of its own", async () => {
  const bodies = await Promise.all(
    Array.from({ length: 50 }, async () => await bodyOf("return { body: Math.random() };")),
  );
  expect(new Set(bodies).size).toBe(50);
  expect(bodies.every((one) => typeof one === "number" && one >= 0 && one < 1)).toBe(true);
});

const STOPPED =
  /longer than 100 ms|32 MiB|exhausted the stack|out of memory|too large|too long|Invalid|invalid|too many|RangeError/;

test.each([
  ["a nested quantifier", "/^(a+)+$/.exec('a'.repeat(40) + 'b')"],
  ["a pattern of many optionals", "/^(a?){3000}a{3000}$/.test('a'.repeat(3000))"],
  ["a getter of the result", "{ get body() { for (;;); } }"],
  ["toJSON", "{ body: { toJSON() { for (;;); } } }"],
  ["a trap of a proxy", "new Proxy({ body: 1 }, { ownKeys() { for (;;); } })"],
  ["a trap of a proxy in the body", "{ body: new Proxy({}, { get() { for (;;); }, ownKeys() { for (;;); } }) }"],
  ["a comparison", "[3, 1, 2].sort(() => { for (;;); })"],
  [
    "a species",
    "(() => { class L extends Array { static get [Symbol.species]() { for (;;); } } return new L(3).map((x) => x); })()",
  ],
  ["an iterator", "[...{ [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }) }) }]"],
  ["an array-like object", "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)"],
  ["a growing text", "(() => { let s = 'a'; for (;;) s += s; })()"],
  ["padding", "''.padEnd(2 ** 29)"],
  ["a growing map", "(() => { const m = new Map(); for (let i = 0; ; i += 1) m.set(i, {}); })()"],
  ["nested JSON", "JSON.parse('['.repeat(1e6))"],
  ["nested proxies", "(() => { let p = {}; for (let i = 0; i < 1e5; i += 1) p = new Proxy(p, {}); return p.x; })()"],
  ["a nested body", "(() => { let o = {}; for (let i = 0; i < 1e5; i += 1) o = { o }; return { body: o }; })()"],
  ["a nested pattern", "new RegExp('('.repeat(1e5) + ')'.repeat(1e5))"],
])("the engine stops %s", async (_what, expression) => {
  expect(await bodyOf(`return ${expression};`, "stopped")).toMatch(STOPPED);
  expect(await bodyOf("return { body: 1 };", "innocent")).toBe(1);
});

// One operation of the engine, which it does not interrupt: the process is ended.
test.each([
  ["joins nothing", "Array(2 ** 28).join('x')"],
  ["writes a number of many digits", "{ body: String(10n ** 300000n) }"],
  ["raises to a power", "10n ** 1000000n"],
  ["fills a list", "Array(1e9).fill(1)"],
])("a script that %s is ended, and only it fails", { timeout: 60_000 }, async (_what, expression) => {
  const [guilty, ...others] = await Promise.all([
    bodyOf(`return ${expression};`, "guilty"),
    ...["one", "two", "three"].map(async (tenant) => await patientBodyOf("return { body: 1 };", tenant)),
  ]);
  expect(guilty).toMatch(STOPPED);
  expect(others).toEqual([1, 1, 1]);
});

describe("turns", () => {
  test("a tenant with 100 endless runs delays no other tenant", { timeout: 60_000 }, async () => {
    let settled = 0;
    const endless = Array.from({ length: 100 }, async (_one, at) => {
      const result = await ran(`${at}; ${ENDLESS}`, "noisy").catch((error: unknown) => error);
      settled += 1;
      return result;
    });
    for (let run = 0; run < 5; run += 1) expect(await bodyOf(`return { body: ${run} };`, "quiet")).toBe(run);
    expect(settled).toBeLessThan(60);
    const results = await Promise.all(endless);
    // A run without a turn is not a failure of the script.
    for (const result of results)
      if (!(result instanceof ScriptsBusyError)) expect(result).toMatchObject({ kind: "failed", stopped: true });
    expect(results.filter((result) => result instanceof ScriptsBusyError).length).toBeGreaterThan(0);
  });

  test("scripts that are stopped again and again have a tenth of a processor", { timeout: 60_000 }, async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, async () => await ran(ENDLESS, "burning").catch((error: unknown) => error)),
    );
    // They wait for 5 s, in which 50 would run one after the other.
    const stopped = results.filter((result) => !(result instanceof ScriptsBusyError));
    expect(stopped.length).toBeGreaterThan(2);
    expect(stopped.length).toBeLessThan(10);
    expect(await bodyOf("return { body: 1 };", "beside")).toBe(1);
  });

  test("a tenant that fills its queue fills no other's", { timeout: 60_000 }, async () => {
    const many = Array.from({ length: 400 }, async () => await ran(ENDLESS, "many").catch((error: unknown) => error));
    expect(await bodyOf("return { body: 1 };", "another")).toBe(1);
    expect((await Promise.all(many)).some((one) => one instanceof ScriptsBusyError)).toBe(true);
  });
});

test("many scripts do not fill the memory of their process", { timeout: 60_000 }, async () => {
  for (let at = 0; at < 200; at += 1) expect(await bodyOf(`return { body: ${at} };`, `tenant-${at}`)).toBe(at);
  const growing = "const all = []; for (let i = 0; i < 2e5; i += 1) all.push([i]); return { body: 1 };";
  for (let at = 0; at < 10; at += 1)
    expect(String(await bodyOf(`${at}; ${growing}`, "growing"))).toMatch(/^1$|32 MiB|100 ms/);
  expect(await bodyOf("return { body: 1 };", "innocent")).toBe(1);
});

test("a script is checked without being run", async () => {
  expect(await scripts.fault({ tag: TAG, tenant: null, source: source("return null;") })).toBeUndefined();
  expect(await scripts.fault({ tag: TAG, tenant: null, source: "let a = 1;" })).toMatch(/must export/);
});
