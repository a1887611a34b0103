import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openGrounds } from "./layout.ts";

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), "junction-grounds-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const FILES = new Map([
  ["connector.ts", Buffer.from("export {};")],
  ["lib/more.ts", Buffer.from("export {};")],
]);

/** Returns the same files, with a change by another process while they are written. */
function disturbed(directory: string, by: (laid: string) => void): ReadonlyMap<string, Buffer> {
  const files = new Map(FILES);
  files[Symbol.iterator] = function* (): Generator<[string, Buffer<ArrayBuffer>], undefined> {
    yield* FILES;
    const own = join(directory, readdirSync(directory)[0] ?? "");
    by(join(own, readdirSync(own).find((name) => name.startsWith("program-")) ?? ""));
    return undefined;
  };
  return files;
}

test("a program has its own read-only folder, which is removed with it", async () => {
  const directory = folder();
  const grounds = await openGrounds(directory);
  const [one, other] = [await grounds.lay(FILES), await grounds.lay(FILES)];
  expect(one.directory).not.toBe(other.directory);
  expect(readFileSync(join(one.directory, "lib/more.ts"), "utf8")).toBe("export {};");
  for (const path of ["", "lib", "connector.ts", "lib/more.ts"]) {
    expect(statSync(join(one.directory, path)).mode & 0o277).toBe(0);
  }
  await one.remove();
  expect(() => statSync(one.directory)).toThrow();
  await grounds.remove();
  expect(readdirSync(directory)).toEqual([]);
});

test.each<[string, (laid: string) => void]>([
  ["a file more", (laid) => writeFileSync(join(laid, "extra.ts"), "")],
  ["a link more", (laid) => symlinkSync("/etc/passwd", join(laid, "extra.ts"))],
  ["a folder that is a link", (laid) => symlinkSync("/etc", join(laid, "extra"))],
  [
    "other bytes",
    (laid) => {
      rmSync(join(laid, "connector.ts"));
      writeFileSync(join(laid, "connector.ts"), "export default 1;");
    },
  ],
  [
    "a link in the place of a file",
    (laid) => {
      rmSync(join(laid, "connector.ts"));
      symlinkSync("lib/more.ts", join(laid, "connector.ts"));
    },
  ],
  ["a file less", (laid) => rmSync(join(laid, "connector.ts"))],
])("%s than was verified prevents the start", async (_, by) => {
  const directory = folder();
  const grounds = await openGrounds(directory);
  await expect(grounds.lay(disturbed(directory, by))).rejects.toThrow("The program's folder");
  expect(readdirSync(join(directory, readdirSync(directory)[0] ?? ""))).toEqual(["empty"]);
});

test("folders of services that no longer run are removed, and nothing else", async () => {
  const directory = folder();
  const machine = hostname().replaceAll(/\W/g, "_");
  const kept = [`hosts-${machine}-${process.pid}-alive`, "hosts-elsewhere-1-new", "other"];
  const gone = [`hosts-${machine}-4194999-dead`, "hosts-elsewhere-1-old"];
  for (const name of [...kept, ...gone]) mkdirSync(join(directory, name));
  utimesSync(join(directory, "hosts-elsewhere-1-old"), 0, 0);
  const grounds = await openGrounds(directory);
  await grounds.remove();
  expect(readdirSync(directory).toSorted()).toEqual(kept.toSorted());
});
