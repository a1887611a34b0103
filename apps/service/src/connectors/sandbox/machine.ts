import { startChild } from "./child.ts";
import type { Backend } from "./backend.ts";
import type { Runtime } from "./program.ts";
import { commandOf, WALLS } from "./wall.ts";
import type { Enclosure, Wall } from "./wall.ts";

export interface ChosenWall {
  readonly wall: Wall;
  /** The reason why no stronger isolation is available. */
  readonly reason: string;
}

export type ChosenBackend = { readonly backend: Backend; readonly version: string } | { readonly missing: string };

const PROBE_MS = 10_000;
/** Reports what a child sees of the machine: a file outside of its folder, and the network. */
const LOOK = `process.stdout.write(JSON.stringify([
  require("fs").existsSync("/etc/passwd"), Object.keys(require("os").networkInterfaces()).length > 0]) + "\\n")`;

/** The expected report at each isolation level. */
const SEEN: Readonly<Record<Exclude<Wall, "none">, RegExp>> = {
  namespaces: /^\[false,false\]$/,
  network: /^\[(true|false),false\]$/,
  capabilities: /^\[/,
};

/** Returns the strongest isolation that works here. Each level is tested with a child process. */
export async function chooseWall(walls: readonly Wall[], empty: string): Promise<ChosenWall> {
  const reasons: string[] = [];
  for (const wall of WALLS) {
    if (wall === "none" || !walls.includes(wall)) continue;
    const failure = await tryWall(wall, { root: empty, sees: [process.execPath], memoryBytes: 256 * 1024 ** 2 });
    if (failure === undefined) return { wall, reason: reasons.join(" ") };
    reasons.push(`${wall}: ${failure}.`);
  }
  return { wall: "none", reason: reasons.join(" ") };
}

async function tryWall(wall: Exclude<Wall, "none">, enclosure: Enclosure): Promise<string | undefined> {
  const command = commandOf(wall, [process.execPath, "-e", LOOK], enclosure);
  if (command === undefined) return "a tool is missing";
  let seen = "";
  const child = startChild(command, {
    line: (bytes) => {
      seen = bytes.toString();
    },
    fault: () => {},
  });
  const patience = setTimeout(child.kill, PROBE_MS);
  const how = await child.gone;
  clearTimeout(patience);
  if (SEEN[wall].test(seen)) return undefined;
  return seen === "" ? `${how} ${child.stderr().trim().slice(-200)}`.trim() : "it does not isolate the process";
}

/** Returns the first backend of a runtime that works here. */
export async function chooseBackend(runtime: Runtime, backends: readonly Backend[]): Promise<ChosenBackend> {
  const reasons: string[] = [];
  for (const backend of backends.filter((one) => one.runtime === runtime)) {
    const found = await backend.probe();
    if ("version" in found) return { backend, version: found.version };
    reasons.push(`${backend.name}: ${found.missing}`);
  }
  return { missing: reasons.join(" ") || `This installation cannot run connectors in ${runtime}.` };
}
