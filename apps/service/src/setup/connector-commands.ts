import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  archiveName,
  CONNECTOR_KEY,
  KEY_ID,
  keygen,
  packFolder,
  readPublicKey,
  Refusal,
  signFolder,
  verifyFolder,
} from "../connectors/connectors.ts";
import type { Connectors } from "../connectors/connectors.ts";
import { systemClock, toRfc3339 } from "../lib/lib.ts";
import { CommandError, NAME_FORM, textOption, UsageError } from "./usage.ts";
import type { Form, Option, Values } from "./usage.ts";

/** Of an author's files, or of the installation's keyring. */
export type ConnectorCommand =
  | { readonly on: "files"; run(): Promise<object> }
  | { readonly on: "installation"; run(connectors: Connectors): Promise<object> };

type Work = () => Promise<object>;

const FILE_NAME: Form = {
  pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
  what: "a file name of letters, digits and . _ -, without a folder, which --out names",
};
const KEY_ID_FORM: Form = { pattern: KEY_ID, what: "the id of a key, as `connector trust` lists it" };

/** Throws UsageError for what is no command, before anything is read. */
export function connectorCommand(verb: string, rest: readonly string[], values: Values): ConnectorCommand {
  if (verb === "trust" && rest.length === 0) return { on: "installation", run: trustCommand(values) };
  if (verb === "keygen" && rest.length === 0) return onFiles(keygenCommand(values));
  const [folder, ...more] = rest;
  if (folder !== undefined && more.length === 0) {
    if (verb === "sign") return onFiles(signCommand(folder, values));
    if (verb === "verify") return onFiles(verifyCommand(folder, values));
    if (verb === "pack") return onFiles(packCommand(folder, values));
  }
  throw new UsageError(`"${["connector", verb, ...rest].join(" ").trim()}" is no command.`);
}

function onFiles(work: Work): ConnectorCommand {
  return { on: "files", run: async () => await explained(work) };
}

function keygenCommand(values: Values): Work {
  const name = textOption(values, "name", FILE_NAME);
  const out = folderOption(values);
  return async () => {
    progress("making an Ed25519 key pair; keep the private file to yourself");
    return await keygen(out, name);
  };
}

function signCommand(folder: string, values: Values): Work {
  const names: Option[] = values["second-key"] === undefined ? ["key"] : ["key", "second-key"];
  const files = names.map((name) => textOption(values, name));
  return async () => {
    const privateKeys = await Promise.all(files.map(async (file) => await readFile(file, "utf8")));
    progress(`reading and judging ${folder}`);
    const told = await signFolder(folder, { privateKeys, issuedAt: toRfc3339(systemClock.now()) });
    progress(`signed ${told.files} files; MANIFEST.json and MANIFEST.sig are written`);
    return told;
  };
}

function verifyCommand(folder: string, values: Values): Work {
  const key = textOption(values, "public-key");
  return async () => {
    progress(`reading and judging ${folder}`);
    return await verifyFolder(folder, [await publicKeyOf(key)]);
  };
}

function packCommand(folder: string, values: Values): Work {
  const key = textOption(values, "public-key");
  const out = folderOption(values);
  return async () => {
    progress(`reading and judging ${folder}`);
    const { archive, ...told } = await packFolder(folder, [await publicKeyOf(key)]);
    const file = join(out, archiveName(told));
    await writeFile(file, archive);
    progress(`packed ${told.files} files`);
    return { ...told, file, bytes: archive.length };
  };
}

function trustCommand(values: Values): (connectors: Connectors) => Promise<object> {
  if (values.revoke !== undefined) {
    const keyId = textOption(values, "revoke", KEY_ID_FORM);
    return async ({ keyring }) => await keyring.revoke(keyId);
  }
  if (values["public-key"] === undefined) return async ({ keyring }) => ({ keys: await keyring.list() });
  const [key, name] = [textOption(values, "public-key"), textOption(values, "name", NAME_FORM)];
  const connectors = values.connectors === undefined ? null : textOption(values, "connectors").split(",");
  const stranger = connectors?.find((one) => !CONNECTOR_KEY.test(one));
  if (stranger !== undefined) throw new UsageError(`--connectors names "${stranger}", which can be no connector.`);
  const development = values.development === true;
  return async ({ keyring }) => {
    const publicKey = await explained(async () => await publicKeyOf(key));
    return await keyring.trust({ publicKey, name, connectors, development });
  };
}

function folderOption(values: Values): string {
  return values.out === undefined ? "." : textOption(values, "out");
}

/** From base64, or from a file that holds PEM or base64. */
async function publicKeyOf(text: string): Promise<Buffer> {
  try {
    return readPublicKey(text);
  } catch (error) {
    const held = await readFile(text, "utf8").catch(() => undefined);
    if (held === undefined) throw error;
    return readPublicKey(held);
  }
}

/** A person reads this while it goes on; what is printed in the end is for programs. */
function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) {
      const { code, path, message } = error.reason;
      throw new CommandError(`refused, ${code}${path === null ? "" : ` (${path})`}: ${message}`, error);
    }
    throw error instanceof Error ? new CommandError(error.message, error) : error;
  }
}
