import { parseArgs } from "node:util";
import type { Junction } from "../../../sdks/node/src/index.ts";
import { parseOptions } from "./command.ts";
import type { Command, Context, Given } from "./command.ts";
import { commands } from "./commands.ts";
import { CommandError, EXIT } from "./exit.ts";
import { failureJson, failureOf, failureText } from "./failure.ts";
import { helpOf, overview } from "./help.ts";
import type { Io } from "./io.ts";
import { createPrinter } from "./printer.ts";
import { clientOf, readAccount } from "./settings.ts";
import { nearest } from "./text.ts";
import { CLI_VERSION } from "./version.ts";

/** Runs one command line and answers how it ended. Nothing is thrown. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const wantsJson = args.includes("--json");
  try {
    const exit = (await obey(args, io)) ?? EXIT.done;
    return io.signal.aborted ? EXIT.interrupted : exit;
  } catch (error) {
    const failure = io.signal.aborted ? { ...failureOf(error), exit: EXIT.interrupted } : failureOf(error);
    // Whoever ended it knows.
    if (!io.signal.aborted) io.err(wantsJson ? failureJson(failure) : failureText(failure));
    return failure.exit;
  }
}

async function obey(args: readonly string[], io: Io): Promise<number | void> {
  const [first = "help"] = args;
  if (first === "--version") return io.out(`${CLI_VERSION}\n`);
  if (first === "help" || first === "--help" || first === "-h") return io.out(overview(commands));
  const command = find(args);
  if (command === undefined) return withoutCommand(args, io);
  const raw = args.slice(command.name.split(" ").length);
  if (command.passesOn !== true) return await runCommand(command, raw, io);
  if (raw[0] === "--help" || raw[0] === "-h") return io.out(helpOf(command));
  return await command.run(contextOf(io, raw, { words: raw, values: {} }));
}

/** The command whose name has the most of the first words. */
function find(args: readonly string[]): Command | undefined {
  const fitting = commands.filter(({ name }) => name.split(" ").every((word, at) => args[at] === word));
  return fitting.toSorted((a, b) => b.name.length - a.name.length)[0];
}

/** A group alone shows what is in it; what is no command is told with what it may have meant. */
function withoutCommand(args: readonly string[], io: Io): void {
  const words = args.filter((word) => !word.startsWith("-"));
  const group = groupOf(words);
  if (group !== "" && words.length === group.split(" ").length) return io.out(overview(commands, group));
  const known = group === "" ? [] : group.split(" ");
  const typed = words[known.length] ?? "";
  const near = nearest(typed, nextWords(known)).map((word) => `\`junction ${[...known, word].join(" ")}\``);
  const hint = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
  const list = `\`junction ${group === "" ? "--help" : group}\` lists them.`;
  throw new CommandError(`"${[...known, typed].join(" ")}" is no command.${hint} ${list}`);
}

/** The first words that begin commands: "endpoints", "endpoints secret"; "" where none do. */
function groupOf(words: readonly string[]): string {
  const groups = words.map((_, at) => words.slice(0, at + 1).join(" ")).filter((one) => namesIn(one).length > 0);
  return groups.at(-1) ?? "";
}

/** What may follow these words. */
function nextWords(known: readonly string[]): Set<string> {
  const names = known.length === 0 ? commands.map(({ name }) => name) : namesIn(known.join(" "));
  return new Set(names.map((name) => name.split(" ")[known.length] ?? ""));
}

function namesIn(group: string): string[] {
  return commands.filter(({ name }) => name.startsWith(`${group} `)).map(({ name }) => name);
}

async function runCommand(command: Command, raw: readonly string[], io: Io): Promise<number | void> {
  const parsed = parse(command, raw);
  if (parsed.values["help"] === true) return io.out(helpOf(command));
  const { least, most } = command.words;
  if (parsed.words.length < least || parsed.words.length > most)
    throw new CommandError(`Usage: junction ${`${command.name} ${command.usage}`.trim()}`);
  return await command.run(contextOf(io, raw, parsed));
}

interface Parsed {
  readonly words: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
}

function parse(command: Command, raw: readonly string[]): Parsed {
  try {
    const options = parseOptions(command.options ?? {});
    const { positionals, values } = parseArgs({ args: [...raw], options, allowPositionals: true });
    return { words: positionals, values };
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/\. To specify a positional.*$/s, ".") : String(error);
    throw new CommandError(`${why} \`junction ${command.name} --help\` says what it takes.`);
  }
}

function contextOf(io: Io, raw: readonly string[], parsed: Parsed): Context {
  const given = givenOf(parsed);
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

function givenOf({ words, values }: Parsed): Given {
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
