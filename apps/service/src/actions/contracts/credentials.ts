import { openSecrets, validSecrets } from "../../lib/lib.ts";
import type { Hidden, Instant, Sealer } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { secretPlace, signingPlace } from "../storage/encryption-context.ts";
import type { CurrentContract } from "./contracts.store.ts";

/** The secrets that sign a call, and the one that authenticates it. */
export interface Credentials {
  /** The first secret makes every signature. The others add a `webhook-signature` while they are valid. */
  readonly signing: readonly [Hidden, ...Hidden[]];
  /** The secret that `auth.secret_ref` names; null with `none`. */
  readonly secret: Hidden | null;
}

/** Returns undefined if the secret that the contract names is not set. */
export function credentialsOf(
  sealer: Sealer,
  contract: CurrentContract,
  { scope, now }: { readonly scope: Scope; readonly now: Instant },
): Credentials | undefined {
  const { auth, authSecretSealed } = contract;
  const secret =
    auth.secret_ref === null || authSecretSealed === null
      ? null
      : sealer.open(authSecretSealed, secretPlace(scope.tag, auth.secret_ref));
  if (auth.type !== "none" && secret === null) return undefined;
  if (auth.type === "hmac" && secret !== null) return { signing: [secret], secret };
  const signing = openSecrets(sealer, signingPlace(contract.id), contract.signing, now);
  return { signing: validSecrets(signing), secret };
}
