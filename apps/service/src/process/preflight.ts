import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { EXIT } from "./exit.ts";
import { StartRefusedError } from "./refusal.ts";
import type { Config } from "../config/config.ts";
import { databaseHome, hasEmbedded, reach } from "../platform/db/db.ts";
import { answersAsJunction, ConfigError, listeningFault } from "../operator/operator.ts";

const MEBIBYTE = 1024 ** 2;
/** A new database takes about 80 MiB. */
const LEAST_FREE_BYTES = 128 * MEBIBYTE;

/**
 * Checks the requirements of a start on its machine, before anything starts. Throws StartRefusedError, ConfigError or
 * UnreachableError.
 */
export async function requireMachine(config: Config): Promise<void> {
  const fault = await listeningFault(config.host, config.port);
  if (fault !== undefined) throw await listeningRefusal(config, fault);
  if (config.databaseUrl === null) await requireSpace(config.dataDir);
  else await reach(config.databaseUrl);
}

/** Returns why the service cannot listen, from the code of the system's error. */
export async function listeningRefusal(
  { host, port }: Pick<Config, "host" | "port">,
  code: string,
): Promise<StartRefusedError | ConfigError> {
  if (code === "EADDRINUSE") {
    const holder = (await answersAsJunction(host, port)) ? "another Junction" : "another program";
    return new StartRefusedError(
      `Port ${port} on ${host} is in use by ${holder}. Stop it (\`ss -ltnp 'sport = :${port}'\` shows it), or set \`JUNCTION_PORT\` to another port.`,
      EXIT.inUse,
    );
  }
  if (code === "EACCES" || code === "EPERM")
    return new StartRefusedError(
      `This user may not listen on port ${port}: ports below 1024 need a right of their own. Set \`JUNCTION_PORT\` to 1024 or more.`,
      EXIT.noPermission,
    );
  return new ConfigError([
    `\`JUNCTION_HOST\` must be an address of this machine; got ${JSON.stringify(host)} (${code}).`,
  ]);
}

/** Returns the code of a failed `listen`, or undefined if the error is another one. */
export function listeningCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined;
  return ["listen", "bind", "getaddrinfo"].includes(String(error.syscall)) ? String(error.code) : undefined;
}

async function requireSpace(dataDir: string): Promise<void> {
  if (hasEmbedded(dataDir)) return;
  const folder = databaseHome(dataDir)?.home ?? resolve(dataDir);
  const { bavail, bsize } = await statfs(nearest(folder));
  if (bavail * bsize >= LEAST_FREE_BYTES) return;
  throw new StartRefusedError(
    `The disk of ${folder} has ${Math.floor((bavail * bsize) / MEBIBYTE)} MiB free, and a new database needs ${LEAST_FREE_BYTES / MEBIBYTE} MiB. Free space, or set \`JUNCTION_DATA_DIR\` to a folder on another disk.`,
    EXIT.diskFull,
  );
}

function nearest(folder: string): string {
  return existsSync(folder) ? folder : nearest(dirname(folder));
}
