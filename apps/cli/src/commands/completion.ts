import { COMMON } from "../command.ts";
import type { Command } from "../command.ts";
import { UsageError } from "../../../../packages/command-line/src/command-line.ts";

/** Creates the command. `all` is called when it runs, because this command is one of them. */
export function completionCommand(all: () => readonly Command[]): Command {
  return {
    name: "completion",
    usage: "bash|zsh|fish",
    summary: "Print a completion script for your shell",
    description: 'bash: eval "$(junction completion bash)", zsh the same; fish: junction completion fish | source',
    words: { least: 1, most: 1 },
    async run({ io, words: [shell = ""] }) {
      const script = SCRIPTS[shell];
      if (script === undefined) throw new UsageError("The shell must be bash, zsh or fish.");
      await Promise.resolve(io.out(script(all())));
    },
  };
}

const SCRIPTS: Readonly<Record<string, (commands: readonly Command[]) => string>> = { bash, zsh, fish };

/**
 * Returns the words that may follow each beginning: "" → every first word, "rules" → list, create … and a command → its
 * options.
 */
function followers(commands: readonly Command[]): Map<string, string[]> {
  const after = new Map<string, Set<string>>();
  const add = (begin: string, next: string): void => void after.set(begin, (after.get(begin) ?? new Set()).add(next));
  for (const { name, options = {} } of commands) {
    const words = name.split(" ");
    for (const [at, word] of words.entries()) add(words.slice(0, at).join(" "), word);
    for (const option of Object.keys({ ...options, ...COMMON })) add(name, `--${option}`);
  }
  return new Map([...after].map(([begin, next]) => [begin, [...next]]));
}

function cases(commands: readonly Command[]): string {
  return [...followers(commands)].map(([begin, next]) => `    "${begin}") echo "${next.join(" ")}" ;;`).join("\n");
}

/** Returns a shell function that finds the following words for the longest known beginning. */
function lookUp(commands: readonly Command[]): string {
  return `_junction_after() {
  case "$1" in
${cases(commands)}
    *) return 1 ;;
  esac
}
_junction_words() {
  local begin="" found word next
  found="$(_junction_after "")"
  for word in "$@"; do
    begin="\${begin:+$begin }$word"
    next="$(_junction_after "$begin")" || break
    found="$next"
  done
  echo "$found"
}
`;
}

function bash(commands: readonly Command[]): string {
  return `${lookUp(commands)}_junction() {
  COMPREPLY=($(compgen -W "$(_junction_words "\${COMP_WORDS[@]:1:COMP_CWORD-1}")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _junction junction
`;
}

function zsh(commands: readonly Command[]): string {
  return `#compdef junction
${lookUp(commands)}_junction() {
  compadd -- \${=$(_junction_words "\${(@)words[2,CURRENT-1]}")}
}
compdef _junction junction
`;
}

function fish(commands: readonly Command[]): string {
  const lines = [...followers(commands)].map(([begin, next]) => `    case '${begin}'\n      echo '${next.join(" ")}'`);
  return `function _junction_after
  switch $argv[1]
${lines.join("\n")}
    case '*'
      return 1
  end
end
function _junction_words
  set -l begin ''
  set -l found (_junction_after '')
  for word in (commandline -opc)[2..]
    set begin (string trim -- "$begin $word")
    set -l next (_junction_after $begin)
    or break
    set found $next
  end
  string split ' ' -- $found
end
complete -c junction -e
complete -c junction -f -a '(_junction_words)'
`;
}
