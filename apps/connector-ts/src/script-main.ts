import { stripTypeScriptTypes } from "node:module";
// Node loads it with the first global of the network, and then changes `process`, which is locked down by then.
import { isMainThread } from "node:worker_threads";
import { lockDown } from "./lockdown.ts";
import { loadScript } from "./script-context.ts";
import type { LoadedScript, ScriptResult } from "./script-context.ts";
import { lineOf, openWire, readMessages } from "./wire.ts";
import type { Message } from "./wire.ts";

/**
 * Runs the scripts of one workspace that transform webhooks. The process speaks docs/reference/connector-protocol.md on standard
 * input and output. A call's name is the digest of a script, and its arguments are the input (JSON text, or null to only check the
 * script) and the script, which is left out if the process has it. The isolation around this process restricts the code.
 */

/** Each realm has about a megabyte. The one that was used longest ago is dropped. */
const MOST_SCRIPTS = 16;
/** The export of the function. It may follow a statement on its line. */
const EXPORT =
  /(?<=^|[;}])[ \t]*export[ \t]+(?:default[ \t]+)?(?=(?:async[ \t]+)?function[ \t]+transform\b|(?:const|let|var)[ \t]+transform\b)/m;

/** `import …`, and `import(…)`, whose errors would belong to this process. */
const IMPORT = /(?:^|[;}])[ \t]*import\b|(?<![.\w$])import\s*(?:\(|\/[*/]|\.\s*(?:source|defer)\b)/m;

type Loaded = LoadedScript | { readonly fault: string };

const nodeProcess = globalThis.process;
const { stdin } = nodeProcess;
const exit = (nodeProcess as unknown as { reallyExit(code: number): void }).reallyExit.bind(nodeProcess);
const version = nodeProcess.versions.node;
const strip = stripTypeScriptTypes;
const wire = openWire();
const scripts = new Map<string, Loaded>();
let waiting: Message[] = [];

nodeProcess.on("unhandledRejection", () => undefined);
stdin.on("data", readMessages(take));
stdin.on("end", () => exit(0));
stdin.on("error", () => exit(0));
stdin.pause();
if (isMainThread) lockDown();
wire.send(lineOf({ t: "ready", protocol: 1, runtime: "ts", version }, "The version"));
stdin.resume();

function take(message: Message): void {
  if (message["t"] !== "call") return;
  if (waiting.length === 0) setImmediate(runAll);
  waiting.push(message);
}

/** Runs all calls that arrived together, those of one script at once. */
function runAll(): void {
  const calls = waiting;
  waiting = [];
  for (const [digest, own] of Map.groupBy(calls, (call) => textOf(call["name"]))) runScript(digest, own);
}

function runScript(digest: string, calls: readonly Message[]): void {
  const source = calls.map(sourceOf).find((one) => one !== undefined);
  const script = scriptOf(digest, source);
  if (script === undefined) return answerAll(calls, () => ({ kind: "unknown" }));
  if ("fault" in script) return answerAll(calls, () => ({ kind: "failed", message: script.fault, lines: [] }));
  const checks = calls.filter((call) => inputOf(call) === undefined);
  answerAll(checks, () => ({ kind: "filtered", lines: [] }));
  const runs = calls.filter((call) => inputOf(call) !== undefined);
  const results = script.run(runs.map((call) => inputOf(call) ?? ""));
  answerAll(runs, (at) => results[at] ?? { kind: "unknown" });
}

function answerAll(
  calls: readonly Message[],
  resultAt: (at: number) => ScriptResult | { readonly kind: "unknown" },
): void {
  for (const [at, call] of calls.entries())
    wire.send(lineOf({ t: "done", id: call["id"], value: resultAt(at) }, "The result"));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function inputOf(call: Message): string | undefined {
  const [input] = call["args"] as readonly unknown[];
  return typeof input === "string" ? input : undefined;
}

function sourceOf(call: Message): string | undefined {
  const [, source] = call["args"] as readonly unknown[];
  return typeof source === "string" ? source : undefined;
}

function scriptOf(digest: string, source: string | undefined): Loaded | undefined {
  const known = scripts.get(digest) ?? (source === undefined ? undefined : load(source));
  if (known === undefined) return undefined;
  scripts.delete(digest);
  scripts.set(digest, known);
  const [oldest] = scripts.keys();
  if (scripts.size > MOST_SCRIPTS && oldest !== undefined) scripts.delete(oldest);
  return known;
}

function load(source: string): Loaded {
  try {
    const script = strip(source, { mode: "strip" });
    if (IMPORT.test(script)) return { fault: "The script must not import anything." };
    if (!EXPORT.test(script)) return { fault: "The script must export a function with the name transform." };
    return loadScript(script.replace(EXPORT, (text) => " ".repeat(text.length)));
  } catch (error) {
    return {
      fault: error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 1000) : "The script is not valid.",
    };
  }
}
