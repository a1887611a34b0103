import { randomBytes } from "node:crypto";
import type { Db } from "../../platform/db/db.ts";
import { after, sha256, toDate } from "../../lib/lib.ts";
import type { Clock, Uuid } from "../../lib/lib.ts";
import type { NotedOrigin, Refusals } from "../people/audit-port.ts";
import type { PersonRow } from "../people/people.store.ts";
import { CEREMONY_MS, challengeOf, requestOptions, verifyAssertion } from "./ceremony.ts";
import type { Assertion, RequestOptions, UserVerification } from "./passkeys.schemas.ts";
import * as store from "./passkeys.store.ts";
import { relyingPartyOf, requireRelyingParty } from "./relying-party.ts";

export interface AssertionDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly refusals: Refusals;
  readonly baseUrl: string;
}

/** The purpose of a challenge. Its answer counts for nothing else. */
export interface ChallengePlace {
  readonly personId: Uuid;
  readonly purpose: "register" | "sign_in" | "step_up";
  /** Null before sign-in. */
  readonly sessionId: Uuid | null;
}

/** Stores a new challenge for 5 minutes and returns it. */
export async function newChallenge(
  { db, clock }: Pick<AssertionDeps, "db" | "clock">,
  { personId, purpose, sessionId }: ChallengePlace,
): Promise<string> {
  const challenge = randomBytes(32).toString("base64url");
  const now = clock.now();
  const row = {
    challenge_hash: sha256(challenge),
    person_id: personId,
    purpose,
    session_id: sessionId,
    expires_at: toDate(after(now, CEREMONY_MS)),
  };
  await store.insertChallenge(db.query, row, toDate(now));
  return challenge;
}

/** Ends a challenge. Returns true once, and only for the place that it was made for. */
export async function takeChallenge(
  { db, clock }: Pick<AssertionDeps, "db" | "clock">,
  { personId, purpose, sessionId }: ChallengePlace,
  challenge: string,
): Promise<boolean> {
  const row = { challenge_hash: sha256(challenge), person_id: personId, purpose, session_id: sessionId };
  return await store.takeChallenge(db.query, row, toDate(clock.now()));
}

interface AssertionAsk extends ChallengePlace {
  readonly passkeys: readonly store.PasskeyRow[];
  readonly userVerification: UserVerification;
}

/** Returns what a browser needs to ask one of the person's keys. */
export async function beginAssertion(deps: AssertionDeps, ask: AssertionAsk): Promise<RequestOptions> {
  const party = requireRelyingParty(deps.baseUrl);
  return requestOptions({ ...ask, party, challenge: await newChallenge(deps, ask) });
}

export interface AssertionProof {
  readonly person: Pick<PersonRow, "id" | "name">;
  readonly purpose: "sign_in" | "step_up";
  readonly sessionId: Uuid | null;
  readonly given: Assertion;
  readonly userVerification: UserVerification;
  readonly origin: NotedOrigin;
}

/**
 * Returns true if a key of the person has signed an open challenge of this place. The challenge ends in any case. A key
 * whose use count did not grow is refused, and recorded as `auth.passkey_copied`.
 */
export async function takeAssertion(deps: AssertionDeps, proof: AssertionProof): Promise<boolean> {
  const { person, purpose, sessionId, given, userVerification } = proof;
  const party = relyingPartyOf(deps.baseUrl);
  const challenge = challengeOf(given);
  if (party === undefined || challenge === undefined) return false;
  if (!(await takeChallenge(deps, { personId: person.id, purpose, sessionId }, challenge))) return false;
  const id = Buffer.from(given.id, "base64url");
  const passkeys = await store.passkeysOf(deps.db.query, person.id);
  const passkey = passkeys.find((one) => one.credential_id.equals(id));
  if (passkey === undefined) return false;
  const count = await verifyAssertion({ party, challenge, passkey, given, userVerification });
  if (count === undefined) return false;
  if (await store.takeUse(deps.db.query, passkey.id, count, toDate(deps.clock.now()))) return true;
  deps.refusals.note({ person, action: "auth.passkey_copied", origin: proof.origin });
  return false;
}
