/**
 * A machine of its own for a test: name server, hosts file, public addresses, HTTPS receivers, and the service as `npm start` starts it
 * there with its defaults.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Agent, fetch } from "undici";
import type { Headers } from "undici";
import { connect } from "./channel.ts";
import type { Inside } from "./channel.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

/** Whatever JSON text holds; a test knows the shape that it asks for. */
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
  /** A call of the service on 127.0.0.1:4000, as from a program on the world's machine. */
  api(method: string, path: string, body?: unknown, options?: ApiOptions): Promise<Answer>;
  /** Starts `npm start` with no variable but `env` and answers what it printed once it is ready. */
  npmStart(env?: Readonly<Record<string, string>>, args?: readonly string[]): Promise<string>;
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
  const own = { ...callsOf(inside, agent), close };
  return new Proxy(own as World, {
    get: (target, name: string) =>
      Reflect.get(target, name) ?? (name === "then" ? undefined : Reflect.get(inside, name)),
  });
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
      await inside.start({ command: ["npm", "start", "--", ...args], env });
      const until = Date.now() + READY_MS;
      for (;;) {
        const output = await inside.output();
        if (output.includes("Junction is ready")) return output;
        const exitCode = await inside.exitCode();
        if (exitCode !== null || Date.now() > until)
          throw new Error(`not ready (exit code ${String(exitCode)}):\n${output}`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    },
    async until(path, key, wanted) {
      const until = Date.now() + UNTIL_MS;
      for (;;) {
        const { status, text, body } = await calls.api("GET", path, undefined, { key });
        if (status === 200 && wanted(body)) return body;
        if (Date.now() > until) throw new Error(`${path} did not become as wanted: ${status} ${text}`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    },
  };
  return calls;
}

function parsed(text: string): Parsed {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
