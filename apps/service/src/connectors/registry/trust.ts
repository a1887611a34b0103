import type { Instant } from "../../lib/lib.ts";
import type { RefusalCode } from "./version-refusal.ts";

/** A known key, with the limits of its signatures. */
export interface TrustedKey {
  readonly keyId: string;
  readonly publicKey: Buffer;
  readonly name: string;
  /** The connectors that it may sign; null means any. */
  readonly connectors: readonly string[] | null;
  /** True if its signatures are valid only in the sandbox. */
  readonly development: boolean;
  readonly revokedAt: Instant | null;
}

/** The known keys by id. */
export type Trust = ReadonlyMap<string, TrustedKey>;

/** The result of checking a connector's signers against the trusted keys. */
export type Standing =
  | { readonly kind: "trusted"; readonly development: boolean }
  | { readonly kind: "untrusted"; readonly code: RefusalCode; readonly message: string };

/**
 * Returns the standing of a connector from the keys whose signatures are valid. One trusted key is enough, so that one
 * key can replace another.
 */
export function standingOf(trust: Trust, connector: string, signers: readonly string[]): Standing {
  const known = signers.flatMap((id) => trust.get(id) ?? []);
  const living = known.filter(({ revokedAt }) => revokedAt === null);
  const allowed = living.filter(({ connectors }) => connectors?.includes(connector) ?? true);
  if (allowed.length > 0) return { kind: "trusted", development: allowed.every((one) => one.development) };
  if (living.length > 0)
    return untrusted("key_not_allowed", `The key that signed the connector is not allowed to sign ${connector}.`);
  return known.length > 0
    ? untrusted("key_revoked", "The key that signed the connector was revoked.")
    : untrusted(
        "key_unknown",
        "The connector is not signed with a key that this installation trusts. To trust its key, run connector trust.",
      );
}

function untrusted(code: RefusalCode, message: string): Standing {
  return { kind: "untrusted", code, message };
}
