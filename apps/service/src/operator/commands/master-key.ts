import { CommandError } from "../../../../../packages/command-line/src/command-line.ts";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Returns the key that encrypts secrets. Creates it once in the data folder, readable only by its owner. */
export async function keptMasterKey(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, "master.key");
  await mkdir(dataDir, { recursive: true });
  try {
    await writeFile(path, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  return keyOf(path, await readFile(path, "utf8"));
}

/** Returns the key in the data folder, or undefined if there is none yet. */
export async function masterKeyIn(dataDir: string): Promise<Buffer | undefined> {
  const path = join(dataDir, "master.key");
  return existsSync(path) ? keyOf(path, await readFile(path, "utf8")) : undefined;
}

function keyOf(path: string, text: string): Buffer {
  const key = Buffer.from(text.trim(), "base64");
  if (key.length !== 32)
    throw new CommandError(
      `${path} must contain 32 bytes in base64. Restore the correct key: without it, no secret can be decrypted.`,
    );
  return key;
}
