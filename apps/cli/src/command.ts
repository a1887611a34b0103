import type { Given, OptionForm } from "../../../packages/command-line/src/command-line.ts";
import type { Junction } from "../../../sdks/node/src/index.ts";
import type { Io } from "./io.ts";
import type { Printer } from "./printer.ts";
import type { Account } from "./settings.ts";

/** An option, and what `--help` says of it. */
export interface Option extends OptionForm {
  /** What stands for its value in the help: `<file>`. */
  readonly value?: string;
  readonly about: string;
}

export type Options = Readonly<Record<string, Option>>;

export interface Context extends Given {
  readonly io: Io;
  readonly print: Printer;
  /** The whole command line as it was typed after the command's name. */
  readonly raw: readonly string[];
  /** Who calls which service, by environment or `junction login`. Throws `CommandError` where no key is known. */
  account(): Promise<Account>;
  /** A client of that account. */
  junction(): Promise<Junction>;
}

export interface Command {
  /** One word, or two: `endpoints list`. */
  readonly name: string;
  /** What is typed after the name: `<event>`. */
  readonly usage: string;
  readonly summary: string;
  readonly description?: string;
  readonly options?: Options;
  /** How many words it takes. */
  readonly words: { readonly least: number; readonly most: number };
  /** Everything after the name goes to another program as it is. */
  readonly passesOn?: boolean;
  run(context: Context): Promise<ExitOrNothing>;
}

/** A number where a command ends otherwise than done without having failed. */
export type ExitOrNothing = number | undefined | void;

export const COMMON: Options = {
  json: { type: "boolean", about: "Print JSON. This is the default if standard output is not a terminal." },
  help: { type: "boolean", short: "h", about: "Show this." },
};
