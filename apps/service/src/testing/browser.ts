import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Browser {
  /** The value of an expression in the page; a promise is waited for. */
  evaluate(expression: string): Promise<unknown>;
  /** Polls until the expression is true. */
  until(expression: string): Promise<void>;
  close(): Promise<void>;
}

interface Reply {
  readonly id?: number;
  readonly result?: { readonly result?: { readonly value?: unknown }; readonly exceptionDetails?: object };
}

const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --remote-debugging-port=0";
const PATIENCE_MS = 60_000;

/** The Chromium that the tests' global setup found (tools/console/global-setup.ts); undefined where there is none. */
export function findBrowser(): string | undefined {
  const found = process.env["CHROMIUM"];
  if (found === undefined)
    console.warn("SKIPPED: tests in a browser: there is no Chromium, and none could be fetched from the npm registry.");
  return found;
}

/** A real browser on one page, spoken to by its own debugging protocol. */
export async function openBrowser(program: string, url: string): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), "junction-browser-"));
  const child = spawn(program, [...FLAGS.split(" "), `--user-data-dir=${profile}`, url], { stdio: "ignore" });
  const ended = once(child, "exit");
  const socket = await connect(join(profile, "DevToolsActivePort"), url);
  let sequence = 0;

  async function evaluate(expression: string): Promise<unknown> {
    const id = (sequence += 1);
    const reply = new Promise<Reply>((resolve) => {
      const heard = ({ data }: MessageEvent): void => {
        const message = JSON.parse(String(data)) as Reply;
        if (message.id !== id) return;
        socket.removeEventListener("message", heard);
        resolve(message);
      };
      socket.addEventListener("message", heard);
    });
    const params = { expression, awaitPromise: true, returnByValue: true };
    socket.send(JSON.stringify({ id, method: "Runtime.evaluate", params }));
    const { result } = await reply;
    if (result?.exceptionDetails !== undefined) throw new Error(JSON.stringify(result.exceptionDetails));
    return result?.result?.value;
  }

  return {
    evaluate,
    until: async (expression) => {
      // What is not there yet throws.
      const guarded = `(() => { try { return Boolean(${expression}); } catch { return false; } })()`;
      await polled(async () => ((await evaluate(guarded)) === true ? true : undefined), expression);
    },
    async close() {
      socket.close();
      child.kill();
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function connect(portFile: string, url: string): Promise<WebSocket> {
  const address = await polled(async () => {
    const [port] = (await readFile(portFile, "utf8").catch(() => "")).split("\n");
    if (port === undefined || port === "") return undefined;
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as Record<string, string>[];
    return targets.find((one) => one["url"]?.startsWith(url))?.["webSocketDebuggerUrl"];
  }, "the browser's page");
  const socket = new WebSocket(address);
  await once(socket, "open");
  return socket;
}

async function polled<Value>(look: () => Promise<Value | undefined>, what: string): Promise<Value> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await look();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`waited too long for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
