import { findCommand, givenOf, readArguments, UsageError } from "../../../packages/command-line/src/command-line.ts";
import type { Given } from "../../../packages/command-line/src/command-line.ts";
import type { Junction } from "../../../sdks/node/src/index.ts";
import { COMMON } from "./command.ts";
import type { Command, Context } from "./command.ts";
import { commands } from "./commands.ts";
import { EXIT } from "./exit.ts";
import { failureJson, failureOf, failureText } from "./failure.ts";
import { helpOf, overview } from "./help.ts";
import type { Io } from "./io.ts";
import { createPrinter } from "./printer.ts";
import { clientOf, readAccount } from "./settings.ts";
import { nearest } from "./text.ts";
import { CLI_VERSION } from "./version.ts";

/** Runs one command line and returns its exit code. Never throws. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const wantsJson = args.includes("--json");
  try {
    const exit = (await obey(args, io)) ?? EXIT.done;
    return io.signal.aborted ? EXIT.interrupted : exit;
  } catch (error) {
    const failure = io.signal.aborted ? { ...failureOf(error), exit: EXIT.interrupted } : failureOf(error);
    // A user who interrupted the command needs no message.
    if (!io.signal.aborted) io.err(wantsJson ? failureJson(failure) : failureText(failure));
    return failure.exit;
  }
}

async function obey(args: readonly string[], io: Io): Promise<number | void> {
  const [first = "help"] = args;
  if (first === "--version") return io.out(`${CLI_VERSION}\n`);
  if (first === "help" || first === "--help" || first === "-h") return io.out(overview(commands));
  const command = findCommand(commands, args);
  if (command === undefined) return withoutCommand(args, io);
  const raw = args.slice(command.name.split(" ").length);
  if (command.passesOn !== true) return await runCommand(command, raw, io);
  if (raw[0] === "--help" || raw[0] === "-h") return io.out(helpOf(command));
  return await command.run(contextOf(io, raw, givenOf(raw, {})));
}

/** Shows the commands of a group. Throws for an unknown command, with the nearest known ones. */
function withoutCommand(args: readonly string[], io: Io): void {
  const words = args.filter((word) => !word.startsWith("-"));
  const group = groupOf(words);
  if (group !== "" && words.length === group.split(" ").length) return io.out(overview(commands, group));
  const known = group === "" ? [] : group.split(" ");
  const typed = words[known.length] ?? "";
  const near = nearest(typed, nextWords(known)).map((word) => `\`junction ${[...known, word].join(" ")}\``);
  const hint = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
  const list = `To list all commands, run \`junction ${group === "" ? "--help" : group}\`.`;
  throw new UsageError(`Unknown command: ${[...known, typed].join(" ")}.${hint} ${list}`);
}

/** Returns the longest beginning that is a group: "endpoints", "endpoints secret"; "" if there is none. */
function groupOf(words: readonly string[]): string {
  const groups = words.map((_, at) => words.slice(0, at + 1).join(" ")).filter((one) => namesIn(one).length > 0);
  return groups.at(-1) ?? "";
}

/** Returns the words that may follow. */
function nextWords(known: readonly string[]): Set<string> {
  const names = known.length === 0 ? commands.map(({ name }) => name) : namesIn(known.join(" "));
  return new Set(names.map((name) => name.split(" ")[known.length] ?? ""));
}

function namesIn(group: string): string[] {
  return commands.filter(({ name }) => name.startsWith(`${group} `)).map(({ name }) => name);
}

async function runCommand(command: Command, raw: readonly string[], io: Io): Promise<number | void> {
  const given = readArguments(raw, { ...command.options, ...COMMON }, (fault) => {
    const why = fault.replace(/\. To specify a positional.*$/s, ".");
    return `${why} For usage, run \`junction ${command.name} --help\`.`;
  });
  if (given.has("help")) return io.out(helpOf(command));
  const { least, most } = command.words;
  if (given.words.length < least || given.words.length > most)
    throw new UsageError(`Usage: junction ${`${command.name} ${command.usage}`.trim()}`);
  return await command.run(contextOf(io, raw, given));
}

function contextOf(io: Io, raw: readonly string[], given: Given): Context {
  let client: Junction | undefined;
  const account = async () => await readAccount(io);
  return {
    ...given,
    io,
    raw,
    print: createPrinter(io, given.has("json") || !io.isTerminal),
    account,
    async junction() {
      return (client ??= clientOf(await account()));
    },
  };
}
