import { after, fromDate, timeText, toDate } from "./clock.ts";
import type { Instant } from "./clock.ts";
import type { Hidden } from "./hidden.ts";
import type { Sealer } from "./secret.ts";

/**
 * A signing secret in its stored form. After a rotation the previous secret stays valid until `previous_expires_at`.
 */
export interface SealedSecrets {
  readonly secret_sealed: Buffer | null;
  readonly previous_secret_sealed: Buffer | null;
  readonly previous_expires_at: Date | null;
}

export interface SigningSecrets {
  readonly secret: Hidden;
  /** The previous secret; null unless it is still valid. */
  readonly previous: Hidden | null;
}

export interface RevealedSecret {
  readonly secret: string;
  readonly previous_secret?: string;
  readonly previous_expires_at?: string;
}

/** Opens the secrets. `place` is the place that they were sealed for. */
export function openSecrets(sealer: Sealer, place: string, row: SealedSecrets, now: Instant): SigningSecrets {
  const { secret_sealed: sealed, previous_secret_sealed: before, previous_expires_at: expiresAt } = row;
  if (sealed === null) throw new Error("nothing to sign with");
  const overlaps = before !== null && expiresAt !== null && fromDate(expiresAt) > now;
  return { secret: sealer.open(sealed, place), previous: overlaps ? sealer.open(before, place) : null };
}

/** Returns the valid secrets, the current one first. */
export function validSecrets({ secret, previous }: SigningSecrets): readonly [Hidden, ...Hidden[]] {
  return previous === null ? [secret] : [secret, previous];
}

export function revealSecrets(sealer: Sealer, place: string, row: SealedSecrets, now: Instant): RevealedSecret {
  const { secret, previous } = openSecrets(sealer, place, row, now);
  const shown = { secret: secret.reveal() };
  if (previous === null || row.previous_expires_at === null) return shown;
  return {
    ...shown,
    previous_secret: previous.reveal(),
    previous_expires_at: timeText(row.previous_expires_at),
  };
}

/** Seals a new secret. The previous one stays valid for `overlapSeconds`. */
export function rotateSecret(
  sealer: Sealer,
  place: string,
  before: Buffer | null,
  next: { readonly secret: Hidden | string; readonly now: Instant; readonly overlapSeconds: number },
): SealedSecrets & { readonly secret_sealed: Buffer } {
  const overlaps = next.overlapSeconds > 0;
  return {
    secret_sealed: sealer.seal(next.secret, place),
    previous_secret_sealed: overlaps ? before : null,
    previous_expires_at: overlaps ? toDate(after(next.now, next.overlapSeconds * 1000)) : null,
  };
}
