/**
 * Runs the command line as systemd runs the service: with the user, the settings and the state folder of its unit. It is called as root,
 * because only root can read the settings: `node run-as-service.ts doctor`.
 */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { readUnit } from "./unit.ts";
import type { Unit } from "./unit.ts";

const UNIT = "/etc/systemd/system/junction.service";
const STATE = "/var/lib/junction";
const SETPRIV = "/usr/bin/setpriv";
const EX_NOPERM = 77;
const EX_CONFIG = 78;
/** The variables that a terminal needs. */
const OF_TERMINAL = ["COLORTERM", "COLUMNS", "LANG", "LC_ALL", "LINES", "NO_COLOR", "PATH", "TERM", "TZ"];

if (process.getuid?.() !== 0)
  end(EX_NOPERM, "Run this as root, for example with sudo: only root can read the settings of the service.");
if (!existsSync(UNIT)) end(EX_CONFIG, `${UNIT} does not exist. Install the unit first (docs/guide/self-hosting.md).`);

const texts = [UNIT, ...globSync(`${UNIT}.d/*.conf`).toSorted()].map((path) => readFileSync(path, "utf8"));
const unit = readUnit(texts.join("\n"), (path) => readFileSync(path, "utf8"));
const env = environmentOf(unit);
makeStateFolder(unit);
process.umask(unit.umask);
process.chdir(STATE);
const program = new URL("../../apps/cli/bin/junction.mjs", import.meta.url).pathname;
// The warning that `execve` is experimental is irrelevant for an operator.
process.removeAllListeners("warning");
process.execve?.(SETPRIV, [SETPRIV, ...userOf(unit), process.execPath, program, ...process.argv.slice(2)], env);

/** The settings of the installation, and those of this call in their place, such as the `DATABASE_URL` of another database. */
function environmentOf({ user, environment }: Unit): Record<string, string> {
  const settings = { ...environment, HOME: STATE, USER: user, LOGNAME: user };
  const ofCall = Object.entries(process.env).filter(([name]) => /^(?:JUNCTION_|DATABASE_URL)/.test(name));
  const replaced = new Set(
    ofCall.flatMap(([name]) => [name.replace(/_FILE$/, ""), `${name.replace(/_FILE$/, "")}_FILE`]),
  );
  const ofTerminal = OF_TERMINAL.map((name) => [name, process.env[name]] as const);
  const kept = Object.entries(settings).filter(([name]) => !replaced.has(name));
  return Object.fromEntries(
    [...ofTerminal, ...kept, ...ofCall].filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

/** systemd makes the folder at each start of the service: a command may come before the first. */
function makeStateFolder({ user, group, stateMode }: Unit): void {
  execFileSync("install", ["-d", "-o", user, "-g", group, "-m", stateMode.toString(8), STATE]);
}

/** The options of setpriv(1) that give up the rights of root. The groups of a number cannot be looked up. */
function userOf({ user, group }: Unit): string[] {
  return [`--reuid=${user}`, `--regid=${group}`, /^\d+$/.test(user) ? "--clear-groups" : "--init-groups"];
}

function end(status: number, message: string): never {
  process.stderr.write(`junction: ${message}\n`);
  process.exit(status);
}
