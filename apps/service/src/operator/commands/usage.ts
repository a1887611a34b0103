import { CommandError, EX_USAGE, UsageError } from "../../../../../packages/command-line/src/command-line.ts";
import type { Given } from "../../../../../packages/command-line/src/command-line.ts";
import type { Command } from "./command.ts";

export const OPTIONS = {
  name: { type: "string" },
  "owner-email": { type: "string" },
  email: { type: "string" },
  workspace: { type: "string" },
  "clear-totp": { type: "boolean" },
  key: { type: "string" },
  "second-key": { type: "string" },
  "public-key": { type: "string" },
  connectors: { type: "string" },
  development: { type: "boolean" },
  revoke: { type: "string" },
  out: { type: "string" },
  force: { type: "boolean" },
  "include-master-key": { type: "boolean" },
  "dry-run": { type: "boolean" },
  shards: { type: "string" },
  egress: { type: "string" },
  "public-name": { type: "string" },
  runtime: { type: "string" },
  settings: { type: "string" },
  json: { type: "boolean" },
} as const;

export type Option = keyof typeof OPTIONS;
export type TypedArguments = Given<Option>;

/** The syntax of a command. */
export interface CommandForm {
  /** The words that the command begins with, such as `connector trust`. */
  readonly name: string;
  /** The arguments after the name, one line for each form. */
  readonly usage: readonly string[];
  readonly runs: keyof typeof HEADINGS;
  /** Set if one word, such as a file, follows the name. Otherwise no word follows. */
  readonly takesSubject?: true;
  /** The message for a wrong number of words. Without it, the command is reported as unknown. */
  readonly wrongWords?: string;
  load(): Promise<ReadCommand>;
}

/** Returns the command. Throws UsageError or CommandError for invalid options, before anything is read or opened. */
export type ReadCommand = (given: TypedArguments, subject: string) => Command;

/** The headings that say when a command may run, in the order of the usage text. */
const HEADINGS = {
  always: "Usage, whether or not a service is running:",
  stopped: "While no service is running on the database:",
  files: "On a connector author's machine, without a service:",
  development:
    "With a running service, a sandbox key in JUNCTION_API_KEY and the service's address in JUNCTION_BASE_URL:",
} as const;

/** Returns the text that lists all commands. */
export function usageOf(commands: readonly CommandForm[]): string {
  const parts = Object.entries(HEADINGS).map(([when, heading]) => {
    const shown = commands.filter(({ runs }) => runs === when);
    const lines = shown.flatMap(({ name, usage }) => usage.map((form) => `  ${MAIN} ${name} ${form}`.trimEnd()));
    return [heading, ...lines].join("\n");
  });
  return parts.join("\n\n");
}

const MAIN = "node apps/service/src/main.ts";

/** The form of an option's value, as a pattern and in words. */
export interface Form {
  readonly pattern: RegExp;
  readonly what: string;
}

export const NAME_FORM: Form = {
  pattern: /^[^\p{Cc}]{1,100}$/u,
  what: "1 to 100 characters without control characters",
};
const ANY_FORM: Form = { pattern: /./, what: "a non-empty text" };

/** Returns an option. Throws UsageError if it is missing, and CommandError if its value does not match the form. */
export function textOption(given: TypedArguments, name: Option, { pattern, what }: Form = ANY_FORM): string {
  const value = given.text(name);
  if (value === undefined) throw new UsageError(`--${name} is missing.`);
  if (!pattern.test(value))
    throw new CommandError(`--${name} must be ${what}; got ${JSON.stringify(value)}.`, EX_USAGE);
  return value;
}

/** Returns an option like {@link textOption}, or undefined if it is missing. */
export function optionalText(given: TypedArguments, name: Option, form: Form = ANY_FORM): string | undefined {
  return given.has(name) ? textOption(given, name, form) : undefined;
}
