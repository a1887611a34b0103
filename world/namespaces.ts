/**
 * Linux namespaces isolate a world with its own network interfaces, name server, hosts file and file system on the same machine.
 * They need no root where the kernel allows user namespaces.
 */
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";

const IS_ROOT = process.getuid?.() === 0;

/** A user other than root gets capabilities in a user namespace, which pass to the programs that run in it. */
const USER_NAMESPACE = IS_ROOT ? [] : ["--user", "--map-current-user", "--keep-caps"];
/** A new PID namespace ends every process in it together with the first one. */
const UNSHARE = [...USER_NAMESPACE, "--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"];

/** Returns why this machine cannot have namespaces; undefined if it can. */
export function namespacesFault(): string | undefined {
  if (process.platform !== "linux") return "network namespaces exist on Linux only";
  const script =
    "ip link set lo up && mount -t tmpfs world /tmp && mkdir /tmp/l /tmp/u /tmp/w /tmp/m && mount -t overlay world -o lowerdir=/tmp/l,upperdir=/tmp/u,workdir=/tmp/w /tmp/m";
  const { error, status, stderr } = spawnSync("unshare", [...UNSHARE, "sh", "-c", script], { encoding: "utf8" });
  if (error !== undefined) return `unshare (package util-linux) cannot be run: ${error.message}`;
  return status === 0 ? undefined : `unshare, ip (package iproute2) or mount failed: ${stderr.trim()}`;
}

/** Runs a script of this repository in new namespaces, with a channel for messages. Its processes all end with it. */
export function spawnInside(script: string, args: readonly string[]): ChildProcess {
  return spawn("unshare", [...UNSHARE, process.execPath, script, ...args], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"] },
  });
}
