import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The key that seals secrets: made once into the data folder, readable by its owner alone. */
export async function keptMasterKey(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, "master.key");
  await mkdir(dataDir, { recursive: true });
  try {
    await writeFile(path, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const key = Buffer.from((await readFile(path, "utf8")).trim(), "base64");
  if (key.length !== 32)
    throw new Error(
      `${path} does not hold 32 bytes in base64. Put the right key back: without it no secret can be opened.`,
    );
  return key;
}
