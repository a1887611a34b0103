import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createTelemetry } from "../../../platform/telemetry/telemetry.ts";
import { createHosts, HookError, nodeBackend } from "../hosts.ts";
import { refusals } from "../node-backend.ts";
import type { Backend, CrashKind, HookCall, Hosts, HostsDeps, LogLine, Program } from "../hosts.ts";
import type { Json } from "../../../lib/lib.ts";

export interface TestHosts extends Hosts {
  readonly directory: string;
  /** The ids of programs, with the reasons why their children were ended. */
  readonly crashes: (readonly [string, CrashKind])[];
}

export interface CallOptions {
  readonly hook?: HookCall["hook"];
  readonly args?: readonly Json[];
  readonly deadlineMs?: number;
  readonly event?: Json;
  readonly settings?: Record<string, Json>;
  readonly service?: HookCall["service"];
  readonly log?: LogLine[];
}

export type Call = (name: string, options?: CallOptions) => Promise<Json>;

let programs = 0;

/** Starts hosts that end with the test. */
export function startHosts(deps: Partial<HostsDeps> = {}): TestHosts {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "junction-hosts-")));
  const crashes: (readonly [string, CrashKind])[] = [];
  const hosts = createHosts({
    log: createTelemetry("fatal").log,
    directory,
    backends: [nodeBackend()],
    // A machine may be busy with other tests.
    waitMs: 60_000,
    crashListeners: () => [({ id }, kind) => crashes.push([id, kind])],
    ...deps,
  });
  onTestFinished(async () => {
    await hosts.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  return { ...hosts, directory, crashes };
}

export function programOf(files: Record<string, string>, more: Partial<Program> = {}): Program {
  programs += 1;
  const id = `workspace/program-${programs}`;
  const contents = new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
  return { id, digest: id, runtime: "ts", key: "acme", files: async () => await Promise.resolve(contents), ...more };
}

/** Returns a connector whose context providers are these methods. The first line of each is `name(argument) {`. */
export function connectorOf(
  methods: string,
  more: { readonly imports?: string; readonly hooks?: string } = {},
): string {
  const names = [...methods.matchAll(/^\s{0,4}(?:async )?(\w+)\([^)]*\) \{/gm)].map(([, name]) => `${name}: "${name}"`);
  return `import { AbstractConnector, HostError } from "@junction/connector";
${more.imports ?? ""}
export class Acme extends AbstractConnector {
  key() { return "acme"; }
  contextProviders() { return { ${names.join(", ")} }; }
  ${more.hooks ?? ""}
  ${methods}
}
void HostError;`;
}

export function caller(hosts: Hosts, program: Program): Call {
  return async (name, options = {}) =>
    await hosts.call(program, {
      hook: options.hook ?? "context",
      name,
      args: options.args ?? [],
      deadlineMs: options.deadlineMs ?? 20_000,
      facts: {
        event: options.event ?? null,
        settings: options.settings ?? {},
        environment: "live",
        now: "2026-11-21T13:00:00.000Z",
      },
      service: options.service ?? (async (service, args) => await Promise.resolve([service, ...args])),
      log: (line) => options.log?.push(line),
    });
}

/** Returns the failure of a call. */
export async function failureOf(call: Promise<Json>): Promise<HookError> {
  const outcome = await call.then(
    (value) => new Error(`It answered ${JSON.stringify(value)}.`),
    (error: unknown) => error,
  );
  if (outcome instanceof HookError) return outcome;
  throw outcome;
}

/**
 * Starts a connector that echoes its argument, in its own child. It is called continuously in the background until
 * `stop`.
 */
export async function neighbourOf(hosts: Hosts): Promise<{ stop(): Promise<number> }> {
  const call = caller(hosts, programOf({ "connector.ts": connectorOf("echo(value) { return value; }") }));
  await call("echo", { args: [0] });
  let stopped = false;
  let answered = 0;
  const asking = (async () => {
    while (!stopped) {
      const value = await call("echo", { args: [answered], deadlineMs: 20_000 });
      if (value !== answered) throw new Error("The neighbour answered something else.");
      answered += 1;
    }
  })();
  // A test that failed earlier does not handle this error.
  asking.catch(() => {});
  return {
    stop: async () => {
      const before = answered;
      while (answered === before) await Promise.race([asking, new Promise((resolve) => setTimeout(resolve, 5))]);
      stopped = true;
      await asking;
      return answered;
    },
  };
}

/** Returns a backend whose child runs the program's `main.mjs` directly, so that only the isolation limits it. */
export function rawBackend(options: { readonly permission: boolean }): Backend {
  const node = realpathSync(process.execPath);
  return {
    runtime: "ts",
    name: "raw",
    memoryBytes: 256 * 1024 ** 2,
    calls: 4,
    argv: ({ directory }) => [
      node,
      ...(options.permission ? refusals([directory]) : ["--no-warnings"]),
      join(directory, "main.mjs"),
    ],
    reads: [node],
    probe: async () => await Promise.resolve({ version: "0" }),
  };
}

/** Returns a child that runs `onCall` for each call. */
export function rawProgram(onCall: string, before = "", ready = true): Program {
  return programOf({
    "main.mjs": `import fs from "node:fs";
const write = (text) => { for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(fs.writeSync(1, rest)); };
const say = (message) => write(JSON.stringify(message) + "\\n");
const done = (call, value = null) => say({ t: "done", id: call.id, value });
const answers = [];
async function on(call) { ${onCall} }
${before}
if (${ready}) say({ t: "ready", protocol: 1, runtime: "ts", version: "1" });
let rest = "";
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n");
  rest = lines.pop();
  for (const message of lines.map((line) => JSON.parse(line))) {
    if (message.t === "call") on(message);
    else answers.shift()?.(message);
  }
});
process.stdin.on("end", () => process.exit(0));
`,
  });
}
