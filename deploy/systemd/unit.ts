/** Reads a unit and its environment files as systemd does (systemd.exec(5)). */

/** How a unit runs its command. */
export interface Unit {
  readonly user: string;
  readonly group: string;
  readonly workingDirectory: string;
  /** The name of the folder in /var/lib. */
  readonly stateDirectory: string;
  readonly stateMode: number;
  readonly umask: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

const OCTAL = 8;

/** Reads the text of a unit, followed by those of its drop-ins. `read` returns the text of an environment file. */
export function readUnit(text: string, read: (path: string) => string): Unit {
  const all = (name: string): string[] => settingsOf(text, name);
  const last = (name: string, fallback = ""): string => all(name).at(-1) ?? fallback;
  const user = last("User", "root");
  return {
    user,
    group: last("Group", user),
    workingDirectory: last("WorkingDirectory", "/"),
    stateDirectory: last("StateDirectory"),
    stateMode: Number.parseInt(last("StateDirectoryMode", "0755"), OCTAL),
    umask: Number.parseInt(last("UMask", "0022"), OCTAL),
    // Like systemd, takes the value of the file if both have one.
    environment: Object.fromEntries([
      ...all("Environment").flatMap(wordsOf).map(pairOf),
      ...all("EnvironmentFile").flatMap((path) => assignmentsIn(readOptional(path, read))),
    ]),
    command: wordsOf(last("ExecStart")),
  };
}

/** The values of a setting in order. An empty one discards those before it. */
function settingsOf(text: string, name: string): string[] {
  const values: string[] = [];
  for (const [, value = ""] of text
    .replaceAll("\\\n", " ")
    .matchAll(new RegExp(`^${name}[ \\t]*=[ \\t]*(.*?)[ \\t]*$`, "gm"))) {
    if (value === "") values.length = 0;
    else values.push(value);
  }
  return values;
}

/** A file whose path begins with `-` need not exist. */
function readOptional(path: string, read: (path: string) => string): string {
  if (!path.startsWith("-")) return read(path);
  try {
    return read(path.slice(1));
  } catch {
    return "";
  }
}

/** The words of a line, of which quotes can hold spaces. */
function wordsOf(line: string): string[] {
  const words = line.match(/(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\\.|[^\s"'\\])+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(
      /"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|(\\.)/g,
      (_whole, ...[double, single, escaped]: string[]) =>
        (double ?? single ?? escaped ?? "").replaceAll(/\\(.)/g, "$1"),
    ),
  );
}

function pairOf(word: string): [string, string] {
  const at = word.indexOf("=");
  return [word.slice(0, at), word.slice(at + 1)];
}

const NAME = /[ \t\r\n]*(?:[#;](?:\\[^]|[^\\\n])*(?:\n|$)[ \t\r\n]*)*([A-Za-z_]\w*)[ \t]*=[ \t]*/y;
/** A quoted part of a value, or the rest of its line. A backslash at the end of a line continues it. */
const PART = /'(?<single>[^']*)'[ \t]*|"(?<double>(?:\\[^]|[^"\\])*)"[ \t]*|(?<plain>(?:\\[^]|[^\n\\])*)/y;

/**
 * The assignments of an environment file. Nothing in a value is expanded: `$`, `%`, `#` and spaces are parts of it. A line without
 * an assignment is skipped.
 */
export function assignmentsIn(text: string): [string, string][] {
  const found: [string, string][] = [];
  let at = 0;
  while (at < text.length) {
    NAME.lastIndex = at;
    const name = NAME.exec(text)?.[1];
    const [value, end] = name === undefined ? ["", text.indexOf("\n", at)] : valueAt(text, NAME.lastIndex);
    if (name !== undefined) found.push([name, value]);
    at = end === -1 ? text.length : end + 1;
  }
  return found;
}

/** The value that begins at a position, and the end of its last line. */
function valueAt(text: string, start: number): [string, number] {
  let value = "";
  PART.lastIndex = start;
  for (;;) {
    const { single, double, plain } = PART.exec(text)?.groups ?? {};
    if (single !== undefined) value += single;
    else if (double !== undefined)
      value += double.replaceAll(/\\(["\\`$]|\n)/g, (_, one: string) => (one === "\n" ? "" : one));
    else {
      const rest = (plain ?? "").replaceAll(/\\([^])/g, (_, one: string) => (one === "\n" ? "" : one));
      return [value + rest.trimEnd(), PART.lastIndex];
    }
  }
}
