import { createContext, constants, runInContext, Script, compileFunction } from "node:vm";
import type { Context } from "node:vm";

/** A script that is ready to run. Each run evaluates it again, so that no run sees anything of another. */
export interface LoadedScript {
  /**
   * Runs the script once for each input, which is JSON text. Runs that follow one that was stopped are run again, with a time of
   * their own.
   */
  run(inputs: readonly string[]): ScriptResult[];
}

export type ScriptResult =
  | { readonly kind: "request"; readonly body: string; readonly headers: string; readonly lines: readonly string[] }
  | { readonly kind: "filtered"; readonly lines: readonly string[] }
  | { readonly kind: "failed"; readonly message: string; readonly lines: readonly string[] };

/** The functions that the bootstrap below shares with this module. No code of a script can reach it. */
interface Realm {
  give(factory: () => unknown, inputs: readonly string[]): void;
  /** Returns the results so far, each a kind and texts. */
  take(): readonly (readonly [kind: string, first: string, second: string, lines: readonly string[]])[];
}

const MOST_CPU_MS = 100;
/** A script that is stopped before it used its time of the processor is run again, because the machine is busy. */
const MOST_TRIES = 5;

const STOPPED = "The script took longer than 100 ms.";
const { cpuUsage } = process;

/**
 * Prepares a realm: removes what scripts do not need, freezes everything that all runs share, and defines how a run reads its
 * input and writes its result. Numbers that a double cannot hold are given as BigInt, and numbers that pass through unchanged
 * are written as they were spelled.
 */
const BOOTSTRAP = `(() => {
  "use strict";
  const { parse, stringify, rawJSON } = JSON;
  const { keys, is, isFrozen, freeze, getPrototypeOf, getOwnPropertyDescriptors, defineProperty, hasOwn } = Object;
  const ownKeys = Reflect.ownKeys;
  const { isSafeInteger, isFinite } = Number;
  const big = BigInt;
  const text = String;
  const apply = Function.prototype.call.bind(Function.prototype.apply);
  const test = (pattern, value) => apply(RegExp.prototype.test, pattern, [value]);
  const slice = (value, end) => apply(String.prototype.slice, value, [0, end]);
  const newMap = () => new Map();
  const get = Map.prototype.get, set = Map.prototype.set, has = Map.prototype.has;
  const Fault = TypeError;
  const SUSPECT = /-0(?![.\\d])|\\d{16}|\\.\\d*0(?!\\d)|\\d[eE]|\\.\\d{15}/;
  const MOST = 262144, MOST_LINES = 20, MOST_LINE = 500;

  const nameOf = (value) => (is(value, -0) ? "-0" : text(value));
  let spelled, lines;
  const read = (input) => {
    spelled = undefined;
    if (!test(SUSPECT, input)) return parse(input);
    spelled = newMap();
    return parse(input, (_key, value, context) => {
      if (typeof value !== "number") return value;
      const { source } = context;
      if (!isSafeInteger(value) && test(/^-?\\d+$/, source)) return big(source);
      const name = nameOf(value);
      const known = apply(get, spelled, [name]);
      apply(set, spelled, [name, known === undefined || known === source ? source : null]);
      return value;
    });
  };
  const written = (_key, value) => {
    if (typeof value === "bigint") return rawJSON(text(value));
    if (typeof value === "function" || typeof value === "symbol") throw new Fault("the result must not contain functions or symbols");
    if (typeof value !== "number") return value;
    const source = spelled === undefined ? undefined : apply(get, spelled, [nameOf(value)]);
    if (typeof source === "string") return rawJSON(source);
    if (!isFinite(value)) throw new Fault("the result must not contain NaN or infinite numbers");
    return value;
  };
  const headersOf = (given) => {
    if (given === undefined || given === null) return "{}";
    if (typeof given !== "object") throw new Fault("headers must be an object of strings");
    for (const name of keys(given)) if (typeof given[name] !== "string") throw new Fault("headers must be an object of strings");
    return stringify(given);
  };
  const resultOf = (result) => {
    if (result === null) return ["filtered", "", "", lines];
    if (typeof result !== "object" || !hasOwn(result, "body")) {
      const isAsync = typeof result === "object" && typeof result.then === "function";
      throw new Fault(isAsync ? "transform must not be async" : "transform must return an object with a body, or null");
    }
    for (const name of keys(result)) if (name !== "body" && name !== "headers") throw new Fault("transform must return only body and headers, not " + slice(text(name), 100));
    if (typeof result.body?.then === "function") throw new Fault("transform must not be async");
    const body = stringify(result.body, written);
    if (body === undefined) throw new Fault("the body must not be undefined");
    const headers = headersOf(result.headers);
    if (body.length > MOST || headers.length > MOST) throw new Fault("the result is larger than 262144 bytes");
    return ["request", body, headers, lines];
  };
  const messageOf = (error) => {
    try {
      if (typeof error === "object" && error !== null && "message" in error) {
        const name = text(error.name), message = text(error.message);
        return slice(name === "Error" ? message : name + ": " + message, 1000);
      }
      return slice("Thrown: " + text(error), 1000);
    } catch {
      return "Something was thrown that cannot be shown.";
    }
  };
  const line = (...args) => {
    if (lines === undefined || lines.length >= MOST_LINES) return;
    let said = "";
    for (let at = 0; at < args.length && said.length < MOST_LINE; at += 1) {
      const one = args[at];
      let shown;
      try { shown = typeof one === "string" ? one : stringify(one, written); } catch { shown = undefined; }
      said += (at === 0 ? "" : " ") + (shown === undefined ? text(typeof one) : shown);
    }
    lines[lines.length] = slice(said, MOST_LINE);
  };
  const one = (factory, input) => {
    lines = [];
    try {
      const transform = factory();
      if (typeof transform !== "function") throw new Fault("the script must export a function with the name transform");
      return resultOf(transform(read(input)));
    } catch (error) {
      return ["failed", messageOf(error), "", lines];
    }
  };

  let job, results = [];
  const run = () => {
    const mine = job;
    job = undefined;
    if (mine === undefined) return;
    for (let at = 0; at < mine.inputs.length; at += 1) results[results.length] = one(mine.factory, mine.inputs[at]);
  };

  for (const name of ["SharedArrayBuffer", "ArrayBuffer", "DataView", "Atomics", "WebAssembly", "WeakRef", "FinalizationRegistry",
    "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "Float16Array",
    "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array", "eval", "Function"]) delete globalThis[name];
  for (const name of ownKeys(RegExp)) if (typeof name === "string" && /^(\\$|last|left|right|input)/.test(name)) delete RegExp[name];
  delete RegExp.prototype.compile;
  const console = {};
  for (const level of ["log", "info", "warn", "error", "debug"]) console[level] = line;
  defineProperty(globalThis, "console", { value: console });
  defineProperty(globalThis, "$run", { value: run });

  const settable = (holder, name) => {
    const { value } = getOwnPropertyDescriptors(holder)[name] ?? {};
    if (value === undefined) return;
    defineProperty(holder, name, {
      get: () => value,
      set(next) {
        if (this === holder) throw new Fault("shared objects cannot be changed");
        defineProperty(this, name, { value: next, writable: true, enumerable: true, configurable: true });
      },
      configurable: false,
    });
  };
  const errors = [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError, AggregateError];
  for (const { prototype } of [Object, ...errors]) for (const name of ["constructor", "toString", "valueOf", "name", "message"]) if (hasOwn(prototype, name)) settable(prototype, name);

  const seen = new Set();
  const harden = (root) => {
    const waiting = [root];
    while (waiting.length > 0) {
      const next = waiting.pop();
      if ((typeof next !== "object" && typeof next !== "function") || next === null || seen.has(next)) continue;
      seen.add(next);
      if (next !== globalThis) freeze(next);
      waiting.push(getPrototypeOf(next));
      const all = getOwnPropertyDescriptors(next);
      for (const name of ownKeys(all)) waiting.push(all[name].value, all[name].get, all[name].set);
    }
  };
  for (const hidden of [[].values(), "".matchAll(/a/g), ""[Symbol.iterator](), new Map().values(), new Set().values(), function* () {}, async () => {},
    async function* () {}, (function* () {})(), (async function* () {})(), [].values().map((x) => x), Iterator.from({ next() {} }),
    new Intl.Segmenter().segment("a"), new Intl.Segmenter().segment("a")[Symbol.iterator]()]) harden(hidden);
  harden(globalThis);
  freeze(globalThis);

  return {
    give: (factory, inputs) => { job = { factory, inputs }; results = []; },
    take: () => { const done = results; results = []; job = undefined; return done; },
  };
})()`;
const RUN = new Script("$run()");

/** Compiles a script. Throws the error of its syntax. */
export function loadScript(source: string): LoadedScript {
  let prepared = prepare(source);
  return {
    run(inputs) {
      const done: ScriptResult[] = [];
      while (done.length < inputs.length) {
        const rest = inputs.slice(done.length);
        const { results, stopped } = runOnce(prepared, rest);
        done.push(...results);
        if (!stopped) continue;
        // The realm of a script that was stopped is not used again.
        prepared = prepare(source);
        const [next] = rest.slice(results.length);
        if (next !== undefined) done.push(runAlone(prepared, next, () => (prepared = prepare(source))));
      }
      return done;
    },
  };
}

interface Prepared {
  readonly context: Context;
  readonly realm: Realm;
  readonly factory: () => unknown;
}

function prepare(source: string): Prepared {
  const context = createContext(constants.DONT_CONTEXTIFY, {
    codeGeneration: { strings: false, wasm: false },
    microtaskMode: "afterEvaluate",
  });
  const realm = runInContext(BOOTSTRAP, context) as Realm;
  const factory = compileFunction(
    `"use strict";${source}\n;return typeof transform === "undefined" ? undefined : transform;`,
    [],
    {
      parsingContext: context,
      filename: "transform",
    },
  ) as () => unknown;
  return { context, realm, factory };
}

function runOnce(
  { context, realm, factory }: Prepared,
  inputs: readonly string[],
): { readonly results: ScriptResult[]; readonly stopped: boolean } {
  realm.give(factory, inputs);
  let stopped = false;
  try {
    RUN.runInContext(context, { timeout: MOST_CPU_MS });
  } catch {
    stopped = true;
  }
  const results = realm.take().map(([kind, first, second, lines]): ScriptResult => {
    if (kind === "request") return { kind, body: first, headers: second, lines: [...lines] };
    if (kind === "filtered") return { kind, lines: [...lines] };
    return { kind: "failed", message: first, lines: [...lines] };
  });
  return { results, stopped };
}

/** Runs one input with all of its time. */
function runAlone(first: Prepared, input: string, again: () => Prepared): ScriptResult {
  let prepared = first;
  for (let tries = 1; ; tries += 1) {
    const before = cpuUsage();
    const { results, stopped } = runOnce(prepared, [input]);
    const [result] = results;
    if (stopped) prepared = again();
    if (result !== undefined) return result;
    const { user, system } = cpuUsage(before);
    if (tries >= MOST_TRIES || user + system > MOST_CPU_MS * 900)
      return { kind: "failed", message: STOPPED, lines: [] };
  }
}
