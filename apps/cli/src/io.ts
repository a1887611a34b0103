import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { EXIT } from "./exit.ts";
import { redacted } from "./text.ts";

/** Everything that a command sees of the process. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if a person can be asked: input and messages use a terminal. */
  readonly canAsk: boolean;
  /** True if a person reads the output. */
  readonly isTerminal: boolean;
  readonly hasColor: boolean;
  /** True if long work may draw its progress among the messages. */
  readonly showsProgress: boolean;
  /** The width of the terminal; 0 if lines are not limited. */
  readonly columns: number;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  /** Prints results unchanged. */
  out(text: string): void;
  /** Prints messages. A key or a secret in them is not shown. */
  err(text: string): void;
  /** Returns all of standard input. */
  input(): Promise<string>;
  /** Returns one line that a person types; a hidden line does not appear. Throws if no person can be asked. */
  ask(question: string, options?: { readonly hidden?: boolean }): Promise<string>;
  /** Stops this text from being printed from now on. */
  hide(secret: string): void;
}

const GRACE_MS = 2000;

export function terminalIo(from: NodeJS.Process): Io {
  const { env, stdin, stdout, stderr } = from;
  const hidden: string[] = [];
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) from.once(signal, () => interrupt(from, stop));
  stdout.on("error", (error: NodeJS.ErrnoException) => endWithoutOutput(from, error));
  const canAsk = stdin.isTTY && stderr.isTTY;
  return {
    env,
    canAsk,
    isTerminal: stdout.isTTY,
    hasColor: stdout.isTTY && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb",
    showsProgress: stderr.isTTY && env["TERM"] !== "dumb",
    columns: stdout.isTTY ? stdout.columns : 0,
    signal: stop.signal,
    out: (text) => void stdout.write(withoutAny(text, hidden)),
    err: (text) => void stderr.write(redacted(withoutAny(text, hidden))),
    input: async () => await textOf(stdin),
    async ask(question, { hidden: isHidden = false } = {}) {
      if (!canAsk) throw new Error("cannot prompt without a terminal");
      return await typed(from, question, isHidden);
    },
    hide: (secret) => void hidden.push(secret),
  };
}

function endWithoutOutput({ stderr, exit }: NodeJS.Process, { code, message }: NodeJS.ErrnoException): never {
  // A reader that ends early, such as `head`, is not a fault.
  if (code === "EPIPE") return exit(EXIT.done);
  stderr.write(`junction: The output cannot be written: ${code ?? message}.\n`);
  return exit(EXIT.output);
}

/** Lets work that waits for the signal end by itself. A request in progress gets a short time. */
function interrupt(from: NodeJS.Process, stop: AbortController): void {
  stop.abort();
  setTimeout(() => from.exit(EXIT.interrupted), GRACE_MS).unref();
}

async function typed({ stdin, stderr }: NodeJS.Process, question: string, isHidden: boolean): Promise<string> {
  // The line editor echoes typed text to its output, which is discarded for a secret.
  const output = isHidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : stderr;
  const lines = createInterface({ input: stdin, output, terminal: true });
  // From here on, the terminal itself echoes nothing, so that text that is typed early is not shown either.
  stderr.write(question);
  const ended = new AbortController();
  lines.once("SIGINT", () => ended.abort()).once("close", () => ended.abort());
  try {
    return (await lines.question("", { signal: ended.signal })).trim();
  } finally {
    lines.close();
    if (isHidden) stderr.write("\n");
  }
}

function withoutAny(text: string, hidden: readonly string[]): string {
  return hidden.reduce((clean, secret) => clean.replaceAll(secret, "[redacted]"), text);
}
