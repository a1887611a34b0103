import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";

/** A process of the bench that answers one command at a time. */
export interface Child {
  readonly pid: number;
  /** Sends a command, waits for its result. Rejects when the command failed or the process is gone. */
  ask<Result>(command: string, options?: object): Promise<Result>;
  stop(): Promise<void>;
}

interface Ask {
  readonly id: number;
  readonly command: string;
  readonly options: object;
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

type Commands = Readonly<Record<string, (options: never) => unknown>>;

/** Starts `file`, which calls `serveCommands`. */
export function startChild(file: URL): Child {
  const child = fork(file, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let asked = 0;
  child.on("message", (answer: Answer) => {
    const wait = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.error === undefined) wait?.resolve(answer.result);
    else wait?.reject(new Error(answer.error));
  });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      for (const wait of waiting.values()) wait.reject(new Error(`${file.pathname} ended in the middle of a command`));
      resolve();
    });
  });
  return {
    pid: child.pid ?? 0,
    async ask<Result>(command: string, options: object = {}) {
      const wait = Promise.withResolvers<unknown>();
      asked += 1;
      waiting.set(asked, wait);
      child.send({ id: asked, command, options } satisfies Ask);
      return (await wait.promise) as Result;
    },
    stop: async () => await end(child, ended),
  };
}

/** The child's half: answers what the parent asks, and ends with it. */
export function serveCommands(commands: Commands): void {
  process.on("disconnect", () => process.exit(0));
  process.on("SIGINT", () => undefined);
  process.on("message", (ask: Ask) => {
    void answerOf(commands, ask).then((answer) => process.send?.(answer));
  });
}

async function answerOf(commands: Commands, { id, command, options }: Ask): Promise<Answer> {
  try {
    return { id, result: await commands[command]?.(options as never) };
  } catch (error) {
    return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

async function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await ended;
}
