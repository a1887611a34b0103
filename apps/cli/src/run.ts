import { parseArgs } from "node:util";
import { Junction } from "../../../sdks/node/src/index.ts";
import { parseOptions } from "./command.ts";
import type { Command, Context, Given } from "./command.ts";
import { commands } from "./commands.ts";
import { CommandError, EXIT } from "./exit.ts";
import { failureJson, failureOf, failureText } from "./failure.ts";
import { helpOf, overview } from "./help.ts";
import type { Io } from "./io.ts";
import { createPrinter } from "./printer.ts";
import { readAccount } from "./settings.ts";
import { nearest } from "./text.ts";
import { CLI_VERSION } from "./version.ts";

/** Runs one command line and answers how it ended. Nothing is thrown. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const wantsJson = args.includes("--json");
  try {
    return (await obey(args, io)) ?? EXIT.done;
  } catch (error) {
    const failure = io.signal.aborted ? { ...failureOf(error), exit: EXIT.interrupted } : failureOf(error);
    // Whoever ended it knows.
    if (!io.signal.aborted) io.err(wantsJson ? failureJson(failure) : failureText(failure));
    return failure.exit;
  }
}

async function obey(args: readonly string[], io: Io): Promise<number | void> {
  const [first = "help", second = ""] = args;
  if (first === "--version") return io.out(`${CLI_VERSION}\n`);
  if (first === "help" || first === "--help" || first === "-h") return io.out(overview(commands));
  const command = find(`${first} ${second}`) ?? find(first);
  if (command === undefined) return withoutCommand(args, io);
  const raw = args.slice(command.name.split(" ").length);
  if (command.passesOn !== true) return await runCommand(command, raw, io);
  if (raw[0] === "--help" || raw[0] === "-h") return io.out(helpOf(command));
  return await command.run(contextOf(io, raw, { words: raw, values: {} }));
}

function find(name: string): Command | undefined {
  return commands.find((command) => command.name === name);
}

/** A group alone shows what is in it; what is no command is told with what it may have meant. */
function withoutCommand([first = "", second]: readonly string[], io: Io): void {
  const ofGroup = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name);
  if (ofGroup.length > 0 && (second === undefined || second === "--help" || second === "-h"))
    return io.out(overview(commands, first));
  const typed = ofGroup.length > 0 ? `${first} ${second ?? ""}` : first;
  const names = ofGroup.length > 0 ? ofGroup : new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""));
  const near = nearest(typed, names);
  const hint = near.length === 0 ? "" : ` Did you mean ${near.map((name) => `\`junction ${name}\``).join(" or ")}?`;
  throw new CommandError(`"${typed}" is no command.${hint} \`junction --help\` lists them.`);
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
      const { apiKey, baseUrl } = await account();
      return (client ??= new Junction({ apiKey, baseUrl }));
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
