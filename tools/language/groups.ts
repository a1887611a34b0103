import { globSync } from "node:fs";
import { parse, plain } from "./parse.ts";
import type { StringText, Text } from "./parse.ts";

/** Texts of one kind. A page of Markdown is checked as it is; from the other files, only the texts for people are. */
export interface Group {
  readonly name: string;
  /** Globs from the repository's root. */
  readonly files: readonly string[];
  readonly exclude?: readonly string[];
  /** Returns the texts of a file. A group of Markdown pages has none. */
  readonly texts?: (file: string, source: string) => readonly Text[];
}

const CODE = [
  "{apps,packages,tools,bench,faults,world,conformance,deploy,requirements}/**/*.{ts,tsx,mjs}",
  "sdks/node/**/*.ts",
  "connectors/*.ts",
  "*.ts",
];
const GENERATED = ["**/node_modules/**", "**/generated/**", "**/*.generated.ts", "**/dist/**"];
const TESTS = ["**/*.test.ts", "**/testing/**"];

export const GROUPS: readonly Group[] = [
  {
    name: "documents",
    files: ["docs/**/*.md", "*.md", "sdks/*/README.md", "apps/*/README.md", "skills/*/SKILL.md"],
    exclude: ["docs/decisions/**", "**/node_modules/**"],
  },
  {
    name: "console",
    files: ["apps/console/src/**/*.{ts,tsx}"],
    exclude: [...GENERATED, ...TESTS],
    texts: (file, source) => parse(file, source).strings,
  },
  {
    name: "errors",
    files: ["apps/service/src/lib/error-{catalogue,guide}.ts"],
    texts: (file, source) => parse(file, source).strings,
  },
  {
    name: "error details",
    files: ["apps/service/src/**/*.ts"],
    exclude: TESTS,
    texts: (file, source) => withRole("detail", file, source),
  },
  {
    name: "configuration",
    files: ["apps/service/src/config/{settings,values,config}.ts"],
    texts: (file, source) => parse(file, source).strings,
  },
  {
    name: "command line",
    files: ["apps/cli/src/**/*.ts", "apps/service/src/operator/commands/*.ts"],
    // The texts of this file are programs of the shells.
    exclude: [...GENERATED, ...TESTS, "apps/cli/src/commands/completion.ts"],
    texts: (file, source) => parse(file, source).strings,
  },
  { name: "API descriptions", files: ["openapi/openapi.json"], texts: (_file, source) => described(source) },
  {
    name: "log messages",
    files: ["apps/*/src/**/*.ts"],
    exclude: [...GENERATED, ...TESTS],
    texts: (file, source) => withRole("log message", file, source),
  },
  {
    name: "test names",
    files: ["**/*.test.ts"],
    exclude: GENERATED,
    texts: (file, source) => withRole("test name", file, source),
  },
  {
    name: "comments",
    files: CODE,
    exclude: GENERATED,
    texts: (file, source) => parse(file, source).comments,
  },
];

/** Returns the files of a group by their path from the root. */
export function filesOf(root: string, { files, exclude = [] }: Group): string[] {
  return globSync([...files], { cwd: root, exclude: [...exclude] })
    .map((file) => file.replaceAll("\\", "/"))
    .toSorted();
}

function withRole(role: StringText["role"], file: string, source: string): StringText[] {
  return parse(file, source).strings.filter((each) => each.role === role);
}

/** Returns the texts of the published contract. Its generator writes each of them on a line of its own. */
function described(source: string): Text[] {
  return source.split("\n").flatMap((each, index) => {
    const [, text] = /^\s*"(?:summary|description|x-[\w-]*description)": (".*"),?$/.exec(each) ?? [];
    return text === undefined ? [] : [{ line: index + 1, text: plain(JSON.parse(text) as string) }];
  });
}
