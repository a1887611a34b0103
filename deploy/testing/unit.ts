/** Starts a unit as systemd does, as far as a process can: its user, folder, environment, state folder and command. */
import { readFileSync } from "node:fs";
import { readUnit } from "../systemd/unit.ts";
import { asUser, folderOf, replayed, start } from "./machine.ts";
import type { Started } from "./machine.ts";

export interface Machine {
  /** Stands for `/`. */
  readonly root: string;
  readonly port: number;
}

/** Starts a unit file of this machine. */
export async function startUnit(machine: Machine, file: string): Promise<Started> {
  const unit = readUnit(replayed(readFileSync(file, "utf8"), machine), (path) => readFileSync(path, "utf8"));
  await folderOf(unit.user, `${machine.root}/var/lib/${unit.stateDirectory}`, unit.stateMode);
  return start(unit.command, {
    cwd: unit.workingDirectory,
    env: { ...unit.environment },
    ...asUser(unit.user),
  });
}
