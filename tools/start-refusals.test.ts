/** Starts the service as `npm start` does, where it cannot work: one line says why, and no process stays behind. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { SETTINGS } from "../apps/service/src/config/settings.ts";
import { startEmbedded } from "../apps/service/src/platform/db/db.ts";
import { freePort } from "../apps/service/src/testing/process.ts";
import { namespacesFault } from "../world/namespaces.ts";

const START = fileURLToPath(new URL("start.ts", import.meta.url));
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

type Environment = Readonly<Record<string, string>>;

interface StartOptions {
  readonly env?: Environment;
  readonly uid?: number;
  /** A program that runs the command in its arguments. */
  readonly within?: readonly string[];
}

interface Started {
  readonly child: ChildProcess;
  said(): string;
  /** Resolves when the service has ended. */
  readonly ended: Promise<Ended>;
}

interface Ended {
  readonly status: number | null;
  /** Printed lines other than its steps. */
  readonly lines: readonly string[];
}

/** Creates a folder that is open to every user, because PostgreSQL's user needs access. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "junction-refusal-"));
  chmodSync(folder, 0o755);
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function start({ env = {}, uid, within = [] }: StartOptions): Started {
  const [program, ...args] = [...within, process.execPath, START];
  const child = spawn(program, args, {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  undo.push(() => child.kill("SIGKILL"));
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  const ended = once(child, "close").then(([status]) => ({
    status: status as number | null,
    lines: text.split("\n").filter((line) => line !== "" && !line.startsWith("junction: ")),
  }));
  return { child, said: () => text, ended };
}

/** Starts the service where it cannot work. Fails where a process of the data folder stays behind. */
async function refused(options: StartOptions & { readonly dataDir?: string }): Promise<Ended> {
  const dataDir = options.dataDir ?? join(newFolder(), "data");
  const env = { JUNCTION_DATA_DIR: dataDir, JUNCTION_PORT: String(await freePort()), ...options.env };
  const ended = await start({ ...options, env }).ended;
  expect(processesOf(dataDir)).toEqual([]);
  return ended;
}

function processesOf(dataDir: string): string[] {
  const commands = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch {
        return "";
      }
    });
  return commands.filter((command) => command.includes(dataDir));
}

/** Occupies the port with a program that is not Junction. */
async function occupy(port: number): Promise<void> {
  const server = createServer((socket) => socket.end("hello\n"));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  undo.push(() => server.close());
}

function oneLine(pattern: RegExp): readonly unknown[] {
  return [expect.stringMatching(new RegExp(`^${pattern.source}$`))];
}

describe("a start ends with one line, its exit code, and nothing left behind", () => {
  test("when its port is in use by another program", async () => {
    const port = await freePort();
    await occupy(port);
    const dataDir = join(newFolder(), "data");
    expect(await refused({ dataDir, env: { JUNCTION_PORT: String(port) } })).toEqual({
      status: 75,
      lines: oneLine(
        /Port \d+ on 127\.0\.0\.1 is in use by another program\. Stop it \(.*\), or set `JUNCTION_PORT` to another port\./,
      ),
    });
    expect(existsSync(dataDir)).toBe(false);
  });

  test.each(["1", "2"])("when its port is taken while the database is created (%s processes)", async (processes) => {
    const port = await freePort();
    const dataDir = join(newFolder(), "data");
    const env = { JUNCTION_DATA_DIR: dataDir, JUNCTION_PORT: String(port), JUNCTION_PROCESSES: processes };
    const { said, ended } = start({ env });
    await expect.poll(said).toContain("creating the database");
    await occupy(port);
    expect(await ended).toEqual({
      status: 75,
      lines: oneLine(/Port \d+ on 127\.0\.0\.1 is in use by another program\. .*/),
    });
    // A busy machine holds the event loop too.
    expect(said().replaceAll(/^.* warning: the event loop was held.*$/gm, "")).not.toContain("warning");
    expect(processesOf(dataDir)).toEqual([]);
  });

  test("when its port or its data folder is another Junction's", async () => {
    const dataDir = join(newFolder(), "data");
    const port = await freePort();
    const env = { JUNCTION_DATA_DIR: dataDir, JUNCTION_PORT: String(port) };
    const first = start({ env });
    await expect.poll(first.said).toContain("Junction is ready");
    expect(await start({ env }).ended).toEqual({
      status: 75,
      lines: oneLine(/Port \d+ on 127\.0\.0\.1 is in use by another Junction\. .*/),
    });
    expect(await start({ env: { ...env, JUNCTION_PORT: String(await freePort()) } }).ended).toEqual({
      status: 75,
      lines: oneLine(
        /The data folder \S+ is in use by Junction pid \d+; stop it or set JUNCTION_DATA_DIR to another folder\./,
      ),
    });
    first.child.kill("SIGTERM");
    expect((await first.ended).status).toBe(0);
    expect(processesOf(dataDir)).toEqual([]);
  });

  test.skipIf(namespacesFault() !== undefined)("when the disk of a new data folder is full", async () => {
    expect(await refused({ ...onDisk("20m"), dataDir: "/mnt/data" })).toEqual({
      status: 74,
      lines: oneLine(
        /The disk of \/mnt\/data has \d+ MiB free, and a new database needs 128 MiB\. Free space, or set .*/,
      ),
    });
  });

  test.skipIf(namespacesFault() !== undefined)("when the disk fills up while the database is created", async () => {
    const prepare = "mkdir -p /mnt/data/postgres && echo secret > /mnt/data/postgres.password";
    expect(await refused({ ...onDisk("24m", prepare), dataDir: "/mnt/data" })).toEqual({
      status: 74,
      lines: oneLine(
        /The database in \/mnt\/data\/postgres cannot be made: .*No space left on device.* Free space on the disk, or set `JUNCTION_DATA_DIR` to a folder on another disk\./,
      ),
    });
  });

  test.skipIf(namespacesFault() !== undefined)("when an existing database elsewhere runs out of space", async () => {
    const prepare =
      "mkdir -p /mnt/data /mnt/home/postgres && echo /mnt/home > /mnt/data/postgres.location && echo secret > /mnt/data/postgres.password";
    expect(await refused({ ...onDisk("24m", prepare), dataDir: "/mnt/data" })).toEqual({
      status: 74,
      lines: oneLine(/The database in \/mnt\/home\/postgres cannot be made: .*No space left on device.*/),
    });
  });

  test.runIf(isRoot)("when this user may not write to the data folder", async () => {
    const parent = newFolder();
    for (const dataDir of [join(parent, "data"), parent])
      expect(await refused({ dataDir, uid: NOBODY })).toEqual({
        status: 77,
        lines: oneLine(
          /The data folder \S+ (?:cannot be made|is not writable by this user): .*EACCES.*JUNCTION_DATA_DIR to another folder\./,
        ),
      });
  });

  test.runIf(isRoot)("when this user may not read the master key", async () => {
    const dataDir = newFolder();
    chmodSync(dataDir, 0o777);
    writeFileSync(join(dataDir, "master.key"), `${MASTER_KEY}\n`, { mode: 0o600 });
    expect(await refused({ dataDir, uid: NOBODY })).toEqual({
      status: 77,
      lines: oneLine(
        /EACCES: permission denied, open '\S+master\.key'\. Give the file to the user that runs Junction, .*/,
      ),
    });
  });

  test.runIf(isRoot && namespacesFault() === undefined)(
    "when the port needs a right that this user does not have",
    async () => {
      // A new network has the limit of 1024 that a machine may have lifted.
      const within = [
        "unshare",
        "--net",
        "sh",
        "-c",
        'ip link set lo up && exec setpriv --reuid=65534 --clear-groups "$@"',
        "sh",
      ];
      expect(await refused({ within, env: { JUNCTION_PORT: "80" } })).toEqual({
        status: 77,
        lines: oneLine(/This user may not listen on port 80: .* Set `JUNCTION_PORT` to 1024 or more\./),
      });
    },
  );

  test.each(["10.99.98.97", "no-such-host.invalid"])(
    "when JUNCTION_HOST is %s, which is not this machine",
    async (host) => {
      expect(await refused({ env: { JUNCTION_HOST: host } })).toEqual({
        status: 78,
        lines: oneLine(new RegExp(`\`JUNCTION_HOST\` must be an address of this machine; got "${host}" \\(\\w+\\)\\.`)),
      });
    },
  );

  test("when the database of DATABASE_URL does not answer", async () => {
    const url = `postgres://ada:hunter2@127.0.0.1:${await freePort()}/shop`;
    expect(await refused({ env: { DATABASE_URL: url, JUNCTION_MASTER_KEY: MASTER_KEY } })).toEqual({
      status: 69,
      lines: oneLine(
        /The database of `DATABASE_URL` cannot be reached at 127\.0\.0\.1:\d+ \(connect ECONNREFUSED .*\)\. Start it, or correct `DATABASE_URL`\./,
      ),
    });
  });

  test("when the database of DATABASE_URL refuses the password, or does not exist", async () => {
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const database = await startEmbedded({ dataDir: newFolder(), log });
    undo.push(async () => await database.stop());
    const url = new URL(database.url);
    url.password = "hunter2";
    const wrong = await refused({ env: { DATABASE_URL: url.href, JUNCTION_MASTER_KEY: MASTER_KEY } });
    expect(wrong).toEqual({
      status: 77,
      lines: oneLine(
        /PostgreSQL at 127\.0\.0\.1:\d+ refuses the user "junction" \(password .*\)\. Correct the user or the password in `DATABASE_URL`\./,
      ),
    });
    expect(wrong.lines.join("\n")).not.toContain("hunter2");
    const missing = `${database.url}-2`;
    expect(await refused({ env: { DATABASE_URL: missing, JUNCTION_MASTER_KEY: MASTER_KEY } })).toEqual({
      status: 78,
      lines: oneLine(
        /PostgreSQL at 127\.0\.0\.1:\d+ has no database "junction-2"\. Create it, or correct `DATABASE_URL`\./,
      ),
    });
  });
});

test("wrong settings are reported together before anything is started", async () => {
  const parent = newFolder();
  const names = Object.keys(SETTINGS).filter((name) => name !== "JUNCTION_DATA_DIR");
  const wrong = Object.fromEntries(names.map((name) => [name, "/ wrong , \u0001"]));
  const { status, lines } = await refused({ dataDir: join(parent, "data"), env: wrong });
  const [title, ...faults] = lines;
  expect(title).toMatch(/^The configuration has \d+ errors:$/);
  // A path may have any character.
  const paths = ["JUNCTION_BOOTSTRAP", "JUNCTION_CONNECTORS_DIR"];
  const named = faults.map((fault) => /^ {2}- `(\w+)` must be .*\.$/.exec(fault)?.[1]);
  expect(named.toSorted()).toEqual(names.filter((name) => !paths.includes(name)).toSorted());
  expect(status).toBe(78);
  expect(readdirSync(parent)).toEqual([]);
});

test("a signal during the start ends the database too", async () => {
  const dataDir = join(newFolder(), "data");
  const { child, said, ended } = start({
    env: { JUNCTION_DATA_DIR: dataDir, JUNCTION_PORT: String(await freePort()) },
  });
  await expect.poll(said).toContain("database migrated");
  child.kill("SIGTERM");
  expect((await ended).lines).toEqual([]);
  await expect.poll(() => processesOf(dataDir)).toEqual([]);
});

/** A small disk on /mnt, after `prepare`. */
function onDisk(size: string, prepare = "true"): Pick<StartOptions, "within"> {
  const script = `mount -t tmpfs -o size=${size} small /mnt && ${prepare} && exec "$@"`;
  return {
    within: [
      "unshare",
      ...(isRoot ? [] : ["--user", "--map-current-user", "--keep-caps"]),
      "--mount",
      "sh",
      "-c",
      script,
      "sh",
    ],
  };
}
