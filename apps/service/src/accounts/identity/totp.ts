import { Secret, TOTP } from "otpauth";
import type { Instant } from "../../lib/lib.ts";

const STEP_SECONDS = 30;
/** A code is taken for this many steps before and after its own. */
const STEPS_AROUND = 1;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;

/** A new secret: 20 random bytes in base32, as authenticator apps take it. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The Key URI that apps read from a QR code. otpauth has one too, with its parameters in another order. */
export function otpauthUrl(secret: string, account: string): string {
  const label = `Junction:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=Junction&algorithm=SHA1&digits=6&period=${STEP_SECONDS}`;
}

/** The time step that the code belongs to (RFC 6238): this one, the one before or the one after; undefined when to none. */
export function totpStep(secret: string, code: string, now: Instant): number | undefined {
  if (!isTotpCode(code)) return undefined;
  const totp = new TOTP({ secret, algorithm: "SHA1", digits: 6, period: STEP_SECONDS });
  const away = totp.validate({ token: code, timestamp: now, window: STEPS_AROUND });
  return away === null ? undefined : totp.counter({ timestamp: now }) + away;
}

export function isTotpCode(code: string): boolean {
  return /^\d{6}$/.test(code);
}

/** Ten codes of 80 random bits each, in groups of four. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const text = new Secret({ size: RECOVERY_BYTES }).base32.toLowerCase();
    return text.replaceAll(/(.{4})(?=.)/g, "$1-");
  });
}

/** One form for a code however it was typed. */
export function recoveryCodeOf(typed: string): string {
  return typed.toLowerCase().replaceAll(/[^a-z2-7]/g, "");
}
