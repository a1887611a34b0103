import { canonicalJson, sha256, t } from "../../lib/lib.ts";
import { MAX_FILES, MAX_FILE_BYTES } from "./folder.ts";
import type { Files } from "./folder.ts";
import { readJsonFile } from "./json-file.ts";
import { assertNoCollisions, assertPlainPath } from "./paths.ts";
import { ConnectorRefusedError } from "./version-refusal.ts";
import { VERSION } from "./semver.ts";
import { KEY_ID } from "./signing-key.ts";

export const MANIFEST = "MANIFEST.json";
export const SIGNATURE = "MANIFEST.sig";
const MANIFEST_FORMAT = "junction-connector-1";
const SIGNATURE_FORMAT = "junction-connector-signature-1";

/**
 * The form of a connector's key. The key is the name of its folder and, with _ for -, the first word of its actions.
 */
export const CONNECTOR_KEY = /^(?=.{1,40}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

const KeyId = t.String({ pattern: KEY_ID.source });
const ManifestForm = t.Object(
  {
    format: t.Literal(MANIFEST_FORMAT),
    key: t.String({ pattern: CONNECTOR_KEY.source }),
    version: t.String({ pattern: VERSION.source, maxLength: 60 }),
    key_id: KeyId,
    issued_at: t.String({ pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$` }),
    files: t.Unsafe<Record<string, { sha256: string; size: number }>>({
      type: "object",
      minProperties: 1,
      maxProperties: MAX_FILES,
      additionalProperties: {
        type: "object",
        required: ["sha256", "size"],
        additionalProperties: false,
        properties: {
          sha256: { type: "string", pattern: "^[0-9a-f]{64}$" },
          size: { type: "integer", minimum: 0, maximum: MAX_FILE_BYTES },
        },
      },
    }),
  },
  t.strict,
);
const SignatureForm = t.Object(
  {
    format: t.Literal(SIGNATURE_FORMAT),
    // Two signatures are allowed while one key replaces another.
    signatures: t.Array(t.Object({ key_id: KeyId, signature: t.String({ maxLength: 88 }) }, t.strict), {
      minItems: 1,
      maxItems: 2,
    }),
  },
  t.strict,
);

/** The signed content: the list of files, with their hashes and sizes. */
export type Manifest = t.Static<typeof ManifestForm>;

export interface Signature {
  readonly keyId: string;
  readonly bytes: Buffer;
}

/** Returns the hex SHA-256 of the manifest's bytes, which identifies one version of a connector exactly. */
export function digestOf(manifest: Uint8Array): string {
  return sha256(manifest).toString("hex");
}

export function manifestText(files: Files, head: Pick<Manifest, "key" | "version" | "key_id" | "issued_at">): string {
  const listed = [...files].filter(([path]) => path !== MANIFEST && path !== SIGNATURE);
  const told = listed.map(([path, bytes]) => [path, { sha256: sha256(bytes).toString("hex"), size: bytes.length }]);
  return canonicalJson({ format: MANIFEST_FORMAT, ...head, files: Object.fromEntries(told) });
}

export function signatureText(signatures: readonly { readonly key_id: string; readonly signature: string }[]): string {
  return canonicalJson({ format: SIGNATURE_FORMAT, signatures });
}

/** Throws ConnectorRefusedError `signature_malformed`. */
export function readSignatures(bytes: Buffer): Signature[] {
  const { signatures } = readJsonFile(bytes, SignatureForm, { code: "signature_malformed", path: SIGNATURE });
  const read = signatures.map(({ key_id: keyId, signature }) => ({
    keyId,
    bytes: Buffer.from(signature, "base64"),
    signature,
  }));
  const isPlain = read.every((one) => one.bytes.length === 64 && one.bytes.toString("base64") === one.signature);
  if (!isPlain || new Set(read.map(({ keyId }) => keyId)).size < read.length)
    throw new ConnectorRefusedError(
      "signature_malformed",
      "The file must contain one signature per key, each of 64 bytes in base64.",
      SIGNATURE,
    );
  return read;
}

/**
 * Throws ConnectorRefusedError for a manifest that does not match the schema, is not in canonical form (RFC 8785), or
 * lists paths that are not plain.
 */
export function readManifest(bytes: Buffer): Manifest {
  const manifest = readJsonFile(bytes, ManifestForm, { code: "manifest_malformed", path: MANIFEST });
  if (canonicalJson(manifest) !== bytes.toString("utf8"))
    throw new ConnectorRefusedError(
      "manifest_not_canonical",
      "The manifest is not in the canonical form of RFC 8785. Create it with connector sign.",
      MANIFEST,
    );
  const paths = Object.keys(manifest.files);
  for (const path of paths) assertPlainPath(path);
  assertNoCollisions([...paths, MANIFEST, SIGNATURE]);
  for (const own of [MANIFEST, SIGNATURE])
    if (Object.hasOwn(manifest.files, own))
      throw new ConnectorRefusedError("manifest_malformed", `The manifest does not list ${own}.`, MANIFEST);
  return manifest;
}

/** Throws ConnectorRefusedError for the first file that differs from the manifest, is missing, or is not listed. */
export function assertMatchesManifest(manifest: Manifest, files: Files): void {
  for (const [path, { sha256: wanted, size }] of Object.entries(manifest.files)) {
    const bytes = files.get(path);
    if (bytes === undefined)
      throw new ConnectorRefusedError("file_missing", "A file that the manifest lists does not exist.", path);
    if (bytes.length !== size || sha256(bytes).toString("hex") !== wanted)
      throw new ConnectorRefusedError("file_modified", "A file is not what was signed.", path);
  }
  for (const path of files.keys())
    if (path !== MANIFEST && path !== SIGNATURE && !Object.hasOwn(manifest.files, path))
      throw new ConnectorRefusedError(
        "file_unlisted",
        "A file is not in the manifest. Delete it, or sign the folder again.",
        path,
      );
}
