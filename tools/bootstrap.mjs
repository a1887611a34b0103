// Makes `npm start` and the other scripts work from a fresh clone: installs what package-lock.json pins, including
// the Node that runs everything else. It runs before any of that exists, so it is plain JavaScript for Node >= 18
// with no dependency.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lockfile = join(root, "package-lock.json");
const modules = join(root, "node_modules");
const stamp = join(modules, ".junction-lock");
// `npm ci` empties node_modules, so the lock stands beside it.
const mutex = join(root, ".junction-install");
const owner = join(mutex, "owner.json");

const unwrittenOwnerIsStaleAfterMs = 10_000;
const anyOwnerIsStaleAfterMs = 30 * 60_000;
const oldestNode = [24, 12];

main();

function main() {
  const wanted = createHash("sha256").update(readFileSync(lockfile)).digest("hex");
  if (installed() !== wanted) installOnce(wanted);
  // `--console`: the service does without, and says so at its `/`. `--console=must`: the tests do not.
  const [asked] = process.argv.slice(2);
  if (asked !== undefined && !buildConsole() && asked === "--console=must") process.exit(1);
}

function installOnce(wanted) {
  acquire();
  try {
    // Whoever held the lock before us may have installed the same lockfile.
    if (installed() !== wanted) install(wanted);
  } finally {
    rmSync(mutex, { recursive: true, force: true });
  }
}

function installed() {
  return readText(stamp)?.trim();
}

function install(wanted) {
  say("installing what package-lock.json pins (npm ci) ...");
  // Gone first: an install killed half-way must not look finished.
  rmSync(stamp, { force: true });
  const [command, ...args] = npmCommand();
  const result = spawnSync(command, [...args, "ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund"], {
    cwd: root,
    env: installEnvironment(),
    shell: command === "npm" && process.platform === "win32",
    stdio: ["ignore", 2, 2],
  });
  if (result.error) fail(`npm could not be started: ${result.error.message}`);
  if (result.signal) fail(`npm ci was ended by ${result.signal}.`);
  if (result.status !== 0) fail(`npm ci failed with exit code ${result.status}; its own message is above.`);
  if (!hasModernNode()) {
    fail(
      `no Node for ${process.platform}-${process.arch} was installed and this one is ${process.version}. ` +
        `Put Node >= ${oldestNode.join(".")} on the PATH, or check that the registry could be reached.`,
    );
  }
  writeFileSync(stamp, `${wanted}\n`);
}

/** Under the Node that was installed: this one may be too old for it. */
function buildConsole() {
  const isWindows = process.platform === "win32";
  const packaged = join(modules, ".bin", isWindows ? "node.cmd" : "node");
  const node = existsSync(packaged) ? packaged : process.execPath;
  const script = join(root, "tools", "console", "build.ts");
  const { status } = spawnSync(node, [script], { cwd: root, shell: isWindows, stdio: ["ignore", 2, 2] });
  if (status !== 0) say("the console could not be built; its own message is above.");
  return status === 0;
}

/** The npm that runs us, under the Node that runs us; otherwise the one on the PATH. */
function npmCommand() {
  const running = process.env.npm_execpath;
  return running && /npm-cli\.[cm]?js$/.test(running) ? [process.execPath, running] : ["npm"];
}

/** Options of the outer `npm start` that would make `npm ci` install only a part. */
function installEnvironment() {
  const partial =
    /^npm_config_(omit|only|include|production|workspaces?|include_workspace_root|global|prefix|local_prefix)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !partial.test(name)));
}

/** npm skips an optional dependency it cannot fetch without a word, and the packaged Node is one. */
function hasModernNode() {
  if (["node", "node.cmd", "node.exe"].some((name) => existsSync(join(modules, ".bin", name)))) return true;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
}

function acquire() {
  for (let waited = false; ; waited = true) {
    if (take()) return;
    if (evictStale()) continue;
    if (!waited) say("another process is installing; waiting for it ...");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

function take() {
  try {
    mkdirSync(mutex);
  } catch (error) {
    if (error.code === "EEXIST") return false;
    return fail(`cannot write to ${root}: ${error.message}`);
  }
  writeFileSync(owner, JSON.stringify({ pid: process.pid, host: hostname() }));
  // Keeps an abandoned lock out of `git status`.
  writeFileSync(join(mutex, ".gitignore"), "*\n");
  return true;
}

/** Removes a lock whose owner is gone. True when it is worth trying to take the lock again at once. */
function evictStale() {
  const judged = readText(owner);
  if (!isStale(judged)) return false;
  const aside = `${mutex}.${process.pid}`;
  try {
    renameSync(mutex, aside);
  } catch {
    return true;
  }
  if (readText(join(aside, "owner.json")) === judged) {
    rmSync(aside, { recursive: true, force: true });
    return true;
  }
  // Someone evicted and took it between our look and our rename: it is theirs.
  renameSync(aside, mutex);
  return false;
}

function isStale(ownerText) {
  const age = ageMs();
  if (age === undefined) return false;
  if (age > anyOwnerIsStaleAfterMs) return true;
  const { pid, host } = parse(ownerText);
  if (pid === undefined) return age > unwrittenOwnerIsStaleAfterMs;
  return host === hostname() && !isAlive(pid);
}

function ageMs() {
  try {
    return Date.now() - statSync(mutex).mtimeMs;
  } catch {
    return undefined;
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function say(message) {
  process.stderr.write(`junction: ${message}\n`);
}

function fail(message) {
  say(message);
  rmSync(mutex, { recursive: true, force: true });
  process.exit(1);
}
