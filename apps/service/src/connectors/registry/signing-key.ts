import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { sha256 } from "../../lib/lib.ts";

/** What signed bytes begin with, so that a signature of something else is none of a manifest. */
const DOMAIN = Buffer.from("junction-connector-manifest-v1\n");
/** What precedes the 32 bytes of an Ed25519 public key in its DER form (RFC 8410). */
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const RAW_BYTES = 32;

export const KEY_ID = /^[0-9a-f]{32}$/;

/** The first 16 bytes of the public key's SHA-256, in hex: nobody names a key otherwise than it is. */
export function keyIdOf(publicKey: Uint8Array): string {
  return sha256(publicKey).toString("hex").slice(0, 32);
}

/** The 32 bytes of an Ed25519 public key: from PEM, or from the base64 of them or of their DER form. Throws Error, fit to show. */
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

/** Throws Error, fit to show. */
export function readPrivateKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Told below, without what the file holds.
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
