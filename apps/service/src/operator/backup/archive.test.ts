import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  expect(execFileSync("tar", ["-tf", file], { encoding: "utf8" }).trim().split("\n")).toEqual(PATHS);
});
