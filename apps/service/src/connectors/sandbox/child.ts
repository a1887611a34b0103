import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";

const MAX_LINE_BYTES = 4 * 1024 * 1024;
const MAX_STDERR_BYTES = 64 * 1024;
/** The maximum of unsent input for a child that does not read it. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024;
/** Standard error is read in portions with pauses, so that a flood slows down the child and not the service. */
const STDERR_PAUSE_MS = 50;
/** The time for which the streams of an ended child may stay open. */
const LAST_WORDS_MS = 250;

/** A child process that reads and writes lines. */
export type Child = ReturnType<typeof startChild>;

export interface ChildEvents {
  /** Receives a line without its end. The bytes are valid only during the call. */
  line(bytes: Buffer): void;
  fault(what: string): void;
}

/** Starts a command with an empty environment. Never throws: a failed start resolves `gone`. */
export function startChild(command: readonly string[], events: ChildEvents) {
  const [program = "", ...args] = command;
  // The separate process group lets all processes be killed together. The guard watches the fourth stream to detect the
  // end of the service.
  const child = spawn(program, args, { cwd: "/", env: {}, stdio: ["pipe", "pipe", "pipe", "pipe"], detached: true });
  const { stdin } = child;
  const stderr = keepEnd(child.stderr);
  // A child that ends closes its streams while they are in use. `gone` reports its end.
  for (const stream of child.stdio) stream?.on("error", () => {});
  child.stdout?.on("data", cutLines(events));
  const send = batched(stdin, () => {
    if (stdin.writableLength > MAX_UNREAD_BYTES) events.fault("the process does not read its input.");
  });
  let alive = true;
  const kill = () => {
    if (alive) killGroup(child);
  };
  const gone = ended(child, stderr.drain).finally(() => {
    alive = false;
  });
  return {
    pid: child.pid,
    send /** Ends its whole process group at once. */,
    kill /** Resolves when the child has ended, with a description such as `exited with code 1`. */,
    gone /** Returns the end of its standard error. */,
    stderr: stderr.text,
  };
}

async function ended(child: ChildProcess, drain: () => void): Promise<string> {
  const closed = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
  });
  const how = await new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`could not be started (${error.message})`));
    child.once("exit", (code, signal) => {
      resolve(signal === null ? `exited with code ${code ?? 0}` : `was ended by ${signal}`);
    });
  });
  // The group's first process has ended. The remaining processes are killed, and the rest of their output is read.
  killGroup(child);
  drain();
  const patience = setTimeout(() => {
    for (const stream of child.stdio) stream?.destroy();
  }, LAST_WORDS_MS);
  await (child.pid === undefined ? undefined : closed);
  clearTimeout(patience);
  return how;
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

/** Combines the lines of one turn of the event loop into one write. */
function batched(stdin: Writable, written: () => void): (line: string) => void {
  let held: string[] = [];
  return (line) => {
    held.push(line);
    if (held.length > 1) return;
    setImmediate(() => {
      const text = held.join("\n");
      held = [];
      if (stdin.destroyed) return;
      stdin.write(`${text}\n`);
      written();
    });
  };
}

function cutLines({ line, fault }: ChildEvents): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let held = 0;
  return (chunk) => {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      if (held + end >= MAX_LINE_BYTES) return fault("a line has more than 4 MiB.");
      line(parts.length === 0 ? rest.subarray(0, end) : Buffer.concat([...parts, rest.subarray(0, end)]));
      parts = [];
      held = 0;
      rest = rest.subarray(end + 1);
    }
    if (rest.length === 0) return;
    parts.push(rest);
    held += rest.length;
    if (held >= MAX_LINE_BYTES) fault("a line has more than 4 MiB.");
  };
}

function keepEnd(stream: Readable): { text(): string; drain(): void } {
  let kept: Buffer = Buffer.alloc(0);
  let draining = false;
  stream.on("data", (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]).subarray(-MAX_STDERR_BYTES);
    if (draining) return;
    stream.pause();
    setTimeout(() => stream.resume(), STDERR_PAUSE_MS).unref();
  });
  return {
    text: () => kept.toString(),
    drain: () => {
      draining = true;
      stream.resume();
    },
  };
}
