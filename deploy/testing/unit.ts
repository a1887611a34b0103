/** Starts a unit as systemd does, as far as a process can: its user, folder, environment, state folder and command. */
import { readFile } from "node:fs/promises";
import { asUser, folderOf, replayed, start } from "./machine.ts";
import type { Started } from "./machine.ts";

export interface Machine {
  /** Stands for `/`. */
  readonly root: string;
  readonly port: number;
}

/** Starts a unit file of this machine. */
export async function startUnit(machine: Machine, file: string): Promise<Started> {
  const unit = replayed(await readFile(file, "utf8"), machine);
  const all = (name: string): string[] =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);
  const one = (name: string): string => all(name)[0] ?? "";
  const user = one("User");
  await folderOf(
    user,
    `${machine.root}/var/lib/${one("StateDirectory")}`,
    Number.parseInt(one("StateDirectoryMode"), 8),
  );
  const settings = all("Environment").flatMap((line) => line.split(" "));
  // systemd reads it before it becomes the unit's user.
  const secret = await readFile(one("EnvironmentFile"), "utf8");
  const env = Object.fromEntries([...settings, ...secret.trim().split("\n")].map(pairOf));
  return start(one("ExecStart").split(" "), {
    cwd: one("WorkingDirectory"),
    env: { ...env, JUNCTION_PORT: String(machine.port) },
    ...asUser(user),
  });
}

function pairOf(line: string): [string, string] {
  const at = line.indexOf("=");
  return [line.slice(0, at), line.slice(at + 1)];
}
