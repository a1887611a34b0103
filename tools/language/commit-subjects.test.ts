import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { must } from "../run.ts";
import { commitProblems } from "./commit-subjects.ts";

let folder = "";
let root = "";
let base = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "junction-subjects-"));
  root = join(folder, "repository");
  await must("git", ["init", "-q", "-b", "main", root]);
  await commit("Whatever was before");
  base = await head();
});

afterEach(async () => await rm(folder, { recursive: true, force: true }));

it.each([
  ["Add a check", "must be a Conventional Commit"],
  ["feature: add a check", "must be a Conventional Commit"],
  ["fix:add a check", "must be a Conventional Commit"],
  [`fix: ${"a".repeat(68)}`, "must have at most 72 characters; it has 73"],
  ["fix(api): The check of a key", "not with an article"],
  ["docs: an index", "not with an article"],
  ["feat: added a check", "not in the past tense"],
  ["fix: read /home/me/config", "must not contain a path of a machine"],
  ["fix: read C:\\config", "must not contain a path of a machine"],
])("rejects the subject %j", async (subject, problem) => {
  await commit(subject);
  expect(await commitProblems(root, base)).toEqual([expect.stringContaining(problem)]);
});

it.each([
  "feat: add a check",
  "fix(webhooks/deliveries)!: retry after a timeout",
  "feat: embed the reference",
  "fix: return 404 for /v1/events/{id}",
])("accepts the subject %j", async (subject) => {
  await commit(subject);
  expect(await commitProblems(root, base)).toEqual([]);
});

it("checks only commits after origin/main", async () => {
  await commit("Landed without a type");
  await must("git", ["update-ref", "refs/remotes/origin/main", "HEAD"], { cwd: root });
  await commit("fix: retry");
  expect(await commitProblems(root, base)).toEqual([]);
});

it("checks from the base when origin/main is HEAD, as in CI", async () => {
  await commit("No type");
  await must("git", ["update-ref", "refs/remotes/origin/main", "HEAD"], { cwd: root });
  expect(await commitProblems(root, base)).toHaveLength(1);
});

it("leaves merge commits out", async () => {
  await must("git", ["switch", "-q", "-c", "side"], { cwd: root });
  await commit("fix: retry");
  await must("git", ["switch", "-q", "main"], { cwd: root });
  await must("git", [...PERSON, "merge", "-q", "--no-ff", "-m", "Merge side", "side"], { cwd: root });
  expect(await commitProblems(root, base)).toEqual([]);
});

it("has no result in a shallow clone and in a folder without history", async () => {
  await commit("No type");
  const shallow = join(folder, "shallow");
  await must("git", ["clone", "-q", "--depth", "1", `file://${root}`, shallow]);
  expect(await commitProblems(shallow, base)).toBeUndefined();
  expect(await commitProblems(folder, base)).toBeUndefined();
});

const PERSON = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];

async function commit(subject: string): Promise<void> {
  await must("git", [...PERSON, "commit", "-q", "--allow-empty", "-m", subject], { cwd: root });
}

async function head(): Promise<string> {
  return (await must("git", ["rev-parse", "HEAD"], { cwd: root })).stdout.trim();
}
