import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { must } from "../run.ts";
import { vale } from "../vale.ts";
import { glossaryRule, readGlossary } from "./glossary.ts";
import { filesOf, GROUPS } from "./groups.ts";
import type { Group } from "./groups.ts";
import type { Text } from "./parse.ts";

/** A place where a text breaks a rule. The message names the substitute. */
export interface Finding {
  readonly group: string;
  readonly rule: string;
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

interface Alert {
  readonly Check: string;
  readonly Line: number;
  readonly Message: string;
}

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

if (import.meta.main) await main();

/** Prints the findings; with `--group "log messages"`, those of one group. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { group: { type: "string" } } });
  const findings = (await checkLanguage()).filter(({ group }) => (values.group ?? group) === group);
  if (findings.length > 0) console.log(findings.map(lineOf).join("\n"));
  process.exitCode = findings.length === 0 ? 0 : 1;
}

/** Returns a finding as a line of text. */
export function lineOf({ file, line, rule, message }: Finding): string {
  return `${file}:${line} ${rule}: ${message}`;
}

/** Checks all texts of a repository. A test gives its own folder and groups. */
export async function checkLanguage(root = ROOT, groups: readonly Group[] = GROUPS): Promise<Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), "junction-language-"));
  try {
    await writeConfiguration(folder);
    const written = await Promise.all(groups.map(async (group) => await writeGroup(root, folder, group)));
    const sources = new Map(written.flat());
    const args = ["--config", join(folder, "vale.ini"), "--no-global", "--no-exit", "--output", "JSON"];
    const { stdout } = await must(await vale(), [...args, folder], { cwd: folder });
    const alerts = JSON.parse(stdout) as Readonly<Record<string, readonly Alert[]>>;
    return Object.entries(alerts).flatMap(([path, found]) => {
      const source = sources.get(relative(folder, path));
      return source === undefined ? [] : found.map((alert) => findingOf(source, alert));
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Source {
  readonly group: string;
  readonly file: string;
  /** Absent for a page of Markdown, whose lines are the file's own. */
  readonly texts?: readonly Text[];
}

async function writeConfiguration(folder: string): Promise<void> {
  await cp(join(HERE, "vale.ini"), join(folder, "vale.ini"));
  await cp(join(HERE, "styles"), join(folder, "styles"), { recursive: true });
  await writeFile(join(folder, "styles/Junction/Glossary.yml"), glossaryRule(await readGlossary(ROOT)));
}

async function writeGroup(root: string, folder: string, group: Group): Promise<[string, Source][]> {
  const sources: [string, Source][] = [];
  for (const file of filesOf(root, group)) {
    const isPage = group.texts === undefined;
    const source = await readFile(join(root, file), "utf8");
    const texts = group.texts?.(file, source) ?? [];
    const path = join(group.name, isPage ? file : `${file}.txt`);
    const content = isPage ? quotationsAsCode(source) : texts.map(paragraph).join("\n\n");
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
    sources.push([path, isPage ? { group: group.name, file } : { group: group.name, file, texts }]);
  }
  return sources;
}

/** Marks quotations on a page as code, which vale does not read: they cite names, values and texts of others. */
function quotationsAsCode(page: string): string {
  return page
    .split(/(^```[^]*?^```|`[^`\n]*`)/m)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll(/"[^"\n`]+"/g, "`quoted`")))
    .join("");
}

/** Ends a text as a sentence, so that vale does not read it together with the next one. */
function paragraph({ text }: Text): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function findingOf({ group, file, texts }: Source, { Check, Line, Message }: Alert): Finding {
  // Each text is a paragraph of one line.
  const line = texts === undefined ? Line : (texts[(Line - 1) / 2]?.line ?? 1);
  return { group, rule: Check, file, line, message: Message };
}
