import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { sha256 } from "../../lib/lib.ts";

/** The prefix of the signed bytes. It prevents that a signature for another purpose is valid for a manifest. */
const DOMAIN = Buffer.from("junction-connector-manifest-v1\n");
/** The prefix of the 32 bytes of an Ed25519 public key in its DER form (RFC 8410). */
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const RAW_BYTES = 32;

export const KEY_ID = /^[0-9a-f]{32}$/;

/**
 * Returns the first 16 bytes of the public key's SHA-256, in hex. The id depends only on the key, so no one can choose
 * it.
 */
export function keyIdOf(publicKey: Uint8Array): string {
  return sha256(publicKey).toString("hex").slice(0, 32);
}

/**
 * Returns the 32 bytes of an Ed25519 public key, from PEM or from the base64 of its raw or DER form. Throws Error with
 * a message that may be shown.
 */
export function readPublicKey(text: string): Buffer {
  const fault = new Error("the value is not an Ed25519 public key: use a PEM, or 32 bytes in base64");
  if (text.includes("PRIVATE"))
    throw new Error("the value is a private key: use the public key, and keep the private key secret");
  try {
    const bytes = Buffer.from(text.trim(), "base64");
    const key = text.includes("-----BEGIN")
      ? createPublicKey(text)
      : keyObject(bytes.length === RAW_BYTES ? bytes : bytes.subarray(SPKI_PREFIX.length));
    if (key.asymmetricKeyType !== "ed25519") throw fault;
    const raw = rawOf(key);
    if (!text.includes("-----BEGIN") && !bytes.subarray(-RAW_BYTES).equals(raw)) throw fault;
    return raw;
  } catch {
    throw fault;
  }
}

/** Throws Error with a message that may be shown. */
export function readPrivateKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // The error below replaces this one, which might contain parts of the file.
  }
  throw new Error("the file is not an Ed25519 private key in PEM; create one with connector keygen");
}

export interface KeyPair {
  readonly privatePem: string;
  readonly publicPem: string;
  readonly publicKey: Buffer;
}

export function newKeyPair(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    privatePem: privateKey.export({ format: "pem", type: "pkcs8" }),
    publicPem: publicKey.export({ format: "pem", type: "spki" }),
    publicKey: rawOf(publicKey),
  };
}

export function publicKeyOf(privateKey: KeyObject): Buffer {
  return rawOf(createPublicKey(privateKey));
}

export function signManifest(manifest: Uint8Array, privateKey: KeyObject): string {
  return sign(null, signedBytes(manifest), privateKey).toString("base64");
}

export function isSignedBy(manifest: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  return verify(null, signedBytes(manifest), keyObject(publicKey), signature);
}

function signedBytes(manifest: Uint8Array): Buffer {
  return Buffer.concat([DOMAIN, manifest]);
}

function keyObject(raw: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, raw]), format: "der", type: "spki" });
}

function rawOf(key: KeyObject): Buffer {
  return key.export({ format: "der", type: "spki" }).subarray(-RAW_BYTES);
}
