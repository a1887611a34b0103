/** Starts the process in the world's namespaces and calls its methods. */
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Methods } from "./inside.ts";
import type { Call, Reply } from "./messages.ts";
import { spawnInside } from "./namespaces.ts";

const PROGRAM = fileURLToPath(new URL("inside.ts", import.meta.url));

export type Inside = {
  readonly [Name in keyof Methods]: (...args: Parameters<Methods[Name]>) => Promise<Awaited<ReturnType<Methods[Name]>>>;
};

export interface Channel {
  readonly inside: Inside;
  /** Kills every process in the namespaces. */
  end(): Promise<void>;
}

export async function connect(programArgs: readonly string[]): Promise<Channel> {
  const child = spawnInside(PROGRAM, programArgs);
  const waiting = new Map<number, (reply: Reply) => void>();
  const ready = new Promise<Reply>((resolve) => waiting.set(0, resolve));
  child.on("message", (reply: Reply) => {
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  const ended = once(child, "exit").then(([code]) => {
    for (const [id, resolve] of waiting) resolve({ id, error: `the world ended (exit code ${String(code)})` });
  });
  const names = valueOf(await ready) as (keyof Methods)[];

  let calls = 0;
  async function call(method: string, args: readonly unknown[]): Promise<unknown> {
    calls += 1;
    const id = calls;
    const reply = new Promise<Reply>((resolve) => waiting.set(id, resolve));
    child.send({ id, method, args } satisfies Call);
    return valueOf(await reply);
  }

  return {
    inside: Object.fromEntries(
      names.map((name) => [name, async (...args: unknown[]) => await call(name, args)]),
    ) as unknown as Inside,
    async end() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function valueOf(reply: Reply): unknown {
  if ("error" in reply) throw new Error(reply.error);
  return reply.value;
}
