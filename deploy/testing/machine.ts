/**
 * A folder that stands for the `/` of a machine or a container, in which the deployment files' own steps are run. Only their paths, their
 * port and the names of their users are replaced.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { chmod, chown, mkdir, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { globSync } from "node:fs";
import { must, run } from "../../tools/run.ts";
import type { Ran, RunOptions } from "../../tools/run.ts";

/** The paths of the deployment files that are not the test machine's own. */
const PATHS =
  /(?<![\w./:-])\/(?:app|connectors|data|database-login|etc\/(?:junction|systemd)|opt\/junction|usr\/local\/bin|var\/lib\/junction)(?![\w-])/g;
/** Users whom the deployment files name, by their ids. */
const USERS: Readonly<Record<string, number>> = { root: 0, node: 1000, junction: 990 };

export const IS_ROOT = process.getuid?.() === 0;

/** The text with paths, addresses and users of the deployment files replaced by those of the replay. */
export function replayed(text: string, { root, port }: { readonly root: string; readonly port: number }): string {
  return text
    .replaceAll(PATHS, (path) => root + path)
    .replaceAll("127.0.0.1:4000", `127.0.0.1:${port}`)
    .replaceAll(
      /(-[og] |User=|Group=)(node|junction)\b/g,
      (_, place: string, name: string) => `${place}${IS_ROOT ? USERS[name] : process.getuid?.()}`,
    );
}

/** Returns options that run a command as one of the users. Without root, the command runs as the test's own user. */
export function asUser(user: string): Pick<RunOptions, "uid" | "gid"> {
  if (!IS_ROOT) return {};
  const id = USERS[user] ?? Number(user);
  if (Number.isNaN(id)) throw new Error(`the replay does not know the user ${user}`);
  return { uid: id, gid: id };
}

/** Makes a folder that belongs to a user. */
export async function folderOf(user: string, path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, mode);
  const { uid, gid } = asUser(user);
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}

/** The programs of an administrator that a test carries out. */
export interface Programs {
  readonly folder: string;
  /** The PATH with the programs before the machine's. */
  readonly path: string;
  /** The calls so far, such as `systemctl daemon-reload`. */
  readonly calls: string[];
  /** Actions by the text of the call. A text that one returns is the output. Any other call does nothing. */
  readonly does: Map<string, () => unknown>;
  close(): void;
}

/**
 * A folder of programs that come before the machine's: `npm`, of which the first `ci` is real and later ones get the same files, and
 * programs of an administrator whose calls the test carries out. `git` is the machine's, except for what needs a remote repository.
 */
export async function programs(folder: string): Promise<Programs> {
  const path = join(folder, "programs");
  const store = join(folder, "npm-ci");
  const { address, calls, does, close } = await controls();
  await mkdir(path);
  const [npm = "", git = ""] = (await must("sh", ["-c", "command -v npm && command -v git"])).stdout.split("\n");
  const shared = `${store}/node_modules`;
  const called = `exec curl --silent --show-error --fail-with-body --data-binary "\${0##*/} $*" ${address}`;
  const texts = {
    // npm writes this one file in place, so it is never shared.
    npm: `case "$1" in
      ci) if [ ! -d ${store} ]; then ${npm} "$@" && mkdir ${store} && cp -al node_modules ${store} || exit; else cp -al ${shared} .; fi
        rm node_modules/.package-lock.json && cp ${shared}/.package-lock.json node_modules ;;
      *) exec ${npm} "$@" ;;
    esac`,
    git: `case "$1" in fetch | checkout) ${called} ;; *) exec ${git} "$@" ;; esac`,
    useradd: called,
    systemctl: called,
    journalctl: called,
    "docker-calls": called,
  };
  for (const [name, text] of Object.entries(texts)) await writeProgram(path, name, text);
  const all = [path, dirname(process.execPath), process.env["PATH"]].join(delimiter);
  return { folder: path, path: all, calls, does, close };
}

/** Writes a program of the shell. */
export async function writeProgram(folder: string, name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`);
  await chmod(join(folder, name), 0o755);
}

async function controls(): Promise<Omit<Programs, "folder" | "path"> & { readonly address: string }> {
  const calls: string[] = [];
  const does: Programs["does"] = new Map();
  const server = createServer((request, response) => {
    const carryOut = async (): Promise<string> => {
      const call = await textOf(request);
      calls.push(call);
      const output = await does.get(call)?.();
      return typeof output === "string" ? output : "";
    };
    carryOut().then(
      (output) => response.end(output),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, calls, does, close: () => void server.close() };
}

/** Runs a shell's text, line after line, and ends with the first command that fails. */
export async function shell(text: string, options: RunOptions): Promise<Ran> {
  return await run("sh", ["-ec", text], options);
}

export interface Started {
  /** Resolves with the output once the service is ready. */
  ready(): Promise<string>;
  output(): string;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
}

const READY_MS = 120_000;

/** Starts a long-running command of a deployment file. */
export function start(command: readonly string[], options: RunOptions): Started {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "exit");
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk));
  const isReady = (): boolean => text.includes('"Junction is ready"');
  return {
    output: () => text,
    async ready() {
      const limit = Date.now() + READY_MS;
      while (!isReady() && child.exitCode === null && Date.now() < limit)
        await new Promise((resolve) => void setTimeout(resolve, 100));
      if (!isReady()) throw new Error(`not ready (exit code ${child.exitCode}):\n${text}`);
      // The link to claim the installation is printed in the same turn.
      await new Promise((resolve) => void setTimeout(resolve, 100));
      return text;
    },
    async stop() {
      if (child.exitCode === null) child.kill("SIGTERM");
      const [code] = await ended;
      return code as number | null;
    },
  };
}

/** Copies the repository as a clone has it: what git knows and what it does not ignore. */
export async function cloneInto(folder: string): Promise<void> {
  const root = join(import.meta.dirname, "../..");
  await mkdir(folder, { recursive: true });
  const { stdout } = await must("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], { cwd: root });
  const list = join(folder, ".files");
  await writeFile(list, stdout);
  await must("sh", [
    "-c",
    `cd "$1" && tar -cf - --null --ignore-failed-read --files-from "$2" | tar -xf - -C "$3"`,
    "sh",
    root,
    list,
    folder,
  ]);
  await rm(list);
}

/** Every file below a folder, by its path from there. */
export function filesIn(folder: string): string[] {
  return globSync("**/*", { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
