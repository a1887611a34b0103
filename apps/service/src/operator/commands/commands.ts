import { findCommand, readArguments, UsageError } from "../../../../../packages/command-line/src/command-line.ts";
import { authorCommands } from "./author-commands.ts";
import type { Command } from "./command.ts";
import { connectorCommands } from "./connector-commands.ts";
import { operatorCommands } from "./operator-commands.ts";
import { peopleCommands } from "./people-commands.ts";
import { OPTIONS, usageOf } from "./usage.ts";
import type { CommandForm } from "./usage.ts";

/** All commands. The usage shows those of one heading in this order. */
const COMMANDS: readonly CommandForm[] = [
  ...peopleCommands,
  ...connectorCommands,
  ...operatorCommands,
  ...authorCommands,
];

/** The text that is printed for an invalid command line. */
export const USAGE = usageOf(COMMANDS);

/** Returns the command of these arguments, checked before any database is opened. Throws UsageError and CommandError. */
export function commandOf(args: readonly string[]): Command {
  const given = readArguments(args, OPTIONS, (fault) => fault);
  const found = findCommand(COMMANDS, given.words);
  const subjects = given.words.slice(found?.name.split(" ").length);
  if (found === undefined || subjects.length !== (found.takesSubject === true ? 1 : 0))
    throw new UsageError(found?.wrongWords ?? `Unknown command: ${given.words.join(" ")}.`);
  return found.read(given, subjects[0] ?? "");
}
