import { mkdir, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { readFolder } from "./folder.ts";
import type { Files } from "./folder.ts";
import { digestOf, MANIFEST, manifestText, SIGNATURE, signatureText } from "./manifest.ts";
import { readContents, readPackage } from "./package.ts";
import { keyIdOf, newKeyPair, publicKeyOf, readPrivateKey, signManifest } from "./signing-key.ts";
import { tarOf } from "./tar.ts";
import type { TrustedKey } from "./trust.ts";

/** The result of an author's command, printed as JSON. */
interface CommandResult {
  readonly key: string;
  readonly version: string;
  readonly digest: string;
  readonly files: number;
  readonly signers: readonly string[];
}

/**
 * Creates a key pair as two files of a folder. Only the owner of the files can read the private key. Never overwrites a
 * file.
 */
export async function keygen(
  folder: string,
  name: string,
): Promise<{ key_id: string; public_key: string; private_file: string; public_file: string }> {
  const { privatePem, publicPem, publicKey } = newKeyPair();
  const [privateFile, publicFile] = [join(folder, `${name}.key`), join(folder, `${name}.pub`)];
  await mkdir(folder, { recursive: true });
  await writeFile(privateFile, privatePem, { mode: 0o600, flag: "wx" });
  await writeFile(publicFile, publicPem, { mode: 0o644, flag: "wx" });
  return {
    key_id: keyIdOf(publicKey),
    public_key: publicKey.toString("base64"),
    private_file: privateFile,
    public_file: publicFile,
  };
}

export interface Signing {
  /** PEM of one key, or of two while one follows the other; the first is the manifest's own. */
  readonly privateKeys: readonly string[];
  /** RFC 3339, in UTC, with milliseconds. */
  readonly issuedAt: string;
}

/**
 * Checks the folder as an installation will, and writes its manifest and signature. Throws ConnectorRefusedError, and
 * Error for an invalid key.
 */
export async function signFolder(folder: string, { privateKeys, issuedAt }: Signing): Promise<CommandResult> {
  const keys = privateKeys.map(readPrivateKey);
  const signers = keys.map((key) => keyIdOf(publicKeyOf(key)));
  const files = await readFolder(folder);
  const key = nameOf(folder);
  const { description } = readContents(key, files);
  const manifest = Buffer.from(
    manifestText(files, { key, version: description.version, key_id: signers[0] ?? "", issued_at: issuedAt }),
  );
  const signatures = keys.map((one, at) => ({ key_id: signers[at] ?? "", signature: signManifest(manifest, one) }));
  const signature = Buffer.from(signatureText(signatures));
  // The check comes before the files are written, so that a folder that would be refused is not signed.
  const signed = new Map([...files, [MANIFEST, manifest], [SIGNATURE, signature]]);
  const trust = new Map(keys.map((one) => trustOf(publicKeyOf(one))));
  readPackage(key, signed, trust);
  await writeFile(join(folder, MANIFEST), manifest);
  await writeFile(join(folder, SIGNATURE), signature);
  return commandResult(key, description.version, { manifest, files: signed, signers });
}

/** Throws ConnectorRefusedError unless the folder is complete and signed by one of these keys. */
export async function verifyFolder(folder: string, publicKeys: readonly Buffer[]): Promise<CommandResult> {
  const { told: answer } = await verified(folder, publicKeys);
  return answer;
}

/**
 * Returns a verified folder as one tar archive that every system can unpack. The same files always give the same bytes.
 */
export async function packFolder(
  folder: string,
  publicKeys: readonly Buffer[],
): Promise<CommandResult & { readonly archive: Buffer }> {
  const { told: answer, files } = await verified(folder, publicKeys);
  return { ...answer, archive: gzipSync(tarOf(answer.key, files), { level: 9 }) };
}

export function archiveName({ key, version }: Pick<CommandResult, "key" | "version">): string {
  return `${key}-${version}.tar.gz`;
}

async function verified(
  folder: string,
  publicKeys: readonly Buffer[],
): Promise<{ readonly told: CommandResult; readonly files: Files }> {
  const files = await readFolder(folder);
  const found = readPackage(nameOf(folder), files, new Map(publicKeys.map(trustOf)));
  const manifest = files.get(MANIFEST) ?? Buffer.alloc(0);
  return { files, told: commandResult(found.key, found.manifest.version, { manifest, files, signers: found.signers }) };
}

function commandResult(
  key: string,
  version: string,
  {
    manifest,
    files,
    signers,
  }: { readonly manifest: Buffer; readonly files: Files; readonly signers: readonly string[] },
): CommandResult {
  return { key, version, digest: digestOf(manifest), files: files.size, signers };
}

function nameOf(folder: string): string {
  return basename(resolve(folder));
}

function trustOf(publicKey: Buffer): [string, TrustedKey] {
  const keyId = keyIdOf(publicKey);
  return [keyId, { keyId, publicKey, name: "", connectors: null, development: false, revokedAt: null }];
}
