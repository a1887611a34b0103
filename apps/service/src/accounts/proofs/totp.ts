import { Secret, TOTP } from "otpauth";
import type { Instant } from "../../lib/lib.ts";

const STEP_SECONDS = 30;
/** A code is accepted for this many steps before and after its own. */
const STEPS_AROUND = 1;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;

/** Returns a new secret: 20 random bytes in base32, the format of authenticator apps. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** Returns the key URI that apps read from a QR code. The one of otpauth has its parameters in another order. */
export function otpauthUrl(secret: string, account: string): string {
  const label = `Junction:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=Junction&algorithm=SHA1&digits=6&period=${STEP_SECONDS}`;
}

/**
 * Returns the time step of the code (RFC 6238): the current, previous or next one. Returns undefined if it belongs to
 * none of them.
 */
export function totpStep(secret: string, code: string, now: Instant): number | undefined {
  if (!isTotpCode(code)) return undefined;
  const totp = new TOTP({ secret, algorithm: "SHA1", digits: 6, period: STEP_SECONDS });
  const away = totp.validate({ token: code, timestamp: now, window: STEPS_AROUND });
  return away === null ? undefined : totp.counter({ timestamp: now }) + away;
}

export function isTotpCode(code: string): boolean {
  return /^\d{6}$/.test(code);
}

/** Returns ten codes of 80 random bits each, in groups of four characters. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const text = new Secret({ size: RECOVERY_BYTES }).base32.toLowerCase();
    return text.replaceAll(/(.{4})(?=.)/g, "$1-");
  });
}

/** Normalizes a typed code. */
export function recoveryCodeOf(typed: string): string {
  return typed.toLowerCase().replaceAll(/[^a-z2-7]/g, "");
}
