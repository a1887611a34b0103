import { after, fromDate, newSigningSecret, toDate, toRfc3339 } from "./lib.ts";
import type { Hidden, Instant, Sealer } from "./lib.ts";
import type { SigningSecrets } from "../webhooks/deliveries/envelope.ts";

/** A secret as it is kept, with the one before it while both count. */
export interface SealedSecrets {
  readonly secret_sealed: Buffer | null;
  readonly previous_secret_sealed: Buffer | null;
  readonly previous_expires_at: Date | null;
}

export interface RevealedSecret {
  readonly secret: string;
  readonly previous_secret?: string;
  readonly previous_expires_at?: string;
}

/** `place` is what the secrets were sealed for. */
export function openSecrets(sealer: Sealer, place: string, row: SealedSecrets, now: Instant): SigningSecrets {
  const { secret_sealed: sealed, previous_secret_sealed: before, previous_expires_at: expiresAt } = row;
  if (sealed === null) throw new Error("nothing to sign with");
  const overlaps = before !== null && expiresAt !== null && fromDate(expiresAt) > now;
  return { secret: sealer.open(sealed, place), previous: overlaps ? sealer.open(before, place) : null };
}

export function revealed(sealer: Sealer, place: string, row: SealedSecrets, now: Instant): RevealedSecret {
  const { secret, previous } = openSecrets(sealer, place, row, now);
  const shown = { secret: secret.reveal() };
  if (previous === null || row.previous_expires_at === null) return shown;
  return {
    ...shown,
    previous_secret: previous.reveal(),
    previous_expires_at: toRfc3339(fromDate(row.previous_expires_at)),
  };
}

/** A new secret, beside which the old one signs for so long. */
export function regenerated(
  sealer: Sealer,
  place: string,
  before: Pick<SealedSecrets, "secret_sealed">,
  { now, overlapSeconds }: { readonly now: Instant; readonly overlapSeconds: number },
): { readonly secret: Hidden; readonly columns: SealedSecrets & { readonly secret_sealed: Buffer } } {
  const secret = newSigningSecret();
  const overlaps = overlapSeconds > 0;
  return {
    secret,
    columns: {
      secret_sealed: sealer.seal(secret, place),
      previous_secret_sealed: overlaps ? before.secret_sealed : null,
      previous_expires_at: overlaps ? toDate(after(now, overlapSeconds * 1000)) : null,
    },
  };
}
