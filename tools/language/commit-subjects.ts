/** Checks the subjects of the commits that are not on origin/main. Part of `npm run check`. */
import { must, run } from "../run.ts";

/** The commit at which the check begins in a clone without newer commits than origin/main, such as CI's. Earlier commits have other subjects. */
const BASE = "00a94cf5";

const MOST_CHARACTERS = 72;
const CONVENTIONAL =
  /^(?:build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(?:\([\w./-]+\))?!?: (?<what>\S.*)$/;
const ARTICLE = /^(?:the|an?)\b/i;
/** A past tense such as "added". Verbs such as "need" and "embed" end in these letters in the imperative. */
const PAST = /^(?!(?:need|feed|seed|speed|exceed|proceed|succeed|embed|shed|heed|breed|bleed)\b)[a-z]{2,}ed\b/i;
/** A path of a person's or a build's machine. Paths of the API, such as /v1/events, are right. */
const MACHINE_PATH =
  /(?:^|[\s"'`(=])(?:\/(?:home|root|tmp|work|Users|usr|var|opt|etc|mnt|srv|private)\/|~\/|[A-Za-z]:\\)/;

if (import.meta.main) await main();

/** Returns what is wrong with a subject. */
export function subjectProblems(subject: string): string[] {
  const what = CONVENTIONAL.exec(subject)?.groups?.["what"];
  const problems: [boolean, string][] = [
    [what === undefined, "must be a Conventional Commit, such as `fix(deliveries): retry after a timeout`"],
    [subject.length > MOST_CHARACTERS, `must have at most ${MOST_CHARACTERS} characters; it has ${subject.length}`],
    [ARTICLE.test(what ?? ""), "must begin with a verb in the imperative, not with an article"],
    [PAST.test(what ?? ""), "must begin with a verb in the imperative, not in the past tense"],
    [MACHINE_PATH.test(subject), "must not contain a path of a machine"],
  ];
  return problems.filter(([isWrong]) => isWrong).map(([, problem]) => problem);
}

/** Returns the problems of the commits in a repository; undefined if it has no commit to compare with, as in a shallow clone. */
export async function commitProblems(root: string, base = BASE): Promise<string[] | undefined> {
  const range = await newCommits(root, base);
  if (range === undefined) return undefined;
  const { stdout } = await must("git", ["log", "--no-merges", "--format=%h %s", range], { cwd: root });
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => {
      const [, hash, subject = ""] = /^(\w+) (.*)$/.exec(line) ?? [];
      return subjectProblems(subject).map((problem) => `${hash}: the subject ${JSON.stringify(subject)} ${problem}.`);
    });
}

/** Returns the range from origin/main if HEAD has newer commits, else from the base. */
async function newCommits(root: string, base: string): Promise<string | undefined> {
  for (const from of ["origin/main", base]) {
    const ancestor = await run("git", ["merge-base", "--is-ancestor", `${from}^{commit}`, "HEAD"], { cwd: root });
    if (ancestor.status !== 0) continue;
    const { stdout } = await must("git", ["rev-list", "--count", `${from}..HEAD`], { cwd: root });
    if (Number(stdout) > 0) return `${from}..HEAD`;
  }
  return undefined;
}

async function main(): Promise<void> {
  const problems = await commitProblems(process.cwd());
  if (problems === undefined)
    console.log("Commit subjects are not checked: this clone has no earlier commit to compare with.");
  for (const problem of problems ?? []) console.error(problem);
  if (problems !== undefined && problems.length > 0) process.exitCode = 1;
}
