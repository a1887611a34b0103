import type { Given, OptionForm } from "../../../packages/command-line/src/command-line.ts";
import type { Junction } from "../../../sdks/node/src/index.ts";
import type { Io } from "./io.ts";
import type { Printer } from "./printer.ts";
import type { Account } from "./settings.ts";

/** An option, with its text in `--help`. */
export interface Option extends OptionForm {
  /** The placeholder of its value in the help: `<file>`. */
  readonly value?: string;
  readonly about: string;
}

export type Options = Readonly<Record<string, Option>>;

export interface Context extends Given {
  readonly io: Io;
  readonly print: Printer;
  /** The whole command line as typed after the command's name. */
  readonly raw: readonly string[];
  /**
   * Returns the key and the service, from the environment or `junction login`. Throws `CommandError` if there is no
   * key.
   */
  account(): Promise<Account>;
  /** Returns a client of that account. */
  junction(): Promise<Junction>;
}

export interface Command {
  /** One word or two: `endpoints list`. */
  readonly name: string;
  /** The arguments after the name in the help: `<event>`. */
  readonly usage: string;
  readonly summary: string;
  readonly description?: string;
  readonly options?: Options;
  /** The number of words that the command accepts. */
  readonly words: { readonly least: number; readonly most: number };
  /** True if everything after the name is passed to another program unchanged. */
  readonly passesOn?: boolean;
  run(context: Context): Promise<ExitOrNothing>;
}

/** The exit code of a command that ends neither done nor failed. */
export type ExitOrNothing = number | undefined | void;

export const COMMON: Options = {
  json: { type: "boolean", about: "Print JSON. This is the default if standard output is not a terminal." },
  help: { type: "boolean", short: "h", about: "Show this." },
};
