import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  readPublicKey,
  ConnectorRefusedError,
  signFolder,
  verifyFolder,
} from "../apps/service/src/connectors/registry/connectors.ts";
import { REPOSITORY_KEY } from "../apps/service/src/connectors/settings.ts";

/**
 * Signs the connectors of this repository that have changed: `node tools/sign-connectors.ts <file of the private key>`.
 * Connectors with a valid signature are left as they are.
 */

const FOLDER = fileURLToPath(new URL("../connectors/", import.meta.url));
const [keyFile] = process.argv.slice(2);
if (keyFile === undefined) throw new Error("Name the file of the repository's private key.");

const privateKeys = [await readFile(keyFile, "utf8")];
for (const entry of await readdir(FOLDER, { withFileTypes: true })) {
  if (!entry.isDirectory()) continue;
  const folder = join(FOLDER, entry.name);
  if (await isSigned(folder)) continue;
  const { key, version, files } = await signFolder(folder, { privateKeys, issuedAt: new Date().toISOString() });
  await verifyFolder(folder, [readPublicKey(REPOSITORY_KEY)]);
  process.stdout.write(`${key} ${version}: ${files} files signed\n`);
}

async function isSigned(folder: string): Promise<boolean> {
  try {
    await verifyFolder(folder, [readPublicKey(REPOSITORY_KEY)]);
    return true;
  } catch (error) {
    if (error instanceof ConnectorRefusedError) return false;
    throw error;
  }
}
