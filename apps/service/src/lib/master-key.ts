import { createHmac } from "node:crypto";

export const MASTER_KEY_BYTES = 32;

/** Returns a fingerprint that identifies a master key. It reveals nothing about the key, which has 256 random bits. */
export function fingerprintOf(masterKey: Uint8Array): string {
  return createHmac("sha256", masterKey).update("junction backup").digest("hex").slice(0, 32);
}
