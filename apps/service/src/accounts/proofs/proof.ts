import type { Db } from "../../platform/db/db.ts";
import { after, ServiceError, toDate } from "../../lib/lib.ts";
import type { NotedOrigin } from "../people/audit-port.ts";
import { inTurn, placeOf, verifyPassword } from "./password.ts";
import * as store from "../people/people.store.ts";
import type { PersonRow } from "../people/people.store.ts";
import { takeSecondFactor } from "./second-factor.ts";
import { isOpenedByIssuer } from "../sessions/sessions.store.ts";
import { withAttemptLimits } from "./sign-in.ts";
import type { SignInDeps } from "./sign-in.ts";
import { isTotpCode } from "./totp.ts";
import { changeSubject, takeProof } from "./guarded-change.ts";
import type { GuardedChange, Prover } from "./guarded-change.ts";
import { passkeysOf } from "./passkeys.store.ts";
import { relyingPartyOf } from "./relying-party.ts";
import type { t } from "../../lib/lib.ts";
import type * as shapes from "./passkeys.schemas.ts";

/** A sign-in by OpenID Connect counts as a proof for this time, because people who use it may have no password. */
const ISSUED_MS = 10 * 60_000;

/** A password or a code that a person repeats. */
export type OwnProof = t.Static<typeof shapes.OwnProofBody>;

/** Returns the person of a session. Throws 401 if the account is gone. */
export async function samePerson(db: Db, personId: PersonRow["id"]): Promise<PersonRow> {
  const person = await store.personById(db.query, personId);
  if (person === undefined) throw new ServiceError("session_invalid");
  return person;
}

export async function provePassword(
  deps: SignInDeps,
  person: PersonRow,
  { password, pointer }: { password: string; pointer: string },
  from: NotedOrigin,
): Promise<void> {
  const check = async (): Promise<boolean> => await verifyPassword(person.password_hash, password);
  const place = placeOf("change", from, person.id);
  await inTurn(place, async () => await proveOwn(deps, person, from, { pointer, check }));
}

interface Presence {
  readonly owner: Prover;
  readonly person: PersonRow;
  readonly proof: OwnProof;
  readonly from: NotedOrigin;
  /** The change that the step-up of a person with a second factor must have been begun for. */
  readonly change: GuardedChange;
}

/**
 * Requires the second factor that the person has: a step-up for this change, or a code. A code of an app is not enough
 * next to a passkey, because it can be given to a false site. Without a second factor, the password, or a session that
 * OpenID Connect has just opened. Throws 403 `step_up_required`, or 422.
 */
export async function provePresence(deps: SignInDeps, presence: Presence): Promise<void> {
  if (await proveFactor(deps, presence)) return;
  const { owner, person, proof, from } = presence;
  if (proof.password !== undefined)
    return await provePassword(deps, person, { password: proof.password, pointer: "/password" }, from);
  const since = toDate(after(deps.clock.now(), -ISSUED_MS));
  if (await isOpenedByIssuer(deps.db.query, owner.session.id, since)) return;
  throw new ServiceError("validation_failed", {
    errors: [{ pointer: "/password", code: "required", message: "is required, or a new sign-in with OpenID Connect" }],
  });
}

/** Requires the second factor alone. Returns false if the person has none. */
export async function proveFactor(
  deps: SignInDeps,
  {
    owner,
    person,
    proof: { code },
    from,
    change,
  }: Omit<Presence, "proof"> & { readonly proof: Pick<OwnProof, "code"> },
): Promise<boolean> {
  const hasPasskey = (await passkeysOf(deps.db.query, person.id)).length > 0;
  if (!hasPasskey && person.totp_sealed === null) return false;
  // After a change of the base URL to another host, browsers have no passkeys for it.
  const asksPasskey = hasPasskey && relyingPartyOf(deps.baseUrl) !== undefined;
  if ((await takeProof(deps, owner, changeSubject(owner.scope, change))) !== undefined) return true;
  if (code === undefined) throw factorNeeded(asksPasskey);
  if (asksPasskey && isTotpCode(code)) throw factorNeeded(asksPasskey);
  const check = async (): Promise<boolean> => (await takeSecondFactor(deps, person, { code }, from)) !== undefined;
  await proveOwn(deps, person, from, { pointer: "/code", check });
  return true;
}

function factorNeeded(asksPasskey: boolean): ServiceError {
  const asked = asksPasskey ? "Use your passkey" : "Use a code of your authenticator app";
  return new ServiceError("step_up_required", {
    detail: `You have a second factor, and a password alone does not change the account. ${asked} with POST /v1/step-ups for this change, or send a recovery code as \`code\`.`,
  });
}

/**
 * Requires a proof in addition to the session, so that an open browser is not enough to change the account. Throws 422
 * at the pointer if the check fails, and 429 after too many failures.
 */
export async function proveOwn(
  deps: SignInDeps,
  person: PersonRow,
  origin: NotedOrigin,
  { pointer, check, action = "auth.proof" }: { pointer: string; check: () => Promise<boolean>; action?: string },
): Promise<void> {
  try {
    const suspect = { email: person.email, person, origin, action };
    await withAttemptLimits(deps, suspect, async () => ((await check()) ? true : undefined));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "sign_in_failed") throw error;
    throw new ServiceError("validation_failed", {
      errors: [{ pointer, code: "proof", message: "is incorrect" }],
    });
  }
}
