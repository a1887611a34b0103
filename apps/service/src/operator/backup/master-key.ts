import { createHmac } from "node:crypto";

/** Tells a master key from others, and nothing of it: the key has 256 random bits. */
export function fingerprintOf(masterKey: Uint8Array): string {
  return createHmac("sha256", masterKey).update("junction backup").digest("hex").slice(0, 32);
}
