// Written by hand on node:util: the command line's package depends on nothing, and its help is a promise of its own (decision 0265).
import { parseArgs } from "node:util";

export { closest, editDistance } from "./nearest.ts";

/** A command line that is not of its form (sysexits.h). */
export const EX_USAGE = 64;
const EX_FAILURE = 1;

/** A command that cannot do what was asked; the message says why, and what to do. */
export class CommandError extends Error {
  /** The exit code of the process (sysexits.h). */
  readonly exit: number;

  constructor(message: string, exit: number = EX_FAILURE, cause?: unknown) {
    super(message, { cause });
    this.name = "CommandError";
    this.exit = exit;
  }
}

/** A command line that names no command, or does not follow the form of the one that it names. */
export class UsageError extends CommandError {
  constructor(message: string, cause?: unknown) {
    super(message, EX_USAGE, cause);
    this.name = "UsageError";
  }
}

export interface OptionForm {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  readonly short?: string;
}

/** The words and options of a command line. */
export interface Given<Name extends string = string> {
  readonly words: readonly string[];
  /** The option's value, the last one if it was given several times; undefined if it was not given. */
  text(name: Name): string | undefined;
  texts(name: Name): readonly string[];
  has(name: Name): boolean;
}

/** Throws UsageError for an option that does not exist or lacks its value; `explain` makes the message from what Node says. */
export function readArguments<Name extends string>(
  args: readonly string[],
  options: Readonly<Record<Name, OptionForm>>,
  explain: (fault: string) => string,
): Given<Name> {
  try {
    const forms = Object.entries<OptionForm>(options).map(([name, { type, multiple = false, short }]) => [
      name,
      { type, multiple, ...(short === undefined ? {} : { short }) },
    ]);
    const { positionals, values } = parseArgs({
      args: [...args],
      options: Object.fromEntries(forms),
      allowPositionals: true,
    });
    return givenOf(positionals, values);
  } catch (error) {
    throw new UsageError(explain(error instanceof Error ? error.message : String(error)), error);
  }
}

/** Returns words and option values with the accessors of {@link Given}. */
export function givenOf(words: readonly string[], values: Readonly<Record<string, unknown>>): Given {
  const textsOf = (name: string): readonly string[] => {
    const value = values[name];
    return (Array.isArray(value) ? (value as unknown[]) : [value]).filter((one) => typeof one === "string");
  };
  return {
    words,
    text: (name) => textsOf(name).at(-1),
    texts: textsOf,
    has: (name) => values[name] !== undefined && values[name] !== false,
  };
}

/** Finds the command whose name has the most of the first words. */
export function findCommand<Command extends { readonly name: string }>(
  commands: readonly Command[],
  words: readonly string[],
): Command | undefined {
  const fitting = commands.filter(({ name }) => name.split(" ").every((word, at) => words[at] === word));
  return fitting.toSorted((a, b) => b.name.length - a.name.length)[0];
}
