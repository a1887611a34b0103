import { readFile } from "node:fs/promises";

/** A row of the glossary: the term, and the words that must not be used for it. */
export interface GlossaryRow {
  readonly term: string;
  readonly avoid: readonly string[];
}

/**
 * Words of the glossary's column "do not use" that are right for other things, so that only a person can judge them: "user" is wrong for
 * a member, but right for a user of the console. A word that is itself a term,
 * such as receiver, needs no entry. The other words of the column are findings everywhere.
 */
export const NEEDS_JUDGEMENT: readonly string[] = [
  "listener",
  "reaction",
  "organization",
  "plugin",
  "own event",
  "administrator",
  "message",
  "notification",
  "trigger",
  "publish",
  "target",
  "try",
  "bin",
  "turn",
  "key",
  "password",
  "hook",
  "template",
  "reading",
  "hit",
  "profile",
  "user",
  "case",
  "command",
  "task",
  "channel",
  "check",
  "question",
  "job",
  "trail",
  "history",
  "flow",
  "process",
  "extension",
  "integration",
  "server",
  "place",
  "tag",
  "bucket",
  "mode",
  "rank",
  "token",
  "root",
];

/** Returns the rows of docs/glossary.md. Explanations in parentheses are left out of the words. */
export async function readGlossary(root: string): Promise<GlossaryRow[]> {
  const page = await readFile(`${root}/docs/glossary.md`, "utf8");
  return page
    .split("\n")
    .filter((line) => line.startsWith("|") && !/^\| (?:term |-)/.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map(([, term = "", , , avoid = ""]) => ({
      term,
      avoid: avoid
        .replaceAll(/ \([^)]*\)/g, "")
        .split(", ")
        .filter((word) => word !== "" && word !== "–"),
    }));
}

/** Returns vale's rule for the words of the glossary that are always wrong, with the term as the substitute. */
export function glossaryRule(rows: readonly GlossaryRow[]): string {
  const terms = new Set(rows.map(({ term }) => term));
  const words = rows.flatMap(({ term, avoid }) => avoid.map((word) => ({ term, word })));
  const wrong = words.filter(({ word }) => !terms.has(word) && !NEEDS_JUDGEMENT.includes(word));
  const swap = [...Map.groupBy(wrong, ({ word }) => word)].map(([word, uses]) => {
    const substitute = uses.map(({ term }) => term).join(" or ");
    return `  ${JSON.stringify(inflected(word))}: ${JSON.stringify(substitute)}\n`;
  });
  return `extends: substitution
message: "Write '%s' instead of '%s' (docs/glossary.md)."
level: error
ignorecase: true
swap:
${swap.join("")}`;
}

/** Returns a pattern for a word and its plural or verb forms; a last consonant may be doubled, as in "emitted". */
function inflected(word: string): string {
  const last = word.at(-1) ?? "";
  return `${word}(?:s|es|${last}?(?:ed|ing))?`;
}
