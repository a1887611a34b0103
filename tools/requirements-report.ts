// Reports the requirements that no test cites. A missing citation is not an error; a citation of an id that does not
// exist is an error.
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

interface Requirement {
  readonly id: string;
  readonly section: string;
}

interface Citation {
  readonly id: string;
  readonly file: string;
}

interface Report {
  readonly text: string;
  readonly hasUnknownIds: boolean;
}

const testFiles = "{apps,bench,conformance,packages,tools}/**/*.test.ts";
const coversCall = /\bcovers\(\s*(?:"([^"]*)"|\[([^\]]*)\])/g;

/** Returns the ids cited in one test file's source, in order, as `covers("id", …)` or `covers(["id", "id"], …)` write them. */
export function citedIds(source: string): string[] {
  return [...source.matchAll(coversCall)].flatMap(([, single, list]) =>
    single === undefined ? [...(list ?? "").matchAll(/"([^"]*)"/g)].map(([, id]) => id ?? "") : [single],
  );
}

/** Counts cited and uncited requirements and lists the uncited ids by their section of the specification. */
export function report(requirements: readonly Requirement[], citations: readonly Citation[]): Report {
  const known = new Set(requirements.map(({ id }) => id));
  const cited = new Set(citations.map(({ id }) => id));
  const uncited = requirements.filter(({ id }) => !cited.has(id));
  const unknown = citations.filter(({ id }) => !known.has(id));
  const lines = [
    `requirements: ${requirements.length - uncited.length} cited by a test, ${uncited.length} not cited, ${requirements.length} in all`,
    ...Map.groupBy(uncited, ({ section }) => section)
      .entries()
      .flatMap(([section, members]) => [`  ${section}`, ...members.map(({ id }) => `    ${id}`)]),
    ...unknown.map(({ id, file }) => `unknown requirement id "${id}" in ${file}`),
  ];
  return { text: lines.join("\n"), hasUnknownIds: unknown.length > 0 };
}

if (import.meta.main) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const requirements = JSON.parse(readFileSync(join(root, "requirements/requirements.json"), "utf8")) as Requirement[];
  const files = globSync(testFiles, {
    cwd: root,
    exclude: (path) => path.includes("node_modules"),
  });
  const citations = files.flatMap((file) =>
    citedIds(readFileSync(join(root, file), "utf8")).map((id) => ({
      id,
      file: relative(".", file),
    })),
  );
  const { text, hasUnknownIds } = report(requirements, citations);
  process.stdout.write(`\n${text}\n`);
  if (hasUnknownIds) process.exitCode = 1;
}
