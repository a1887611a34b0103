import type { ParseArgsOptionsConfig } from "node:util";
import type { Junction } from "../../../sdks/node/src/index.ts";
import type { Io } from "./io.ts";
import type { Printer } from "./printer.ts";
import type { Account } from "./settings.ts";

/** An option, and what `--help` says of it. */
export interface Option {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  readonly short?: string;
  /** What stands for its value in the help: `<file>`. */
  readonly value?: string;
  readonly about: string;
}

export type Options = Readonly<Record<string, Option>>;

/** What was typed after the command's name. */
export interface Given {
  readonly words: readonly string[];
  /** The option's value; undefined where it was not given. */
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  has(name: string): boolean;
}

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
  json: { type: "boolean", about: "JSON, as it also is where standard output is no terminal." },
  help: { type: "boolean", short: "h", about: "Show this." },
};

export function parseOptions(options: Options): ParseArgsOptionsConfig {
  return Object.fromEntries(
    Object.entries({ ...options, ...COMMON }).map(([name, { type, multiple = false, short }]) => [
      name,
      { type, multiple, ...(short === undefined ? {} : { short }) },
    ]),
  );
}
