import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { EXIT } from "./exit.ts";
import { redacted } from "./text.ts";

/** All that a command sees of the process. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a person can be asked: input and messages are a terminal's. */
  readonly canAsk: boolean;
  /** Whether what is printed is read by a person. */
  readonly isTerminal: boolean;
  readonly hasColor: boolean;
  /** Whether long work may draw how far it is, among the messages. */
  readonly showsProgress: boolean;
  /** Of the terminal; 0 where nothing limits a line. */
  readonly columns: number;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  /** Results, as they are. */
  out(text: string): void;
  /** Messages. A key or a secret in them is not shown. */
  err(text: string): void;
  /** All of standard input. */
  input(): Promise<string>;
  /** One line that a person types; it does not appear when hidden. Throws where nobody can be asked. */
  ask(question: string, options?: { readonly hidden?: boolean }): Promise<string>;
  /** From now on this text is printed nowhere. */
  hide(secret: string): void;
}

const GRACE_MS = 2000;

export function terminalIo(from: NodeJS.Process): Io {
  const { env, stdin, stdout, stderr } = from;
  const hidden: string[] = [];
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) from.once(signal, () => interrupt(from, stop));
  // A reader that has seen enough, such as `head`, is no fault.
  stdout.on("error", () => from.exit(0));
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
      if (!canAsk) throw new Error("there is no terminal to ask on");
      return await typed(from, question, isHidden);
    },
    hide: (secret) => void hidden.push(secret),
  };
}

/** What waits for the signal ends by itself; a request under way is not waited for long. */
function interrupt(from: NodeJS.Process, stop: AbortController): void {
  stop.abort();
  setTimeout(() => from.exit(EXIT.interrupted), GRACE_MS).unref();
}

async function typed({ stdin, stderr }: NodeJS.Process, question: string, isHidden: boolean): Promise<string> {
  // The line editor echoes what is typed to its output: for a secret, to nowhere.
  const output = isHidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : stderr;
  const lines = createInterface({ input: stdin, output, terminal: true });
  // From here on the terminal itself echoes nothing, so that what is typed early is not shown either.
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
