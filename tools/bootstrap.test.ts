import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { namespacesFault } from "../world/namespaces.ts";
import { must } from "./run.ts";

const installing = "installing packages";
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Creates a folder that is open to every user, because some tests run as another user. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "junction-bootstrap-"));
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

/** Creates a repository of one workspace without dependencies, so that the real `npm ci` needs no network. */
function repository(folder = newFolder()): string {
  const service = { name: "service", version: "1.0.0" };
  const project = { name: "project", version: "1.0.0", workspaces: ["service"] };
  mkdirSync(join(folder, "tools"));
  mkdirSync(join(folder, "service"));
  for (const name of ["bootstrap.mjs", "bootstrap"])
    cpSync(fileURLToPath(new URL(name, import.meta.url)), join(folder, "tools", name), { recursive: true });
  write(folder, "package.json", project);
  write(folder, "service/package.json", service);
  write(folder, "package-lock.json", {
    ...project,
    lockfileVersion: 3,
    requires: true,
    packages: { "": project, "node_modules/service": { resolved: "service", link: true }, service },
  });
  return folder;
}

/** Adds a dependency from a registry that cannot be reached. */
function dependOnRegistry(folder: string): void {
  const service = { name: "service", version: "1.0.0", dependencies: { absent: "1.0.0" } };
  const project = { name: "project", version: "1.0.0", workspaces: ["service"] };
  const absent = {
    version: "1.0.0",
    resolved: "http://127.0.0.1:9/absent/-/absent-1.0.0.tgz",
    integrity: `sha512-${createHash("sha512").update(folder).digest("base64")}`,
  };
  write(folder, "service/package.json", service);
  write(folder, "package-lock.json", {
    ...project,
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": project,
      "node_modules/service": { resolved: "service", link: true },
      "node_modules/absent": absent,
      service,
    },
  });
}

function write(folder: string, path: string, content: unknown): void {
  writeFileSync(join(folder, path), JSON.stringify(content));
}

interface BootstrapOptions {
  readonly command?: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
}

interface Bootstrapped {
  readonly status: number | null;
  readonly said: string;
}

function bootstrap(folder: string, { command, env = {}, uid }: BootstrapOptions = {}): Promise<Bootstrapped> {
  const { promise, resolve } = Promise.withResolvers<Bootstrapped>();
  const [program, ...args] = command ?? [process.execPath, "tools/bootstrap.mjs"];
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, npm_config_fetch_retries: "0", ...env },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  child.on("close", (status) => resolve({ status, said }));
  return promise;
}

/** Returns a pattern for the output of a failing bootstrap: its step, and one line. */
function refusal(text: RegExp): RegExp {
  return new RegExp(`^(?:junction: ${installing}\\n)?junction: ${text.source}\\n$`);
}

test("a fresh clone is installed once, and afterwards nothing is done", async () => {
  const folder = repository();
  const first = await bootstrap(folder);
  expect(first).toMatchObject({ status: 0, said: expect.stringContaining(installing) as string });
  const hash = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
  expect(readFileSync(join(folder, "node_modules/.junction-lock"), "utf8")).toBe(`${hash}\n`);
  expect(first.said).toMatch(/^junction: installing packages\njunction: packages installed in \d+ s\n$/);
  expect(await bootstrap(folder)).toEqual({ status: 0, said: "" });
  expect(existsSync(join(folder, ".junction-install"))).toBe(false);
});

test("a changed lockfile is installed again", async () => {
  const folder = repository();
  await bootstrap(folder);
  writeFileSync(join(folder, "package-lock.json"), `${readFileSync(join(folder, "package-lock.json"), "utf8")}\n`);
  expect((await bootstrap(folder)).said).toContain(installing);
});

test("of several processes one installs and the others wait for it", async () => {
  const folder = repository();
  const all = await Promise.all([bootstrap(folder), bootstrap(folder), bootstrap(folder)]);
  expect(all.map(({ status }) => status)).toEqual([0, 0, 0]);
  expect(all.filter(({ said }) => said.includes(installing))).toHaveLength(1);
});

test("the lock of a process that is gone does not block an install", async () => {
  const folder = repository();
  const gone = spawn(process.execPath, ["-e", ""]);
  await new Promise((resolve) => gone.on("close", resolve));
  mkdirSync(join(folder, ".junction-install"));
  write(folder, ".junction-install/owner.json", { pid: gone.pid, host: hostname() });
  expect(await bootstrap(folder)).toMatchObject({
    status: 0,
    said: expect.not.stringContaining("waiting") as string,
  });
});

test("a failed install names npm's log and cause and does not count as finished", async () => {
  const folder = repository();
  const temporary = newFolder();
  write(folder, "service/package.json", { name: "service", version: "1.0.0", dependencies: { absent: "1.0.0" } });
  await must("git", ["init", "-q", folder]);
  await must("git", ["-C", folder, "add", "."]);
  const { status, said } = await bootstrap(folder, { env: { TMPDIR: temporary } });
  expect(status).toBe(1);
  expect(said).toMatch(
    refusal(/packages could not be installed \(npm ci: .*\)\. npm's messages are in \S+\/npm-ci\.log/),
  );
  const [log = ""] = /\S+npm-ci\.log/.exec(said) ?? [];
  expect(log.startsWith(temporary)).toBe(true);
  expect(readFileSync(log, "utf8")).toContain("absent@1.0.0");
  expect(existsSync(join(folder, "node_modules/.junction-lock"))).toBe(false);
  expect(existsSync(join(folder, ".junction-install"))).toBe(false);
  expect((await must("git", ["-C", folder, "status", "--porcelain"])).stdout).not.toContain("??");
});

test("an install that succeeds leaves no log", async () => {
  const temporary = newFolder();
  expect((await bootstrap(repository(), { env: { TMPDIR: temporary } })).status).toBe(0);
  expect(readdirSync(temporary).filter((name) => name.startsWith("junction-"))).toEqual([]);
});

describe("a bootstrap that cannot work says why and what to do, on one line", () => {
  test("without a network", async () => {
    const folder = repository();
    dependOnRegistry(folder);
    const { status, said } = await bootstrap(folder, { env: { npm_config_cache: newFolder() } });
    expect(said).toMatch(
      refusal(
        /packages could not be installed, because the npm registry cannot be reached \(.*127\.0\.0\.1:9.*\)\. Check the network .*npm-ci\.log/,
      ),
    );
    expect(status).toBe(69);
  });

  test.runIf(isRoot)("in a repository that the user may not write to", async () => {
    const { status, said } = await bootstrap(repository(), { uid: NOBODY, env: { HOME: "/nonexistent" } });
    expect(said).toMatch(refusal(/this user may not write to \S+ \(EACCES: .*\)\. Give the folder to this user, .*/));
    expect(status).toBe(77);
  });

  test.skipIf(namespacesFault() !== undefined)("on a full disk", async () => {
    const folder = newFolder();
    const script = `mount -t tmpfs -o size=64k full "$1" && cp -r "$0/." "$1" && cd "$1" && cat /dev/zero > filler 2>/dev/null; exec "$2" tools/bootstrap.mjs`;
    const { status, said } = await bootstrap(repository(), {
      command: [
        "unshare",
        ...(isRoot ? [] : ["--user", "--map-root-user"]),
        "--mount",
        "sh",
        "-c",
        script,
        repository(),
        folder,
        process.execPath,
      ],
    });
    expect(said).toMatch(refusal(/no space is left on the disk of \S+, or of npm's cache\. Free some, .*/));
    expect(status).toBe(74);
  });
});
