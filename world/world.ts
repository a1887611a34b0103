/**
 * A machine of its own for a test, with name server, hosts file, public addresses, HTTPS receivers, and the service as `npm start` starts it
 * with its defaults.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Agent, fetch } from "undici";
import type { Headers } from "undici";
import { connect } from "./channel.ts";
import type { Inside } from "./channel.ts";
import type { StartPlan } from "./messages.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

/** The value of any JSON text. A test knows the shape that it asks for. */
type Parsed = ReturnType<typeof JSON.parse>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined where it is not JSON. */
  readonly body: Parsed;
}

export interface ApiOptions {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface World extends Inside {
  /** Calls the service on 127.0.0.1:4000, as a program on the world's machine does. */
  api(method: string, path: string, body?: unknown, options?: ApiOptions): Promise<Answer>;
  /** Starts `npm start` with no variable but `env` and returns its output once it is ready. */
  npmStart(env?: Readonly<Record<string, string>>, args?: readonly string[]): Promise<string>;
  /** Starts a program that is the service and returns its output once it is ready. */
  startUntilReady(plan: StartPlan): Promise<string>;
  /** Polls `GET path` until the body is as wanted. */
  until(path: string, key: string, wanted: (body: Parsed) => boolean): Promise<Parsed>;
  close(): Promise<void>;
}

const READY_MS = 120_000;
const UNTIL_MS = 60_000;
const POLL_MS = 50;

export async function createWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), "junction-world-"));
  const scratch = join(folder, "scratch");
  await mkdir(scratch);
  const socket = join(folder, "socket");
  const { inside, end } = await connect([ROOT, scratch, socket]);
  const agent = new Agent({ connect: { socketPath: socket } });
  const close = async (): Promise<void> => {
    await end();
    await agent.destroy();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...inside, ...callsOf(inside, agent), close };
}

/** Reads every POLL_MS until `isDone`. Throws with `fault` after `limitMs`. */
async function poll<Value>(
  read: () => Promise<Value>,
  isDone: (value: Value) => boolean,
  { limitMs, fault }: { readonly limitMs: number; readonly fault: (last: Value) => string },
): Promise<Value> {
  const limit = Date.now() + limitMs;
  for (;;) {
    const value = await read();
    if (isDone(value)) return value;
    if (Date.now() > limit) throw new Error(fault(value));
    await sleep(POLL_MS);
  }
}

function callsOf(inside: Inside, dispatcher: Agent): Omit<World, keyof Inside | "close"> {
  const calls: ReturnType<typeof callsOf> = {
    async api(method, path, body, { key, headers = {} } = {}) {
      const response = await fetch(`http://127.0.0.1:4000${path}`, {
        method,
        dispatcher,
        redirect: "manual",
        headers: {
          ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: parsed(text) };
    },
    async npmStart(env = {}, args = []) {
      return await calls.startUntilReady({ command: ["npm", "start", "--", ...args], env });
    },
    async startUntilReady(plan) {
      await inside.start(plan);
      const { output } = await poll(
        async () => ({ output: await inside.output(), exitCode: await inside.exitCode() }),
        ({ output: text, exitCode }) => {
          if (exitCode !== null) throw new Error(`ended before it was ready (exit code ${exitCode}):\n${text}`);
          return text.includes("Junction is ready");
        },
        { limitMs: READY_MS, fault: ({ output: text }) => `not ready in time:\n${text}` },
      );
      return await whole(inside, output);
    },
    async until(path, key, wanted) {
      const { body } = await poll(
        async () => await calls.api("GET", path, undefined, { key }),
        (answer) => answer.status === 200 && wanted(answer.body),
        { limitMs: UNTIL_MS, fault: ({ status, text }) => `${path} did not become as wanted: ${status} ${text}` },
      );
      return body;
    },
  };
  return calls;
}

/** Reads the claim link's token and the sandbox key from what a first start printed. Throws when one is missing. */
export function announced(output: string): { readonly token: string; readonly sandboxKey: string } {
  const token = /\/setup\?token=(\w+)/.exec(output)?.[1];
  const sandboxKey = /jn_test_\w+/.exec(output)?.[0];
  if (token === undefined || sandboxKey === undefined) throw new Error(`no claim link or no sandbox key:\n${output}`);
  return { token, sandboxKey };
}

/** Waits for the links, which follow the ready line on another stream. Returns the output once nothing is added for a second. */
async function whole(inside: Inside, output: string): Promise<string> {
  await sleep(1000);
  const later = await inside.output();
  return later === output ? output : await whole(inside, later);
}

function parsed(text: string): Parsed {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
