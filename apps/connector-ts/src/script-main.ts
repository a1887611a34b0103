import { stripTypeScriptTypes } from "node:module";
// Node loads it with the first global of the network, and then changes `process`, which is locked down by then.
import { isMainThread } from "node:worker_threads";
import { lockDown } from "./lockdown.ts";
import { loadScript } from "./script-engine.ts";
import type { LoadedScript, ScriptResult } from "./script-engine.ts";
import type { Json } from "./types.ts";
import { lineOf, openWire, readMessages } from "./wire.ts";
import type { Message } from "./wire.ts";

/**
 * Runs the scripts of one workspace that transform webhooks. The process speaks docs/reference/connector-protocol.md on standard
 * input and output. A call's name is the digest of a script and its owner, and its arguments are the inputs
 * and the script. The inputs are a list of JSON texts, empty to only check the script. A script that the process has is left out. The answer has a result for each of the first
 * inputs; the others were not run, because their turn is over. Each script runs in an engine of its own.
 */

/** Instances of the engine. Those that were used longest ago are dropped. */
const MOST_SCRIPTS = 32;
const MOST_BYTES = 64 * 1024 ** 2;
/** Memory of instances that were dropped, after which it is given back. V8 does not see how much that is. */
const MOST_DROPPED = 16 * 1024 ** 2;
const GROWTH = 16 * 1024 ** 2;
/** A turn ends after this time, or with results of this size. */
const TURN_MS = 100;
const MOST_RESULTS = 1024 ** 2;
/** The export of the function, which is evaluated as a script. It may follow a statement on its line. */
const EXPORT =
  /(?<=^|[;}])[ \t]*export[ \t]+(?:default[ \t]+)?(?=(?:async[ \t]+)?function[ \t]+transform\b|(?:const|let|var)[ \t]+transform\b)/m;

type Loaded = LoadedScript | { readonly fault: string };

const nodeProcess = globalThis.process;
const { stdin } = nodeProcess;
const exit = (nodeProcess as unknown as { reallyExit(code: number): void }).reallyExit.bind(nodeProcess);
const version = nodeProcess.versions.node;
const strip = stripTypeScriptTypes;
const wire = openWire();
const scripts = new Map<string, Loaded>();
const collect = (globalThis as unknown as { gc(): void }).gc;
let dropped = 0;
let last: Promise<void> = Promise.resolve();

stdin.on("data", readMessages(take));
stdin.on("end", () => exit(0));
stdin.on("error", () => exit(0));
stdin.pause();
if (isMainThread) lockDown();
wire.send(lineOf({ t: "ready", protocol: 1, runtime: "ts", version }, "The version"));
stdin.resume();

function take(message: Message): void {
  if (message["t"] === "call") last = last.then(async () => await answer(message));
}

async function answer(call: Message): Promise<void> {
  const [inputs, source] = call["args"] as readonly Json[];
  const value = await valueOf(textOf(call["name"]) ?? "", inputs as readonly string[], source);
  wire.send(lineOf({ t: "done", id: call["id"], value }, "The result"));
}

async function valueOf(name: string, inputs: readonly string[], source: Json | undefined): Promise<object> {
  const script = await scriptOf(name, textOf(source));
  if (script === undefined) return { kind: "unknown" };
  if ("fault" in script) return { kind: "fault", message: script.fault };
  const results = await turn(script, inputs);
  makeRoom();
  if (dropped > MOST_DROPPED) {
    dropped = 0;
    collect();
  }
  return { kind: "ran", results };
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

async function turn(script: LoadedScript, inputs: readonly string[]): Promise<ScriptResult[]> {
  const results: ScriptResult[] = [];
  const end = performance.now() + TURN_MS;
  let size = 0;
  for (const input of inputs) {
    const before = script.bytes;
    const result = await script.run(input);
    // Its machine was dropped, with a memory that may have grown.
    if (script.bytes === 0) dropped += before + GROWTH;
    results.push(result);
    if (result.kind === "request") size += result.body.length + result.headers.length;
    if (size > MOST_RESULTS || performance.now() > end) break;
  }
  return results;
}

async function scriptOf(name: string, source: string | undefined): Promise<Loaded | undefined> {
  const known = scripts.get(name) ?? (source === undefined ? undefined : await load(source));
  if (known === undefined) return undefined;
  scripts.delete(name);
  scripts.set(name, known);
  return known;
}

/** Keeps at least the script that ran last. */
function makeRoom(): void {
  let bytes = scripts.values().reduce((sum, one) => sum + bytesOf(one), 0);
  for (const [name, script] of scripts) {
    if (scripts.size === 1 || (scripts.size <= MOST_SCRIPTS && bytes <= MOST_BYTES)) return;
    scripts.delete(name);
    bytes -= bytesOf(script);
    dropped += bytesOf(script);
  }
}

function bytesOf(script: Loaded): number {
  return "fault" in script ? 0 : script.bytes;
}

async function load(source: string): Promise<Loaded> {
  try {
    const script = strip(source, { mode: "strip" });
    if (!EXPORT.test(script)) return { fault: "The script must export a function with the name transform." };
    return await loadScript(script.replace(EXPORT, (text) => " ".repeat(text.length)));
  } catch (error) {
    return { fault: error instanceof Error ? faultOf(error) : "The script is not valid." };
  }
}

/** Types are left out without moving a line, so that both parsers count as the author does. */
function faultOf({ name, message, stack = "" }: Error): string {
  const line = /^:(\d+)\n|transform:(\d+)/.exec(stack);
  const place = line === null ? "" : ` (line ${line[1] ?? line[2]})`;
  return `${name}: ${message}`.slice(0, 1000) + place;
}
