import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createArchive, readArchive } from "./archive.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "junction-archive-"));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

/**
 * Paths of 200 characters, with names that fit into a ustar header and with one that does not, and a path of 400
 * characters.
 */
const PATHS = [
  "short",
  `${"f".repeat(120)}/${"n".repeat(79)}`,
  `files/${"n".repeat(194)}`,
  `${"f".repeat(200)}/${"n".repeat(199)}`,
  "Übersicht/日本語.txt",
  `${"é".repeat(60)}/${"ß".repeat(60)}`,
  "after",
];

test("files with long paths are read back, and the system's tar lists them", async () => {
  const file = join(folder, "long.tar");
  const archive = await createArchive(file);
  for (const path of PATHS) await archive.add(path, Buffer.from(`the content of ${path}`));
  await archive.finish();
  const found: [string, string][] = [];
  for await (const { path, content } of readArchive(file)) found.push([path, content.toString()]);
  expect(found).toEqual(PATHS.map((path) => [path, `the content of ${path}`]));
  const listed = execFileSync("tar", ["--quoting-style=literal", "-tf", file], { encoding: "utf8" });
  expect(listed.trim().split("\n")).toEqual(PATHS);
});

test.each(["gnu", "pax", "ustar"])("files of an archive that tar wrote as %s are read", async (format) => {
  const paths = ["a/short", `a/${"f".repeat(90)}/${"n".repeat(90)}`, "a/Übersicht.txt"];
  const source = await mkdtemp(join(folder, "source-"));
  for (const path of paths) {
    await mkdir(join(source, dirname(path)), { recursive: true });
    await writeFile(join(source, path), `the content of ${path}`);
  }
  const file = join(folder, `${format}.tar`);
  execFileSync("tar", [`--format=${format}`, "-C", source, "-cf", file, "a"]);
  const found = new Map<string, string>();
  for await (const { path, content } of readArchive(file)) found.set(path, content.toString());
  expect(found).toEqual(new Map(paths.map((path) => [path, `the content of ${path}`])));
});

test("the global records of an archive that git wrote are not a file", async () => {
  const source = await mkdtemp(join(folder, "git-"));
  const git = (...args: string[]): unknown =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.c", ...args], { cwd: source });
  git("init", "-q");
  await writeFile(join(source, "one"), "1");
  git("add", "one");
  git("commit", "-qm", "one");
  const file = join(folder, "git.tar");
  git("archive", "--format=tar", "-o", file, "HEAD");
  const found: string[] = [];
  for await (const { path } of readArchive(file)) found.push(path);
  expect(found).toEqual(["one"]);
});

test("an archive with a link is refused", async () => {
  const source = await mkdtemp(join(folder, "linked-"));
  await symlink("/etc/passwd", join(source, "link"));
  const file = join(folder, "linked.tar");
  execFileSync("tar", ["-C", source, "-cf", file, "link"]);
  await expect(readArchive(file).next()).rejects.toThrow("is not a Junction backup");
});
