import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Intrinsics, JSException, QuickJS } from "quickjs-wasi";
import type { JSValueHandle } from "quickjs-wasi";

/**
 * Runs scripts in QuickJS, compiled to WebAssembly. Each script has an instance with a memory of its own, which is set back before each
 * run, so that no run sees anything of another. Only text passes between this process and a script.
 */
export interface LoadedScript {
  /** The size of its memory and of its image in bytes. */
  readonly bytes: number;
  /** Runs the script once with an input, which is JSON text. */
  run(input: string): Promise<ScriptResult>;
}

export type ScriptResult =
  | { readonly kind: "request"; readonly body: string; readonly headers: string; readonly lines: readonly string[] }
  | { readonly kind: "filtered"; readonly lines: readonly string[] }
  | { readonly kind: "failed"; readonly message: string; readonly lines: readonly string[]; readonly stopped?: true };

/** A machine ready to run, and the image of its memory before a run. */
interface Machine {
  readonly vm: QuickJS;
  readonly memory: WebAssembly.Memory;
  readonly run: JSValueHandle;
  readonly image: Uint8Array;
  /** Where the image begins. The native stack below it holds nothing between runs. */
  readonly from: number;
}

const KIB = 1024;
const MIB = 1024 ** 2;
const MOST_BYTES = 32 * MIB;
const MOST_STACK = 512 * KIB;
const MOST_CPU_MS = 100;
/** On a busy machine, a script gets its time of the processor late. */
const MOST_WALL_MS = 1000;
/** The memory that a script can use without a new instance afterwards. It grows with the script's needs. */
const FIRST_SPARE = 256 * KIB;
const MOST_SPARE = 4 * MIB;

const STOPPED = "The script took longer than 100 ms.";
const TOO_LARGE = "The script used more than 32 MiB of memory.";
const { threadCpuUsage } = process;
const module = new WebAssembly.Module(
  readFileSync(join(dirname(dirname(fileURLToPath(import.meta.resolve("quickjs-wasi")))), "quickjs.wasm")),
);
/** No binary data, clocks, or references to what was collected: transformations work on JSON. */
const PARTS =
  Intrinsics.DATE |
  Intrinsics.EVAL |
  Intrinsics.REGEXP |
  Intrinsics.JSON |
  Intrinsics.PROXY |
  Intrinsics.MAP_SET |
  Intrinsics.PROMISE |
  Intrinsics.BIG_INT;

/**
 * Defines how a run reads its input and writes its result. Numbers that a double cannot hold are given as BigInt, and numbers that pass
 * through unchanged are written as they were spelled. It runs where the script runs, so nothing here protects the service.
 */
const FRAME = `(() => {
  "use strict";
  const { parse, stringify, rawJSON } = JSON;
  const { keys, is, hasOwn } = Object;
  const { isSafeInteger, isFinite } = Number;
  const SUSPECT = /-0(?![.\\d])|\\d{16}|\\.\\d*0(?!\\d)|\\d[eE]|\\.\\d{15}/;
  const MOST = 262144, MOST_LINES = 20, MOST_LINE = 500;

  const nameOf = (value) => (is(value, -0) ? "-0" : String(value));
  let spelled;
  const lines = [];
  const read = (input) => {
    if (!SUSPECT.test(input)) return parse(input);
    spelled = new Map();
    return parse(input, (_key, value, context) => {
      if (typeof value !== "number") return value;
      const { source } = context;
      if (!isSafeInteger(value) && /^-?\\d+$/.test(source)) return BigInt(source);
      const name = nameOf(value);
      const known = spelled.get(name);
      spelled.set(name, known === undefined || known === source ? source : null);
      return value;
    });
  };
  const written = (_key, value) => {
    if (typeof value === "bigint") return rawJSON(String(value));
    if (typeof value === "function" || typeof value === "symbol") throw new TypeError("the result must not contain functions or symbols");
    if (typeof value !== "number") return value;
    const source = spelled?.get(nameOf(value));
    if (typeof source === "string") return rawJSON(source);
    if (!isFinite(value)) throw new TypeError("the result must not contain NaN or infinite numbers");
    return value;
  };
  const headersOf = (given) => {
    if (given === undefined || given === null) return "{}";
    if (typeof given !== "object") throw new TypeError("headers must be an object of strings");
    for (const name of keys(given)) if (typeof given[name] !== "string") throw new TypeError("headers must be an object of strings");
    return stringify(given);
  };
  const resultOf = (result) => {
    if (result === null) return { kind: "filtered", lines };
    if (typeof result !== "object" || !hasOwn(result, "body")) {
      const isAsync = typeof result === "object" && typeof result.then === "function";
      throw new TypeError(isAsync ? "transform must not be async" : "transform must return an object with a body, or null");
    }
    for (const name of keys(result)) if (name !== "body" && name !== "headers") throw new TypeError("transform must return only body and headers, not " + name.slice(0, 100));
    if (typeof result.body?.then === "function") throw new TypeError("transform must not be async");
    const body = stringify(result.body, written);
    if (body === undefined) throw new TypeError("the body must not be undefined");
    const headers = headersOf(result.headers);
    if (body.length > MOST || headers.length > MOST) throw new TypeError("the result is larger than 262144 bytes");
    return { kind: "request", body, headers, lines };
  };
  const messageOf = (error) => {
    try {
      if (typeof error === "object" && error !== null && "message" in error) {
        const name = String(error.name), message = String(error.message);
        return (name === "Error" ? message : name + ": " + message).slice(0, 1000);
      }
      return ("Thrown: " + String(error)).slice(0, 1000);
    } catch {
      return "Something was thrown that cannot be shown.";
    }
  };
  const log = (...args) => {
    if (lines.length >= MOST_LINES) return;
    let said = "";
    for (let at = 0; at < args.length && said.length < MOST_LINE; at += 1) {
      const one = args[at];
      let shown;
      try { shown = typeof one === "string" ? one : stringify(one, written); } catch { shown = undefined; }
      said += (at === 0 ? "" : " ") + (shown === undefined ? typeof one : shown);
    }
    lines.push(said.slice(0, MOST_LINE));
  };
  globalThis.console = { log, info: log, warn: log, error: log, debug: log };

  // The engine's own generator would begin at the same place in each run.
  let [a, b, c, d] = [0, 0, 0, 0];
  Math.random = () => {
    const t = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t | 0;
    return (t >>> 0) / 4294967296;
  };

  return (factory) => (input, seed) => {
    [a, b, c, d] = parse(seed);
    try {
      const transform = factory();
      if (typeof transform !== "function") throw new TypeError("the script must export a function with the name transform");
      return stringify(resultOf(transform(read(input))));
    } catch (error) {
      return stringify({ kind: "failed", message: messageOf(error), lines });
    }
  };
})()`;

let stopAt = 0;
let stopAtWall = 0;

/** Compiles a script. Throws the error of its syntax. */
export async function loadScript(source: string): Promise<LoadedScript> {
  let spare = FIRST_SPARE;
  let machine: Machine | undefined = await build(source, spare);
  return {
    get bytes() {
      return machine === undefined ? 0 : machine.memory.buffer.byteLength + machine.image.byteLength;
    },
    async run(input) {
      machine ??= await build(source, spare);
      const { memory, image } = machine;
      const size = memory.buffer.byteLength;
      const result = runOnce(machine, input);
      const isSound = result !== undefined && memory.buffer.byteLength === size;
      if (isSound) new Uint8Array(memory.buffer).set(image, machine.from);
      else {
        // The memory cannot be set back: it has grown, or the engine ended within.
        if (memory.buffer.byteLength > size) spare = Math.min(spare * 4, MOST_SPARE);
        machine = undefined;
      }
      return result ?? { kind: "failed", message: "The script exhausted the stack.", lines: [] };
    },
  };
}

async function build(source: string, spare: number): Promise<Machine> {
  let memory: WebAssembly.Memory | undefined;
  const vm = await QuickJS.create({
    wasm: module,
    intrinsics: PARTS,
    memoryLimit: MOST_BYTES,
    maxStackSize: MOST_STACK,
    timezoneOffset: 0,
    interruptHandler: isOver,
    // Nothing of the engine reaches the wire.
    wasi: (own) => {
      memory = own;
      return { fd_write: () => 52 };
    },
  });
  begin();
  const frame = vm.evalCode(FRAME);
  const factory = vm.evalCode(
    `(function () {"use strict";${source}\n;return typeof transform === "undefined" ? undefined : transform;})`,
    "transform",
  );
  const run = vm.callFunction(frame, vm.undefined, factory);
  // Freed at once: what the allocator keeps is what a run can use without growth.
  vm.evalCode(`"x".repeat(${spare}); undefined`).dispose();
  if (memory === undefined) throw new Error("the engine has no memory");
  const { stackPointer, memory: whole } = vm.snapshot();
  return { vm, memory, run, image: whole.slice(stackPointer), from: stackPointer };
}

function begin(): void {
  stopAt = cpuMs() + MOST_CPU_MS;
  stopAtWall = performance.now() + MOST_WALL_MS;
}

function isOver(): boolean {
  return cpuMs() > stopAt || performance.now() > stopAtWall;
}

function cpuMs(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
}

/** Undefined if the engine itself ended, for which its stack is the only known reason. */
function runOnce({ vm, run }: Machine, input: string): ScriptResult | undefined {
  const seed = `[${crypto.getRandomValues(new Int32Array(4)).join()}]`;
  begin();
  try {
    const text = vm.callFunction(run, vm.undefined, vm.newString(input), vm.newString(seed)).toString();
    return JSON.parse(text) as ScriptResult;
  } catch (error) {
    if (isOver()) return { kind: "failed", message: STOPPED, lines: [], stopped: true };
    if (!(error instanceof JSException)) return undefined;
    const isMemory = error.message.includes("out of memory");
    const message = isMemory ? TOO_LARGE : `${error.name}: ${error.message}`.slice(0, 1000);
    return { kind: "failed", message, lines: [] };
  }
}
