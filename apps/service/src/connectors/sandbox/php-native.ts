import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Backend, ProcessPlace } from "./backend.ts";

/** PHP's own information, without any php.ini. */
interface PhpInfo {
  readonly version: string;
  readonly folder: string;
  /** The functions by extension. */
  readonly functions: Readonly<Record<string, readonly string[]>>;
}

interface Limits {
  /** Extensions whose functions a connector may call, except those in `functions`. */
  readonly extensions: readonly string[];
  /** Extensions of these that are loaded if PHP has them as separate files. */
  readonly loaded: readonly string[];
  /** Extensions that may be compiled into PHP. Their functions are disabled. */
  readonly silenced: readonly string[];
  /** Extensions of `silenced` with classes that can use the network. Classes can be disabled only before PHP 8.5. */
  readonly classes: readonly string[];
  readonly functions: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
}

const php = fileURLToPath(new URL("../../../../connector-php/php", import.meta.url));
const MIB = 1024 * 1024;
const WITHOUT_CONNECTOR = 64 * MIB;
const LEAST = 32 * MIB;
/** The time zone files, because Debian's PHP has no time zone data of its own. */
const ZONES = "/usr/share/zoneinfo";
const PROBE_MS = 20_000;

const ASK = `foreach (get_loaded_extensions() as $name) $functions[$name] = get_extension_funcs($name) ?: [];
echo json_encode(["version" => PHP_VERSION, "folder" => ini_get("extension_dir"), "functions" => $functions]);`;

/**
 * Starts the loop with the protocol on separate descriptors. A connector that writes to standard output cannot forge a
 * message, and its standard input is a file. PHP gets an error for a file that cannot grow, because the signal is
 * ignored.
 */
const START = `trap '' XFSZ; loop=$1; shift; exec "$@" 4<&0 0<"$loop" 3>&1 1>&2`;

/** Returns the backend for a PHP program of the machine that the operator named. */
export function nativePhpBackend(program: string): Backend {
  const reads = [php, "/bin/sh"];
  let settings: readonly string[] | undefined;
  return {
    runtime: "php",
    name: "php",
    memoryBytes: 192 * MIB,
    calls: 1,
    argv: (place) => {
      if (settings === undefined) throw new Error("PHP was not probed.");
      const loop = join(php, "loop.php");
      const all = [...settings, ...settingsOf(place)].flatMap((setting) => ["-d", setting]);
      return ["/bin/sh", "-c", START, "sh", loop, program, "-n", ...all, loop, place.directory];
    },
    reads,
    probe: async () => {
      try {
        const limits = JSON.parse(await readFile(join(php, "limits.json"), "utf8")) as Limits;
        const { found, extensions } = await look(program, limits);
        settings = [...extensions, ...wallOf(found, limits)];
        reads.push(...(await filesOf(program)), ...[found.folder, ZONES].filter((path) => existsSync(path)));
        return { version: found.version };
      } catch (error) {
        return { missing: `JUNCTION_PHP (${program}) cannot be used: ${messageOf(error)}` };
      }
    },
  };
}

/**
 * Runs PHP three times: for its extension folder, for its built-in functions, and for its functions with the extensions
 * for connectors.
 */
async function look(program: string, limits: Limits): Promise<{ found: PhpInfo; extensions: readonly string[] }> {
  const { version, folder } = await ask(program, []);
  if (!isSince(version, 8, 4)) throw new Error(`it is PHP ${version}, and connectors require 8.4 or later.`);
  const bare = await ask(program, ["-n"]);
  const builtIn = new Set(Object.keys(bare.functions).map((name) => name.toLowerCase()));
  const apart = limits.loaded.filter((name) => !builtIn.has(name) && existsSync(join(folder, `${name}.so`)));
  const extensions = [`extension_dir="${quoted(folder)}"`, ...apart.map((name) => `extension=${name}`)];
  const found = await ask(program, ["-n", ...extensions.flatMap((setting) => ["-d", setting])]);
  assertAllFunctionsKnown(found, limits);
  return { found, extensions };
}

function assertAllFunctionsKnown(found: PhpInfo, limits: Limits): void {
  const known = new Set([...limits.extensions, ...limits.silenced].map((name) => name.toLowerCase()));
  if (isSince(found.version, 8, 5)) for (const name of limits.classes) known.delete(name);
  const unlisted = Object.keys(found.functions).filter((name) => !known.has(name.toLowerCase()));
  if (unlisted.length === 0) return;
  throw new Error(
    `it has built-in extensions that cannot be disabled for connectors: ${unlisted.join(", ")}. Use a PHP without them.`,
  );
}

function isSince(version: string, major: number, minor: number): boolean {
  const [foundMajor = 0, foundMinor = 0] = version.split(".").map(Number);
  return foundMajor > major || (foundMajor === major && foundMinor >= minor);
}

async function ask(program: string, args: readonly string[]): Promise<PhpInfo> {
  const options = { env: {}, cwd: "/", timeout: PROBE_MS, maxBuffer: 4 * MIB };
  const asked = ["-d", "display_errors=0", "-d", "log_errors=0", ...args, "-r", ASK];
  const { stdout } = await promisify(execFile)(program, asked, options);
  if (!stdout.startsWith("{")) throw new Error("it does not run PHP code.");
  return JSON.parse(stdout) as PhpInfo;
}

/** Returns the settings by which PHP itself restricts a connector. */
function wallOf(found: PhpInfo, limits: Limits): string[] {
  const silenced = new Set(limits.silenced.map((name) => name.toLowerCase()));
  const names = Object.entries(found.functions).flatMap(([extension, functions]) =>
    silenced.has(extension.toLowerCase()) ? functions : [],
  );
  const settings = { ...limits.settings, disable_functions: [...limits.functions, ...names].join(",") };
  return Object.entries(settings).map(([name, value]) => `${name}="${value}"`);
}

function settingsOf({ directory, memoryBytes }: ProcessPlace): string[] {
  return [
    `open_basedir="${quoted(directory)}:${quoted(php)}"`,
    `memory_limit="${Math.max(LEAST, memoryBytes - WITHOUT_CONNECTOR)}"`,
  ];
}

/** Refuses characters that php.ini cannot express. */
function quoted(path: string): string {
  if (/["\\$:\n]/.test(path))
    throw new Error(`PHP's settings cannot contain the folder ${JSON.stringify(path)}. Rename the folder.`);
  return path;
}

/** Returns the program, and its whole folder tree if it has its own, such as `/opt/php/bin/php`. */
async function filesOf(program: string): Promise<string[]> {
  const real = await realpath(program);
  const prefix = dirname(dirname(real));
  if (prefix === "/" || prefix === "/usr") return [program, real];
  return prefix === "/usr/local" ? [program, real, "/usr/local/lib"] : [program, prefix];
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && error.code === "ENOENT" ? "the program does not exist." : error.message;
}
