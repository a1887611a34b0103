import { findCommand, readArguments, UsageError } from "../../../../../packages/command-line/src/command-line.ts";
import type { Command } from "./command.ts";
import { COMMANDS } from "./forms.ts";
import { OPTIONS, usageOf } from "./usage.ts";

/** The text that is printed for an invalid command line. */
export const USAGE = usageOf(COMMANDS);

/** Returns the command of these arguments, checked before any database is opened. Throws UsageError and CommandError. */
export async function commandOf(args: readonly string[]): Promise<Command> {
  const given = readArguments(args, OPTIONS, (fault) => fault);
  const found = findCommand(COMMANDS, given.words);
  const subjects = given.words.slice(found?.name.split(" ").length);
  if (found === undefined || subjects.length !== (found.takesSubject === true ? 1 : 0))
    throw new UsageError(found?.wrongWords ?? `Unknown command: ${given.words.join(" ")}.`);
  const read = await found.load();
  return read(given, subjects[0] ?? "");
}
