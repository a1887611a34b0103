import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { Junction } from "../../../sdks/node/src/index.ts";
import type { JunctionOptions } from "../../../sdks/node/src/index.ts";
import { CommandError } from "../../../packages/command-line/src/command-line.ts";
import { EXIT } from "./exit.ts";
import type { Io } from "./io.ts";

/** The key and the address of a service. */
export interface Account {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** The source of the key. */
  readonly from: string;
}

export const DEFAULT_BASE_URL = "http://127.0.0.1:4000";

/**
 * Returns the environment's key, or the one that `junction login` keeps. A kept key is sent only to the service for
 * which it was kept: key and address of different sources are never combined.
 */
export async function readAccount(io: Io): Promise<Account> {
  const envKey = variable(io, "JUNCTION_API_KEY");
  const envUrl = variable(io, "JUNCTION_BASE_URL");
  if (envKey !== undefined) {
    io.hide(envKey);
    return { apiKey: envKey, baseUrl: envUrl ?? DEFAULT_BASE_URL, from: "JUNCTION_API_KEY" };
  }
  const kept = await readKept(io);
  if (kept === undefined) throw new CommandError(noKeyText(io), EXIT.config);
  if (envUrl !== undefined && withoutTrailingSlashes(envUrl) !== withoutTrailingSlashes(kept.baseUrl))
    throw new CommandError(
      `JUNCTION_BASE_URL is ${envUrl}, but the saved key belongs to ${kept.baseUrl}. Set JUNCTION_API_KEY too, or run \`junction login\`.`,
      EXIT.config,
    );
  return kept;
}

/** The guides keep the key of their curl calls in a variable of another name. */
function noKeyText(io: Io): string {
  const how =
    variable(io, "JUNCTION_KEY") === undefined ? "Set JUNCTION_API_KEY" : "Run `export JUNCTION_API_KEY=$JUNCTION_KEY`";
  return `No API key. ${how}, or run \`junction login\`.`;
}

/** Returns the address for public routes: that of the account, if there is one. */
export async function readBaseUrl(io: Io): Promise<string> {
  const url = variable(io, "JUNCTION_BASE_URL");
  if (url !== undefined) return withoutTrailingSlashes(url);
  if (variable(io, "JUNCTION_API_KEY") !== undefined) return DEFAULT_BASE_URL;
  return withoutTrailingSlashes((await readKept(io))?.baseUrl ?? DEFAULT_BASE_URL);
}

/** Returns a client. Throws `CommandError` if the SDK refuses the key's form or the address. */
export function clientOf(
  { apiKey, baseUrl }: Pick<Account, "apiKey" | "baseUrl">,
  fetch?: JunctionOptions["fetch"],
): Junction {
  try {
    return new Junction({ apiKey, baseUrl, fetch });
  } catch (error) {
    throw new CommandError((error as Error).message, EXIT.config);
  }
}

/** Keeps the key only for this user. Returns the path of the file. */
export async function keepAccount(io: Io, { apiKey, baseUrl }: Pick<Account, "apiKey" | "baseUrl">): Promise<string> {
  const file = configFile(io);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  await writeFile(next, `${JSON.stringify({ base_url: baseUrl, api_key: apiKey }, null, 2)}\n`, { mode: 0o600 });
  // An existing file would keep its mode.
  await chmod(next, 0o600);
  await rename(next, file);
  return file;
}

/** Deletes the kept key. Returns false if there was none. */
export async function forgetAccount(io: Io): Promise<boolean> {
  if ((await readText(configFile(io))) === undefined) return false;
  await rm(configFile(io), { force: true });
  return true;
}

function configFile(io: Io): string {
  return join(variable(io, "XDG_CONFIG_HOME") ?? join(homedir(), ".config"), "junction", "config.json");
}

async function readKept(io: Io): Promise<Account | undefined> {
  const file = configFile(io);
  const text = await readText(file);
  if (text === undefined) return undefined;
  const { mode } = await stat(file);
  if (process.platform !== "win32" && (mode & 0o077) !== 0)
    throw new CommandError(`Other users can read ${file}, which contains a key. Run: chmod 600 ${file}`, EXIT.config);
  const { api_key: apiKey, base_url: baseUrl } = membersOf(text);
  if (typeof apiKey !== "string" || typeof baseUrl !== "string")
    throw new CommandError(`${file} cannot be read. Run \`junction login\` to create it again.`, EXIT.config);
  io.hide(apiKey);
  return { apiKey, baseUrl, from: file };
}

function membersOf(text: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(text) as object) };
  } catch {
    return {};
  }
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`, EXIT.config);
  }
}

export function variable(io: Io, name: string): string | undefined {
  const text = io.env[name]?.trim();
  return text === "" ? undefined : text;
}

export function withoutTrailingSlashes(url: string): string {
  return url.replace(/(?<!\/)\/+$/, "");
}
