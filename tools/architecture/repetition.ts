interface SourceFile {
  readonly path: string;
  readonly text: string;
}

interface Line {
  readonly text: string;
  readonly place: string;
}

const IMPORT = /^import\b[^;]*;/gm;
const NOT_A_LINE_BREAK = /[^\n]/g;

/** Returns pairs of places that begin an equal run of at least `shortest` lines. Indentation, blank lines and imports do not count. */
export function repetitions(files: readonly SourceFile[], shortest: number): string[] {
  const known = new Map<string, Line[]>();
  const found: string[] = [];
  for (const file of files) {
    const lines = linesOf(file);
    let isRepeated = false;
    for (let start = 0; start + shortest <= lines.length; start += 1) {
      const run = lines.slice(start, start + shortest);
      const key = run.map(({ text }) => text).join("\n");
      const earlier = known.get(key);
      // A window that follows a repeated one belongs to the same run.
      if (earlier === undefined) known.set(key, run);
      else if (!isRepeated) found.push(`${earlier[0]?.place ?? ""} ~ ${run[0]?.place ?? ""}`);
      isRepeated = earlier !== undefined;
    }
  }
  return found;
}

function linesOf({ path, text }: SourceFile): Line[] {
  // Removed imports keep their line breaks, so that the line numbers stay right.
  const body = text.replaceAll(IMPORT, (statement) => statement.replaceAll(NOT_A_LINE_BREAK, ""));
  return body
    .split("\n")
    .map((line, index) => ({ text: line.trim(), place: `${path}:${index + 1}` }))
    .filter((line) => line.text !== "");
}
