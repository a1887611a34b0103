import { createHmac, randomBytes } from "node:crypto";
import { timingSafeEqualText, unixSeconds } from "../lib/lib.ts";
import type { Instant } from "../lib/lib.ts";

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const STEP_SECONDS = 30;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
const RECOVERY_CHARS = 16;

/** A new secret: 20 random bytes in base32, as authenticator apps take it. */
export function newTotpSecret(): string {
  return toBase32(randomBytes(SECRET_BYTES));
}

/** The Key URI that apps read from a QR code. */
export function otpauthUrl(secret: string, account: string): string {
  const label = `Junction:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=Junction&algorithm=SHA1&digits=6&period=${STEP_SECONDS}`;
}

/** RFC 4226 over SHA-1: `digits` decimal digits of one counter. */
export function hotp(key: Uint8Array, counter: number, digits = 6): string {
  const text = Buffer.alloc(8);
  text.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac("sha1", key).update(text).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** The time step that the code belongs to (RFC 6238): this one, the one before or the one after; undefined when to none. */
export function totpStep(secret: string, code: string, now: Instant): number | undefined {
  const key = fromBase32(secret);
  const current = Math.floor(unixSeconds(now) / STEP_SECONDS);
  return [current, current - 1, current + 1].find((step) => timingSafeEqualText(hotp(key, step), code));
}

export function isTotpCode(code: string): boolean {
  return /^\d{6}$/.test(code);
}

/** Ten codes of 80 random bits each, in groups of four. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const text = toBase32(randomBytes((RECOVERY_CHARS * 5) / 8)).toLowerCase();
    return text.replaceAll(/(.{4})(?=.)/g, "$1-");
  });
}

/** One form for a code however it was typed. */
export function recoveryCodeOf(typed: string): string {
  return typed.toLowerCase().replaceAll(/[^a-z2-7]/g, "");
}

export function toBase32(bytes: Uint8Array): string {
  let out = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      out += BASE32.charAt((held >> bits) & 31);
    }
    held &= 0xff;
  }
  return bits === 0 ? out : out + BASE32.charAt((held << (5 - bits)) & 31);
}

function fromBase32(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const char of text) {
    held = ((held << 5) | BASE32.indexOf(char)) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 0xff);
    }
  }
  return Buffer.from(bytes);
}
