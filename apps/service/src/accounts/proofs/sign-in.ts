import type { Db } from "../../platform/db/db.ts";
import { after, ServiceError, sha256, toDate } from "../../lib/lib.ts";
import type { HashPurpose } from "./hash-queue.ts";
import { networkOf } from "../callers/network.ts";
import { inTurn, isBusy, placeOf, verifyPassword } from "./password.ts";
import * as store from "../people/people.store.ts";
import type { GuardedSubject, PersonRow } from "../people/people.store.ts";
import { secondFactorAsk, takeSecondFactor } from "./second-factor.ts";
import type { SecondFactor, SecondFactorDeps } from "./second-factor.ts";
import type { NotedOrigin } from "../people/audit-port.ts";
import type { Assertion } from "./passkeys.schemas.ts";
import { addressesOf } from "../sessions/sessions.store.ts";

export interface Proof {
  readonly email: string;
  readonly password: string;
  /** Six digits from the authenticator app, or a recovery code. */
  readonly totpCode?: string | undefined;
  /** The answer of a passkey. */
  readonly assertion?: Assertion | undefined;
}

/** A person whose password, and second factor if there is one, were right. */
export interface ProvenPerson {
  readonly person: PersonRow;
  /** Null if the person has none. */
  readonly secondFactor: SecondFactor | null;
}

export type SignInDeps = SecondFactorDeps;

const KNOWN_ADDRESS_MS = 30 * 86_400_000;

/**
 * Returns the person whose e-mail address, password and second factor, if active, match. Throws sign_in_failed (the
 * same for an unknown e-mail address and a wrong password, after the same time), totp_required, or
 * too_many_auth_failures with Retry-After.
 */
export async function verifyCredentials(
  deps: SignInDeps,
  proof: Proof,
  origin: NotedOrigin,
  purpose: HashPurpose = "sign_in",
): Promise<ProvenPerson> {
  // The turn comes first: a request that waits for it costs little.
  const place = placeOf(purpose, origin, proof.email.toLowerCase());
  const isKnown =
    isBusy() && (await isKnownAt(deps, await store.personByEmail(deps.db.query, proof.email), place.network));
  return await inTurn({ ...place, isKnown }, async () => await verified(deps, proof, origin));
}

/** Returns true if the person signed in from the network in the last 30 days. */
async function isKnownAt({ db, clock }: SignInDeps, person: PersonRow | undefined, network: string): Promise<boolean> {
  if (person === undefined) return false;
  const since = toDate(after(clock.now(), -KNOWN_ADDRESS_MS));
  return (await addressesOf(db.query, person.id, since)).some((address) => networkOf(address) === network);
}

async function verified(deps: SignInDeps, proof: Proof, origin: NotedOrigin): Promise<ProvenPerson> {
  const person = await store.personByEmail(deps.db.query, proof.email);
  return await withAttemptLimits(deps, { email: proof.email, person, origin, action: "auth.sign_in" }, async () => {
    const matches = await verifyPassword(person?.password_hash, proof.password);
    if (person === undefined || !matches) return undefined;
    const ask = await secondFactorAsk(deps, person);
    if (ask === undefined) return { person, secondFactor: null };
    const { totpCode: code, assertion } = proof;
    // A person with the correct password may learn what is required. This does not count as a failure.
    if (code === undefined && assertion === undefined)
      return new ServiceError("totp_required", { extra: await ask.begin() });
    const secondFactor = await takeSecondFactor(deps, person, { code, assertion }, origin);
    return secondFactor === undefined ? undefined : { person, secondFactor };
  });
}

export interface SignInSubject {
  readonly email: string;
  readonly person: PersonRow | undefined;
  readonly origin: NotedOrigin;
  /** The action that a failed proof is recorded as. */
  readonly action: string;
}

/**
 * Runs a check of a secret that can be guessed. Failures are counted by network, by account and network, and by
 * account. The limit by account does not apply to networks from which the person signed in recently, so that guesses
 * of others do not lock the person out. `check` returns undefined for a failure. An error that it returns is thrown and
 * does not count as a failure.
 */
export async function withAttemptLimits<Good>(
  deps: SignInDeps,
  suspect: SignInSubject,
  check: () => Promise<Good | ServiceError | undefined>,
): Promise<Good> {
  const outcome = await countFailure(deps.db, await subjectsOf(deps, suspect), check);
  if (outcome === undefined) {
    const { person, action, origin } = suspect;
    if (person !== undefined) deps.refusals.note({ person, action, origin });
    throw new ServiceError("sign_in_failed");
  }
  if (outcome instanceof ServiceError) throw outcome;
  return outcome;
}

/**
 * Counts the attempt for every subject only if `check` returns undefined. An attempt that one limit refuses must not use
 * up the others.
 */
async function countFailure<Outcome>(
  db: Db,
  subjects: readonly GuardedSubject[],
  check: () => Promise<Outcome>,
): Promise<Outcome> {
  const taken: GuardedSubject[] = [];
  let isFailure = false;
  try {
    for (const subject of subjects) {
      const waitSeconds = await store.takeTry(db, subject);
      if (waitSeconds !== undefined) throw tooMany(waitSeconds);
      taken.push(subject);
    }
    const outcome = await check();
    isFailure = outcome === undefined;
    return outcome;
  } finally {
    if (!isFailure) for (const subject of taken) await store.returnTry(db, subject);
  }
}

async function subjectsOf(
  deps: SignInDeps,
  { email, person, origin: { ip } }: SignInSubject,
): Promise<GuardedSubject[]> {
  // The database's `lower` maps more letters to one than JavaScript's. A person has one limit for all spellings of the
  // address.
  const account = sha256(person?.id ?? email.normalize("NFKC").toLowerCase())
    .toString("hex")
    .slice(0, 32);
  const network = networkOf(ip);
  const near: GuardedSubject[] = [
    { subject: `sign-in:ip:${network}`, perMinute: 30, perHour: 300 },
    { subject: `sign-in:${account}:${network}`, perMinute: 10, perHour: 40 },
  ];
  return (await isKnownAt(deps, person, network))
    ? near
    : [...near, { subject: `sign-in:${account}`, perMinute: 20, perHour: 100 }];
}

export function tooMany(seconds: number, what = "failed sign-ins"): ServiceError {
  return new ServiceError("too_many_auth_failures", {
    detail: `Too many ${what}. Wait ${seconds} s.`,
    headers: { "Retry-After": String(seconds) },
  });
}
