import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { format } from "node:util";
import { bind } from "./binding.ts";
import { createCalls } from "./calls.ts";
import type { Call } from "./calls.ts";
import { tell } from "./fault.ts";
import { lockDown } from "./lockdown.ts";
import { confineImports } from "./modules.ts";
import { classOf, findHook } from "./shape.ts";
import type { ConnectorClass } from "./shape.ts";
import type { LogLevel } from "./types.ts";
import { lineOf, openWire, readMessages } from "./wire.ts";
import type { Message } from "./wire.ts";

/**
 * Runs a connector in TypeScript: `main.ts <its folder>`. The process speaks docs/reference/connector-protocol.md on
 * standard input and output. The isolation around this process restricts the code. The checks in here only make
 * mistakes visible early.
 */
// An import of node:process would read every member, and so open standard output and error without blocking.
const nodeProcess = globalThis.process;
const directory = nodeProcess.argv[2] ?? "/nowhere";
const root = `${pathToFileURL(directory).href}/`;
const runtime = new URL(".", import.meta.url);
const hidden = [runtime.href, runtime.pathname, root, `${directory}/`, directory];

const wire = openWire();
const calls = createCalls(wire);
const { stdin } = nodeProcess;
const exit = (nodeProcess as unknown as { reallyExit(code: number): void }).reallyExit.bind(nodeProcess);
const version = nodeProcess.versions.node;

const read = readMessages(take);
stdin.on("data", read);
stdin.on("end", () => exit(0));
stdin.on("error", () => exit(0));
stdin.pause();

nodeProcess.on("unhandledRejection", (reason) => {
  const told = tell(reason, hidden);
  const error = { ...told, message: `A promise was rejected without a handler: ${told.message}` };
  const call = calls.current();
  if (call === undefined || call.over) print(error.message);
  else call.end(lineOf({ t: "failed", id: call.id, error }, "An error"));
});

catchConsole();
confineImports(root, new URL("connector.ts", import.meta.url).href);
lockDown();

const loaded = await load();
wire.send(lineOf({ t: "ready", protocol: 1, runtime: "ts", version }, "The version"));
stdin.resume();

/** Returns the class, or the error with which every call fails. */
async function load(): Promise<ConnectorClass | { readonly thrown: unknown }> {
  try {
    return classOf((await import(`${root}connector.ts`)) as Record<string, unknown>);
  } catch (thrown) {
    return { thrown };
  }
}

function take(message: Message): void {
  if (message["t"] === "answer") return calls.answer(message);
  const call = calls.begin(message);
  void calls.run(call, async () => await run(call, message));
}

async function run(call: Call, message: Message): Promise<void> {
  try {
    if (!("prototype" in loaded)) throw loaded.thrown;
    const connector = bind(call.binding, () => new loaded());
    const hook = findHook(connector, message["hook"] as string, message["name"] as string);
    const value = (await hook(...(message["args"] as unknown[]))) ?? null;
    call.end(lineOf({ t: "done", id: call.id, value }, "What the hook returned"));
  } catch (error) {
    call.end(lineOf({ t: "failed", id: call.id, error: tell(error, hidden) }, "An error"));
  }
}

/**
 * Prints to standard error, of which the service keeps the end. Output is dropped if it is faster than the service
 * reads.
 */
function print(text: string): void {
  try {
    writeSync(2, `${text.slice(0, 8192)}\n`);
  } catch {
    // The pipe is full.
  }
}

/** Writes printed text to the log of the current call, because standard output belongs to the protocol. */
function catchConsole(): void {
  const levels: Readonly<Record<string, LogLevel>> = {
    debug: "debug",
    dir: "info",
    error: "error",
    info: "info",
    log: "info",
    table: "info",
    trace: "debug",
    warn: "warning",
  };
  for (const [name, level] of Object.entries(levels)) {
    const say = (...args: readonly unknown[]) => {
      const text = format(...args);
      const call = calls.current();
      if (call === undefined || call.over) print(text);
      else call.log(level, text);
    };
    Object.defineProperty(console, name, { value: say, writable: true, configurable: true });
  }
}
