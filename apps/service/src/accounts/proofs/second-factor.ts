import type { Tx } from "../../platform/db/db.ts";
import { ServiceError, sha256, toDate } from "../../lib/lib.ts";
import type { Sealer } from "../../lib/lib.ts";
import type { NotedOrigin } from "../people/audit-port.ts";
import { beginAssertion, takeAssertion } from "./assertion.ts";
import type { AssertionDeps } from "./assertion.ts";
import type { Assertion, RequestOptions } from "./passkeys.schemas.ts";
import { deletePasskeysOf, endProofs, passkeysOf } from "./passkeys.store.ts";
import type { PasskeyRow } from "./passkeys.store.ts";
import { relyingPartyOf } from "./relying-party.ts";
import * as store from "../people/people.store.ts";
import type { PersonRow } from "../people/people.store.ts";
import { isTotpCode, newRecoveryCodes, newTotpSecret, otpauthUrl, recoveryCodeOf, totpStep } from "./totp.ts";

export interface SecondFactorDeps extends AssertionDeps {
  readonly sealer: Sealer;
}

export interface Enrolment {
  readonly secret: string;
  readonly otpauth_url: string;
}

export type SecondFactor = "webauthn" | "totp" | "recovery_code";

/** The second factor that a person gives. An assertion takes precedence. */
export interface GivenFactor {
  /** Six digits from the authenticator app, or a recovery code. */
  readonly code?: string | undefined;
  /** The answer of a passkey to a challenge for signing in. */
  readonly assertion?: Assertion | undefined;
}

/** The members of the problem that asks for a second factor. */
export interface SecondFactorAsk extends Record<string, unknown> {
  readonly second_factors: SecondFactor[];
  /** Null if the person has no passkey that works here. */
  readonly passkey_request: RequestOptions | null;
}

/** Returns what to ask the person for at sign-in; undefined if the password is enough. Begins a challenge for a passkey. */
export async function secondFactorAsk(
  deps: SecondFactorDeps,
  person: PersonRow,
): Promise<{ begin(): Promise<SecondFactorAsk> } | undefined> {
  const passkeys = await passkeysOf(deps.db.query, person.id);
  if (person.totp_sealed === null && passkeys.length === 0) return undefined;
  return { begin: async () => await askSecondFactor(deps, person, passkeys) };
}

async function askSecondFactor(
  deps: SecondFactorDeps,
  person: PersonRow,
  passkeys: readonly PasskeyRow[],
): Promise<SecondFactorAsk> {
  // After a change of the base URL to another host, browsers have no passkeys for it, but recovery codes still work.
  const isUsable = passkeys.length > 0 && relyingPartyOf(deps.baseUrl) !== undefined;
  const place = { personId: person.id, purpose: "sign_in", sessionId: null } as const;
  return {
    second_factors: [
      ...(isUsable ? (["webauthn"] as const) : []),
      ...(person.totp_sealed === null ? [] : (["totp"] as const)),
      "recovery_code",
    ],
    passkey_request: isUsable
      ? await beginAssertion(deps, { ...place, passkeys, userVerification: "preferred" })
      : null,
  };
}

/**
 * Returns the factor that was given, if it is valid and was not used before. Each step of the app, each recovery code
 * and each challenge works once.
 */
export async function takeSecondFactor(
  deps: SecondFactorDeps,
  person: PersonRow,
  { code, assertion }: GivenFactor,
  origin: NotedOrigin,
): Promise<SecondFactor | undefined> {
  if (assertion !== undefined) {
    const proof = { person, purpose: "sign_in", sessionId: null, userVerification: "preferred", origin } as const;
    return (await takeAssertion(deps, { ...proof, given: assertion })) ? "webauthn" : undefined;
  }
  if (code === undefined) return undefined;
  if (isTotpCode(code)) return (await takeTotp(deps, person, code)) ? "totp" : undefined;
  const hash = sha256(recoveryCodeOf(code));
  const isTaken = await store.takeRecoveryCode(deps.db.query, person.id, hash, toDate(deps.clock.now()));
  return isTaken ? "recovery_code" : undefined;
}

/** Returns true if the code is of the person's authenticator app, and was not used before. */
export async function takeTotp(
  { db, clock, sealer }: Pick<SecondFactorDeps, "db" | "clock" | "sealer">,
  person: PersonRow,
  code: string,
): Promise<boolean> {
  if (person.totp_sealed === null) return false;
  const step = totpStep(sealer.open(person.totp_sealed, totpPlace(person.id)).reveal(), code, clock.now());
  return step !== undefined && (await store.takeTotpStep(db.query, person.id, step));
}

/** Returns a new secret, which is shown only once. It takes effect after `activate`. */
export async function enrol({ db, sealer }: SecondFactorDeps, person: PersonRow): Promise<Enrolment> {
  const secret = newTotpSecret();
  if (!(await store.setPendingTotp(db.query, person.id, sealer.seal(secret, totpPlace(person.id))))) {
    throw alreadyActive();
  }
  return { secret, otpauth_url: otpauthUrl(secret, person.email) };
}

export function alreadyActive(): ServiceError {
  return new ServiceError("conflict", { detail: "An authenticator app is active. Turn it off first." });
}

/** Activates the pending secret. Returns new recovery codes, which are shown only once. Earlier ones end. */
export async function activate(
  deps: SecondFactorDeps,
  person: PersonRow,
  code: string,
  tell: (tx: Tx) => void,
): Promise<string[]> {
  const pending = person.totp_pending_sealed;
  if (pending === null)
    throw new ServiceError("conflict", { detail: "Set up a second factor first: POST /v1/auth/totp/enrol." });
  const step = totpStep(deps.sealer.open(pending, totpPlace(person.id)).reveal(), code, deps.clock.now());
  if (step === undefined) {
    throw new ServiceError("validation_failed", {
      errors: [{ pointer: "/code", code: "totp", message: "is not the current code of the authenticator app" }],
    });
  }
  return await deps.db.transaction(async (tx) => {
    if (!(await store.activateTotp(tx, person.id, { pending, step })))
      throw new ServiceError("conflict", {
        detail: "The setup was replaced by a newer one. Set up the second factor again.",
      });
    tell(tx);
    return await renewRecoveryCodes(tx, person);
  });
}

/** Turns the authenticator app off. Recovery codes end with the last second factor. */
export async function endTotp(tx: Tx, person: PersonRow): Promise<void> {
  await store.holdPerson(tx, person.id);
  await store.clearTotp(tx, person.id);
  await endProofs(tx, person.id);
  if ((await passkeysOf(tx.query, person.id)).length === 0) await store.replaceRecoveryCodes(tx, person.id, []);
}

/** Removes all second factors of a person. */
export async function clearSecondFactors(tx: Tx, person: Pick<PersonRow, "id">): Promise<void> {
  await store.clearTotp(tx, person.id);
  await store.replaceRecoveryCodes(tx, person.id, []);
  await deletePasskeysOf(tx, person.id);
}

/** Replaces the recovery codes and returns the new ones, which are shown only once. */
export async function renewRecoveryCodes(tx: Tx, person: Pick<PersonRow, "id">): Promise<string[]> {
  const codes = newRecoveryCodes();
  await store.replaceRecoveryCodes(
    tx,
    person.id,
    codes.map((one) => sha256(recoveryCodeOf(one))),
  );
  return codes;
}

export function totpPlace(personId: string): string {
  return `totp:${personId}`;
}
