/**
 * Makes the secrets of compose.yaml where they do not exist yet, each readable by its owner alone:
 * `node make-secrets.ts <master key> <password> <database address> <address without the password>`.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";

const EX_CONFIG = 78;
const [masterKey = "", password = "", address = "", template = ""] = process.argv.slice(2);

try {
  if (existsSync(password) && !existsSync(masterKey)) {
    throw new Error(
      `${masterKey} is missing, but the database exists: a new master key would open none of its secrets. ` +
        "Put the key from your backup there. To start with nothing instead, remove the volumes: docker compose down --volumes",
    );
  }
  // In this order: a password without a master key is what the check above finds.
  await makeOnce(masterKey, randomBytes(32).toString("base64"));
  await makeOnce(password, randomBytes(24).toString("hex"));
  const url = new URL(template);
  url.password = (await readFile(password, "utf8")).trim();
  await rename(await written(address, url.href), address);
} catch (error) {
  process.stderr.write(`secrets: ${messageOf(error)}\n`);
  process.exitCode = EX_CONFIG;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isDenied = "code" in error && (error.code === "EACCES" || error.code === "EPERM");
  return isDenied ? `${error.message}. User ${process.getuid?.()} has to own the volume's folder.` : error.message;
}

/** Writes a secret completely or not at all, and never over one that exists. */
async function makeOnce(path: string, secret: string): Promise<void> {
  if (existsSync(path)) return;
  const draft = await written(path, secret);
  try {
    await link(draft, path);
    process.stderr.write(`secrets: made ${path}\n`);
  } finally {
    await rm(draft);
  }
}

/** Returns the path of a file next to `path` that is completely on the disk. */
async function written(path: string, text: string): Promise<string> {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, `${text}\n`, { mode: 0o600, flag: "wx", flush: true });
  return draft;
}
