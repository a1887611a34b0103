import type { Db } from "../../platform/db/db.ts";
import { ServiceError, sha256, toDate } from "../../lib/lib.ts";
import type { Clock, Sealer } from "../../lib/lib.ts";
import * as store from "./people.store.ts";
import type { PersonRow } from "./people.store.ts";
import { isTotpCode, newRecoveryCodes, newTotpSecret, otpauthUrl, recoveryCodeOf, totpStep } from "./totp.ts";

export interface SecondFactorDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly sealer: Sealer;
}

export interface Enrolment {
  readonly secret: string;
  readonly otpauth_url: string;
}

/**
 * Returns true if the code is valid and was not used before. Each step of the app and each recovery code works once.
 */
export async function takeSecondFactor(
  { db, clock, sealer }: SecondFactorDeps,
  person: PersonRow,
  code: string,
): Promise<boolean> {
  if (person.totp_sealed === null) return false;
  if (!isTotpCode(code)) {
    const hash = sha256(recoveryCodeOf(code));
    return await store.takeRecoveryCode(db.query, person.id, hash, toDate(clock.now()));
  }
  const step = totpStep(sealer.open(person.totp_sealed, totpPlace(person.id)).reveal(), code, clock.now());
  return step !== undefined && (await store.takeTotpStep(db.query, person.id, step));
}

/** Returns a new secret, which is shown only once. It takes effect after `activate`. */
export async function enrol({ db, sealer }: SecondFactorDeps, person: PersonRow): Promise<Enrolment> {
  const secret = newTotpSecret();
  if (!(await store.setPendingTotp(db.query, person.id, sealer.seal(secret, totpPlace(person.id))))) {
    throw new ServiceError("conflict", { detail: "A second factor is active. Disable it first." });
  }
  return { secret, otpauth_url: otpauthUrl(secret, person.email) };
}

/** Activates the pending secret. Returns the recovery codes, which are shown only once. */
export async function activate(deps: SecondFactorDeps, person: PersonRow, code: string): Promise<string[]> {
  const pending = person.totp_pending_sealed;
  if (pending === null)
    throw new ServiceError("conflict", { detail: "Set up a second factor first: POST /v1/auth/totp/enrol." });
  const step = totpStep(deps.sealer.open(pending, totpPlace(person.id)).reveal(), code, deps.clock.now());
  if (step === undefined) {
    throw new ServiceError("validation_failed", {
      errors: [{ pointer: "/code", code: "totp", message: "is not the current code of the authenticator app" }],
    });
  }
  const codes = newRecoveryCodes();
  const codeHashes = codes.map((one) => sha256(recoveryCodeOf(one)));
  const isActive = await deps.db.transaction(
    async (tx) => await store.activateTotp(tx, person.id, { pending, step, codeHashes }),
  );
  if (!isActive)
    throw new ServiceError("conflict", {
      detail: "The setup was replaced by a newer one. Set up the second factor again.",
    });
  return codes;
}

export function totpPlace(personId: string): string {
  return `totp:${personId}`;
}
