import type { Db } from "../../platform/db/db.ts";
import { after, ServiceError, toDate } from "../../lib/lib.ts";
import type { NotedOrigin } from "../audit-port.ts";
import { verifyPassword } from "./password.ts";
import * as store from "./people.store.ts";
import type { PersonRow } from "./people.store.ts";
import { takeSecondFactor } from "./second-factor.ts";
import { isOpenedByIssuer } from "./sessions.store.ts";
import type { SessionInfo } from "./sessions.ts";
import { withAttemptLimits } from "./sign-in.ts";
import type { SignInDeps } from "./sign-in.ts";

/** A sign-in by OpenID Connect counts as a proof for this time, because people who use it may have no password. */
const ISSUED_MS = 10 * 60_000;

/** A password or a code that a person repeats. */
export interface OwnProof {
  readonly password?: string;
  readonly code?: string;
}

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
  await proveOwn(deps, person, from, { pointer, check });
}

/** Requires the password, a code, or a session that OpenID Connect has just opened. Throws 422 otherwise. */
export async function provePresence(
  deps: SignInDeps,
  { session, person, proof, from }: { session: SessionInfo; person: PersonRow; proof: OwnProof; from: NotedOrigin },
): Promise<void> {
  const { password, code } = proof;
  if (password !== undefined) return await provePassword(deps, person, { password, pointer: "/password" }, from);
  if (code !== undefined) {
    const check = async (): Promise<boolean> => (await takeSecondFactor(deps, person, { code }, from)) !== undefined;
    return await proveOwn(deps, person, from, { pointer: "/code", check });
  }
  const since = toDate(after(deps.clock.now(), -ISSUED_MS));
  if (await isOpenedByIssuer(deps.db.query, session.id, since)) return;
  throw new ServiceError("validation_failed", {
    errors: [
      {
        pointer: "/password",
        code: "required",
        message: "is required, or a code of the second factor, or a new sign-in with OpenID Connect",
      },
    ],
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
