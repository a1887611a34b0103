import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CommandError, UsageError } from "../../../../../packages/command-line/src/command-line.ts";
import {
  archiveName,
  CONNECTOR_KEY,
  KEY_ID,
  keygen,
  packFolder,
  readPublicKey,
  ConnectorRefusedError,
  signFolder,
  verifyFolder,
} from "../../connectors/connectors.ts";
import { systemClock, toRfc3339 } from "../../lib/lib.ts";
import { printed } from "./command.ts";
import type { Command, InstallationServices } from "./command.ts";
import { NAME_FORM, optionalText, textOption } from "./usage.ts";
import type { Form, Option, ReadCommand, TypedArguments } from "./usage.ts";

type Work = () => Promise<object>;

const FILE_NAME: Form = {
  pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
  what: "a file name of letters, digits and . _ - without a folder (set the folder with --out)",
};
const KEY_ID_FORM: Form = { pattern: KEY_ID, what: "a key ID from the list that `connector trust` prints" };

export const connectorTrust: ReadCommand = trustCommand;
export const connectorKeygen: ReadCommand = (given) => onFiles(keygenCommand(given));
export const connectorSign: ReadCommand = (given, folder) => onFiles(signCommand(folder, given));
export const connectorVerify: ReadCommand = (given, folder) => onFiles(verifyCommand(folder, given));
export const connectorPack: ReadCommand = (given, folder) => onFiles(packCommand(folder, given));

function onFiles(work: Work): Command {
  return { on: "files", run: async () => await printed(async () => await explained(work)) };
}

function keygenCommand(given: TypedArguments): Work {
  const name = textOption(given, "name", FILE_NAME);
  const out = optionalText(given, "out") ?? ".";
  return async () => {
    progress("creating an Ed25519 key pair; keep the private key file secret");
    return await keygen(out, name);
  };
}

function signCommand(folder: string, given: TypedArguments): Work {
  const names: Option[] = given.has("second-key") ? ["key", "second-key"] : ["key"];
  const files = names.map((name) => textOption(given, name));
  return async () => {
    const privateKeys = await Promise.all(files.map(async (file) => await readFile(file, "utf8")));
    progress(`reading and checking ${folder}`);
    const told = await signFolder(folder, { privateKeys, issuedAt: toRfc3339(systemClock.now()) });
    progress(`signed ${told.files} files; MANIFEST.json and MANIFEST.sig are written`);
    return told;
  };
}

function verifyCommand(folder: string, given: TypedArguments): Work {
  const key = textOption(given, "public-key");
  return async () => {
    progress(`reading and checking ${folder}`);
    return await verifyFolder(folder, [await publicKeyOf(key)]);
  };
}

function packCommand(folder: string, given: TypedArguments): Work {
  const key = textOption(given, "public-key");
  const out = optionalText(given, "out") ?? ".";
  return async () => {
    progress(`reading and checking ${folder}`);
    const { archive, ...told } = await packFolder(folder, [await publicKeyOf(key)]);
    const file = join(out, archiveName(told));
    await writeFile(file, archive);
    progress(`packed ${told.files} files`);
    return { ...told, file, bytes: archive.length };
  };
}

function trustCommand(given: TypedArguments): Command {
  const change = keyringChange(given);
  return { on: "installation", run: async ({ connectors }) => await printed(async () => await change(connectors)) };
}

function keyringChange(given: TypedArguments): (connectors: InstallationServices["connectors"]) => Promise<object> {
  const keyId = optionalText(given, "revoke", KEY_ID_FORM);
  if (keyId !== undefined) return async ({ keyring }) => await keyring.revoke(keyId);
  if (!given.has("public-key")) return async ({ keyring }) => ({ keys: await keyring.list() });
  const [key, name] = [textOption(given, "public-key"), textOption(given, "name", NAME_FORM)];
  const connectors = optionalText(given, "connectors")?.split(",") ?? null;
  const stranger = connectors?.find((one) => !CONNECTOR_KEY.test(one));
  if (stranger !== undefined)
    throw new UsageError(`--connectors contains "${stranger}", which is not a valid connector key.`);
  const development = given.has("development");
  return async ({ keyring }) => {
    const publicKey = await explained(async () => await publicKeyOf(key));
    return await keyring.trust({ publicKey, name, connectors, development });
  };
}

/** Reads a public key from base64, or from a file with PEM or base64. */
async function publicKeyOf(text: string): Promise<Buffer> {
  try {
    return readPublicKey(text);
  } catch (error) {
    const held = await readFile(text, "utf8").catch(() => undefined);
    if (held === undefined) throw error;
    return readPublicKey(held);
  }
}

/** Prints progress for people to standard error. The result on standard output is for programs. */
function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConnectorRefusedError) {
      const { code, path, message } = error.reason;
      throw new CommandError(`refused, ${code}${path === null ? "" : ` (${path})`}: ${message}`, undefined, error);
    }
    throw error instanceof Error ? new CommandError(error.message, undefined, error) : error;
  }
}
