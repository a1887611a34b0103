import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  randomBytes,
  randomFillSync,
  timingSafeEqual,
} from "node:crypto";
import { crc32 } from "node:zlib";
import { hide } from "./hidden.ts";
import type { Hidden } from "./hidden.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const KEY_FORM = /^jn_(live|test)_[0-9A-Za-z]{49}$/;
/** The pattern of the name of a secret of a workspace. */
export const SECRET_NAME = "^[A-Za-z][A-Za-z0-9_.-]{0,99}$";
const VERSION = 1;
const IV_BYTES = 12;
const IV_POOL_BYTES = 341 * IV_BYTES;

/**
 * Seals values that must be readable again: signing secrets, credentials, stored responses. Uses AES-256-GCM, bound to
 * the place of the value.
 */
export type Sealer = ReturnType<typeof createSealer>;

/**
 * Creates a sealer that seals with `masterKey`. It opens values that were sealed with `masterKey` or with one of
 * `others`: the previous key or the next one, while a master key is rotated.
 */
export function createSealer(masterKey: Uint8Array, others: readonly Uint8Array[] = []) {
  const nextIv = randomIvs();
  const fingerprintKey = createHmac("sha256", masterKey).update("junction fingerprints").digest();
  return {
    /**
     * Returns a hash that is equal for equal texts of one place, and that only the holder of the master key can compute.
     * Another master key gives another hash.
     */
    fingerprint: (text: string, place: string): Buffer =>
      createHmac("sha256", fingerprintKey).update(`${place}\0${text}`).digest(),
    seal(plain: string | Hidden, place: string): Buffer {
      const iv = nextIv();
      const cipher = createCipheriv("aes-256-gcm", masterKey, iv).setAAD(Buffer.from(place));
      const text = Buffer.concat([
        cipher.update(typeof plain === "string" ? plain : plain.reveal(), "utf8"),
        cipher.final(),
      ]);
      return Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), text]);
    },
    /** Throws when the bytes were changed, moved to another place, or sealed under another master key. */
    open(sealed: Uint8Array, place: string): Hidden {
      if (sealed[0] !== VERSION || sealed.length < 29) throw new Error("sealed value has an unknown form");
      try {
        return openWith(masterKey, sealed, place);
      } catch (error) {
        for (const other of others) {
          try {
            return openWith(other, sealed, place);
          } catch {
            // The next key may open it. If none does, the error of the key in use is thrown.
          }
        }
        throw error;
      }
    },
  };
}

function openWith(key: Uint8Array, sealed: Uint8Array, place: string): Hidden {
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(1, 13)).setAAD(Buffer.from(place));
  decipher.setAuthTag(sealed.subarray(13, 29));
  return hide(Buffer.concat([decipher.update(sealed.subarray(29)), decipher.final()]).toString("utf8"));
}

/** A sealed value with the place that it is sealed for. The code that needs the value opens it. */
export interface SealedValue {
  readonly sealed: Uint8Array;
  /** The place, which also identifies the owner of the value. */
  readonly place: string;
  /** Returns the secrets in the value. Without it, the whole value is one secret. */
  readonly texts?: (plain: string) => readonly string[];
}

/** A column whose values are sealed, and the place of each value, which is derived from its row. */
export interface SealedColumn<By extends string = string> {
  readonly table: string;
  readonly column: string;
  /** The columns that the place is derived from: texts and ids that are never null. */
  readonly by: readonly By[];
  place(row: Readonly<Record<By, string>>): string;
}

export function sealedColumn<const By extends string>(column: SealedColumn<By>): SealedColumn {
  return column;
}

/**
 * Returns a function whose result is valid until its next call. Many values are drawn together, because one draw costs
 * as much as many.
 */
function randomIvs(): () => Uint8Array {
  const pool = Buffer.alloc(IV_POOL_BYTES);
  let used = IV_POOL_BYTES;
  return () => {
    if (used === IV_POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    used += IV_BYTES;
    return pool.subarray(used - IV_BYTES, used);
  };
}

/**
 * Returns a new key: `jn_live_` or `jn_test_`, 43 base62 characters, and a checksum, so that a typo is refused without
 * a query (contract, section 2).
 */
export function newApiKey(environment: "live" | "sandbox"): string {
  const body = `jn_${environment === "live" ? "live" : "test"}_${randomText(43)}`;
  return body + keyChecksum(body);
}

export function isApiKey(text: string): boolean {
  return KEY_FORM.test(text) && keyChecksum(text.slice(0, -6)) === text.slice(-6);
}

/** A secret of OAuth: an authorization code, an access token, or a refresh token. */
export type OAuthSecretKind = "code" | "access" | "refresh";

const OAUTH_MARKS: Readonly<Record<OAuthSecretKind, string>> = { code: "ac", access: "at", refresh: "rt" };
const OAUTH_FORM = /^jn_(?:live|test)_(ac|at|rt)_[0-9A-Za-z]{49}$/;

/** Returns a new secret of OAuth. It has the form of a key with a mark, so that all that recognizes keys recognizes it. */
export function newOAuthSecret(kind: OAuthSecretKind, environment: "live" | "sandbox"): string {
  const body = `jn_${environment === "live" ? "live" : "test"}_${OAUTH_MARKS[kind]}_${randomText(43)}`;
  return body + keyChecksum(body);
}

export function isOAuthSecret(text: string, kind: OAuthSecretKind): boolean {
  return OAUTH_FORM.exec(text)?.[1] === OAUTH_MARKS[kind] && keyChecksum(text.slice(0, -6)) === text.slice(-6);
}

/** Returns six base62 digits of the CRC-32, zero-padded. */
export function keyChecksum(body: string): string {
  let rest = crc32(body);
  let out = "";
  for (let i = 0; i < 6; i += 1) {
    out = BASE62.charAt(rest % 62) + out;
    rest = Math.floor(rest / 62);
  }
  return out;
}

/** Returns `whsec_` and the base64 of 32 random bytes. */
export function newSigningSecret(): Hidden {
  return hide(`whsec_${randomBytes(32).toString("base64")}`);
}

/** Returns uniform base62 text. Bytes that would bias it are discarded. */
export function randomText(length: number): string {
  let out = "";
  while (out.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && out.length < length) out += BASE62.charAt(byte % 62);
    }
  }
  return out;
}

export function sha256(data: string | Uint8Array): Buffer {
  return hash("sha256", data, "buffer");
}

/** Compares in constant time for texts of one length. The length itself is not secret. */
export function timingSafeEqualText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
