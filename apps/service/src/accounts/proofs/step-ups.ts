import { after, fromDate, ownContext, ServiceError, sha256, toDate, toRfc3339, wireId } from "../../lib/lib.ts";
import type { Id, IdMaker, Instant } from "../../lib/lib.ts";
import type { NotedOrigin } from "../people/audit-port.ts";
import { proveOwn, samePerson } from "./proof.ts";
import { takeTotp } from "./second-factor.ts";
import type { GivenFactor } from "./second-factor.ts";
import type { PersonRow } from "../people/people.store.ts";
import type { SignInDeps } from "./sign-in.ts";
import { ownUuid } from "../callers/scope.ts";
import type { Caller } from "../callers/caller.routes.ts";
import { beginAssertion, takeAssertion } from "./assertion.ts";
import { CEREMONY_MS, challengeOf } from "./ceremony.ts";
import { changeSubject, takeProof } from "./guarded-change.ts";
import type { GuardedChange, Prover } from "./guarded-change.ts";
import type { RequestOptions } from "./passkeys.schemas.ts";
import * as store from "./passkeys.store.ts";
import { relyingPartyOf } from "./relying-party.ts";

export const STEP_UP_METHODS = ["webauthn", "totp"] as const;
/** How a person proved again who they are. */
export type StepUpMethod = (typeof STEP_UP_METHODS)[number];

export interface StepUpView {
  readonly id: Id;
  readonly object: "step_up";
  readonly method: StepUpMethod;
  /** For the browser; null unless a passkey is asked. */
  readonly passkey_request: RequestOptions | null;
  readonly proved: boolean;
  readonly expires_at: string;
}

/**
 * Repeated proofs of identity. One is for named decisions, in one session, once each, for 5 minutes after it was begun.
 */
export type StepUps = ReturnType<typeof createStepUps>;

export interface StepUpsDeps extends SignInDeps {
  readonly ids: IdMaker;
}

/** The decisions that the open step-ups of a person are for. The oldest ones end first. */
const MOST_OPEN = 500;

export function createStepUps(deps: StepUpsDeps) {
  const outside = ownContext();
  // A decision sees one workspace's rows, on its shard. Proofs belong to people, and are used up even if the decision fails.
  const taken = async (owner: Prover, subject: Buffer): Promise<StepUpMethod | undefined> => {
    const method = await outside(async () => await takeProof(deps, owner, subject));
    return STEP_UP_METHODS.find((one) => one === method);
  };
  return {
    /** Throws 403 `step_up_required` if the person has no second factor. `subjects` are hashes of what is decided. */
    begin: async (owner: Prover, subjects: readonly Buffer[]): Promise<StepUpView> =>
      await begin(deps, owner, subjects),
    /** Throws 404 for an ended one, 422 for a wrong proof, and 429 after too many. */
    prove: async (owner: Prover, id: string, given: GivenFactor, from: NotedOrigin): Promise<StepUpView> =>
      await prove(deps, owner, id, { given, from }),
    /** Uses up the proof for a decision. Returns its method; undefined if there is none. */
    take: async (owner: Prover, subject: Buffer): Promise<StepUpMethod | undefined> => await taken(owner, subject),
    /** Uses up the proof for exactly this change. Throws 403 `step_up_required` if there is none, and for every key. */
    async demand({ key: { session }, scope }: Caller, change: GuardedChange): Promise<StepUpMethod> {
      const method = session === undefined ? undefined : await taken({ scope, session }, changeSubject(scope, change));
      if (method !== undefined) return method;
      throw new ServiceError("step_up_required", {
        detail: `This change turns off or goes around a protection. Make it in the console, which asks for your passkey or a code: ${deps.baseUrl}. No key can.`,
      });
    },
  };
}

async function begin(deps: StepUpsDeps, owner: Prover, subjects: readonly Buffer[]): Promise<StepUpView> {
  const { scope, session } = owner;
  const person = await samePerson(deps.db, session.personId);
  const expiresAt = after(deps.clock.now(), CEREMONY_MS);
  const passkeys = await store.passkeysOf(deps.db.query, person.id);
  const method = methodOf(deps, person, passkeys);
  const place = { personId: person.id, purpose: "step_up", sessionId: session.id } as const;
  const request =
    method === "webauthn" ? await beginAssertion(deps, { ...place, passkeys, userVerification: "required" }) : null;
  const id = deps.ids.uuid();
  const now = toDate(deps.clock.now());
  await store.forgetStepUps(deps.db.query, person.id, { now, kept: MOST_OPEN - subjects.length });
  await store.insertStepUps(
    deps.db.query,
    subjects.map((subject) => ({
      id,
      subject,
      ...ownerOf(owner),
      method,
      challenge_hash: request === null ? null : sha256(request.challenge),
      proved_at: null,
      expires_at: toDate(expiresAt),
    })),
  );
  return stepUpView(scope.tag, { id, method, request, isProved: false, expiresAt });
}

/** A passkey comes first: with one, a code is not enough, because a code can be given to a false site. */
function methodOf(
  { baseUrl }: Pick<StepUpsDeps, "baseUrl">,
  person: PersonRow,
  passkeys: readonly store.PasskeyRow[],
): StepUpMethod {
  if (passkeys.length > 0 && relyingPartyOf(baseUrl) !== undefined) return "webauthn";
  if (person.totp_sealed !== null) return "totp";
  throw new ServiceError("step_up_required", {
    detail: `You have no second factor. Add a passkey or an authenticator app at ${baseUrl}/account, and try again.`,
  });
}

async function prove(
  deps: StepUpsDeps,
  { scope, session }: Prover,
  wireText: string,
  { given, from }: { readonly given: GivenFactor; readonly from: NotedOrigin },
): Promise<StepUpView> {
  const owner = ownerOf({ scope, session });
  const id = ownUuid(scope, "stp", wireText);
  const [row] = await store.openStepUp(deps.db.query, owner, id, toDate(deps.clock.now()));
  if (row === undefined) throw ended();
  const person = await samePerson(deps.db, session.personId);
  const isPasskey = row.method === "webauthn";
  await proveOwn(deps, person, from, {
    pointer: isPasskey ? "/assertion" : "/code",
    action: "auth.step_up",
    check: async () =>
      isPasskey
        ? await isAsserted(deps, { row, person, given, from })
        : given.code !== undefined && (await takeTotp(deps, person, given.code)),
  });
  const now = toDate(deps.clock.now());
  const isProved = await deps.db.transaction(async (tx) => await store.proveStepUp(tx, owner, id, now));
  if (!isProved) throw ended();
  const method = isPasskey ? "webauthn" : "totp";
  return stepUpView(scope.tag, { id, method, request: null, isProved, expiresAt: fromDate(row.expires_at) });
}

interface Asserted {
  readonly row: store.StepUpRow;
  readonly person: PersonRow;
  readonly given: GivenFactor;
  readonly from: NotedOrigin;
}

/** Returns true if a key of the person, which checked them too, signed the challenge of this very step-up. */
async function isAsserted(deps: StepUpsDeps, { row, person, given, from }: Asserted): Promise<boolean> {
  const { assertion } = given;
  const challenge = assertion === undefined ? undefined : challengeOf(assertion);
  if (assertion === undefined || challenge === undefined) return false;
  if (row.challenge_hash?.equals(sha256(challenge)) !== true) return false;
  const proof = { person, purpose: "step_up", sessionId: row.session_id, userVerification: "required" } as const;
  return await takeAssertion(deps, { ...proof, given: assertion, origin: from });
}

function ended(): ServiceError {
  return new ServiceError("not_found", { detail: "This step-up has ended or was used. Begin another one." });
}

function ownerOf({ scope, session }: Prover): store.StepUpOwner {
  return { workspace_id: scope.workspaceId, person_id: session.personId, session_id: session.id };
}

interface StepUpFacts {
  readonly id: store.StepUpRow["id"];
  readonly method: StepUpMethod;
  readonly request: RequestOptions | null;
  readonly isProved: boolean;
  readonly expiresAt: Instant;
}

function stepUpView(
  tag: Prover["scope"]["tag"],
  { id, method, request, isProved, expiresAt }: StepUpFacts,
): StepUpView {
  return {
    id: wireId("stp", tag, id),
    object: "step_up",
    method,
    passkey_request: request,
    proved: isProved,
    expires_at: toRfc3339(expiresAt),
  };
}
