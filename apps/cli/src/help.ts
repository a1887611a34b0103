import { COMMON } from "./command.ts";
import type { Command, Options } from "./command.ts";

/** Returns the help for all commands, or for those whose first word is `group`. */
export function overview(commands: readonly Command[], group?: string): string {
  if (group !== undefined) {
    const own = commands.filter(({ name }) => name.startsWith(`${group} `));
    return `Usage: junction ${group} <command>\n\n${rows(own.map(({ name, usage, summary }) => [`${name} ${usage}`.trim(), summary]))}`;
  }
  const single = commands.filter(({ name }) => !name.includes(" "));
  const groups = [...new Set(commands.flatMap(({ name }) => (name.includes(" ") ? [name.split(" ")[0] ?? ""] : [])))];
  return [
    "Usage: junction <command> [options]",
    "",
    rows(single.map(({ name, usage, summary }) => [`${name} ${usage}`.trim(), summary])),
    "API resources (`junction <name>` lists the commands of each):",
    "",
    ...folded(groups),
    "",
    "Set the key and the service with JUNCTION_API_KEY and JUNCTION_BASE_URL, or with `junction login`.",
    "For details, run `junction <command> --help`. For exit codes, see docs/guide/cli.md.",
    "",
  ].join("\n");
}

export function helpOf(command: Command): string {
  const { name, usage, summary, description, options = {} } = command;
  return [
    `Usage: junction ${`${name} ${usage}`.trim()}${command.passesOn === true ? "" : " [options]"}`,
    "",
    `${summary}.${description === undefined ? "" : ` ${description}`}`,
    "",
    rows(optionRows({ ...options, ...(command.passesOn === true ? {} : COMMON) })),
  ].join("\n");
}

function optionRows(options: Options): [string, string][] {
  return Object.entries(options).map(([name, { short, value, about }]) => [
    `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
    about,
  ]);
}

function rows(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.min(44, Math.max(0, ...pairs.map(([left]) => left.length)));
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join("");
}

const WIDTH = 100;

function folded(words: readonly string[]): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 2 > WIDTH) lines.push(`  ${word}`);
    else lines[lines.length - 1] = `${last}, ${word}`;
  }
  return lines;
}
