import type { Db, Tx } from "../../platform/db/db.ts";
import type { Signals } from "../../platform/telemetry/telemetry.ts";
import { after, randomText, ServiceError, sha256, toDate, toRfc3339 } from "../../lib/lib.ts";
import type { IdMaker, Uuid, t } from "../../lib/lib.ts";
import { memberView } from "../people/member-view.ts";
import { findMember, membershipsOf } from "../people/members.store.ts";
import { noteEverywhere } from "../people/audit-port.ts";
import type { NotedOrigin, RecordAudit } from "../people/audit-port.ts";
import { ownsAllOf, standingMaker } from "../api-keys/makers.ts";
import type { Maker } from "../api-keys/makers.ts";
import type { AccountNotices } from "../people/account-notices.ts";
import { hashPassword, assertPasswordAllowed, placeOf } from "../proofs/password.ts";
import * as store from "../people/people.store.ts";
import { proveFactor, proveOwn, provePassword, provePresence, samePerson } from "../proofs/proof.ts";
import type { OwnProof } from "../proofs/proof.ts";
import { endMinted, recoveryText } from "./recovery.ts";
import { markRecovered, mintedBy } from "./recovery.store.ts";
import type { Prover } from "../proofs/guarded-change.ts";
import { scopeOf, workspaceWireId } from "../callers/scope.ts";
import type { Scope } from "../callers/scope.ts";
import type { SessionInfo } from "../callers/api-key.ts";
import type { Origin } from "../callers/caller.routes.ts";
import * as secondFactor from "../proofs/second-factor.ts";
import type { Enrolment } from "../proofs/second-factor.ts";
import { endSessionsOf } from "../sessions/sessions.store.ts";
import type { OpenedSession, SessionPlace, Sessions } from "../sessions/sessions.ts";
import { verifyCredentials } from "../proofs/sign-in.ts";
import type { Proof, SignInDeps } from "../proofs/sign-in.ts";
import type * as shapes from "./people.schemas.ts";

/** The member that is signed in, and all workspaces of the person. */
export type SignedIn = t.Static<typeof shapes.SignedInShape>;

export interface SignInAnswer {
  readonly view: SignedIn;
  readonly setCookie: string;
}

/** The operations of a person on their own account. */
export type Account = ReturnType<typeof createAccount>;

export type PasswordChange = t.Static<typeof shapes.PasswordBody>;

export interface Reset {
  readonly token: string;
  readonly password: string;
  /** If true, connected apps and personal keys stay. */
  readonly keepsKeys: boolean;
}

export type ResetReview = t.Static<typeof shapes.ResetReviewShape>;

export interface NewResetLink {
  readonly personId: Uuid;
  /** If true, the link also removes all second factors. */
  readonly clearTotp: boolean;
  /** Null for the operator, who uses the command line. */
  readonly maker: Maker | null;
}

export type ResetLink = t.Static<typeof shapes.ResetLinkShape>;

export interface AccountDeps extends SignInDeps {
  readonly ids: IdMaker;
  readonly sessions: Sessions;
  readonly notices: Pick<AccountNotices, "announce">;
  readonly note: RecordAudit;
  readonly signals: Pick<Signals, "signInEnded">;
}

const RESET_LINK_MS = 24 * 3_600_000;
/** The page of a link lists only these, but all of them end. */
const MOST_REVIEWED = 100;

export function createAccount(deps: AccountDeps) {
  const { db } = deps;
  return {
    async signIn(proof: Proof & { readonly workspaceId?: Uuid | undefined }, origin: Origin): Promise<SignInAnswer> {
      const { person, secondFactor: factor } = await verifyCredentials(deps, proof, origin).catch((error: unknown) => {
        deps.signals.signInEnded("password", error instanceof ServiceError ? error.code : "error");
        throw error;
      });
      const workspaceId = await chosenWorkspace(db, person.id, proof.workspaceId);
      const answer = await db.transaction(async (tx) => {
        const parameters = { second_factor: factor };
        await noteEverywhere(deps, tx, person, { subject: "sign_in", action: "auth.sign_in", origin, parameters });
        return await enter(deps, tx, { personId: person.id, workspaceId }, origin);
      });
      deps.signals.signInEnded("password", "ok");
      return answer;
    },
    /** Opens a session in the transaction of the caller. */
    enter: async (tx: Tx, at: SessionPlace, origin: Origin): Promise<SignInAnswer> => await enter(deps, tx, at, origin),
    signedIn: async (
      scope: Scope,
      { personId }: SessionInfo,
      cookie: string | undefined,
      memberId: Uuid,
    ): Promise<SignedIn> =>
      await signedInView(db.query, { personId, memberId, scope, csrfToken: deps.sessions.csrfToken(cookie) }),
    /** Changes the password and ends the person's other sessions. */
    changePassword: async (owner: Prover, change: PasswordChange, from: NotedOrigin): Promise<void> =>
      await changePassword(deps, owner, change, from),
    /** Requires the second factor that the person has, or else the password. */
    async enrolTotp(owner: Prover, proof: OwnProof, from: NotedOrigin): Promise<Enrolment> {
      const person = await samePerson(db, owner.session.personId);
      if (person.totp_sealed !== null) throw secondFactor.alreadyActive();
      const change = { operation: "auth.totp.enrol" } as const;
      await provePresence(deps, { owner, person, proof, from, change });
      return await secondFactor.enrol(deps, person);
    },
    verifyTotp: async ({ personId }: SessionInfo, code: string): Promise<string[]> =>
      await secondFactor.activate(deps, await samePerson(db, personId), code, (tx) =>
        deps.notices.announce(tx, personId, { kind: "totp_added" }),
      ),
    async disableTotp({ personId }: SessionInfo, code: string, from: NotedOrigin): Promise<void> {
      const person = await samePerson(db, personId);
      if (person.totp_sealed === null)
        throw new ServiceError("conflict", { detail: "No authenticator app is active." });
      await proveOwn(deps, person, from, {
        pointer: "/code",
        check: async () => (await secondFactor.takeSecondFactor(deps, person, { code }, from)) !== undefined,
      });
      await db.transaction(async (tx) => {
        await secondFactor.endTotp(tx, person);
        deps.notices.announce(tx, person.id, { kind: "totp_removed" });
      });
    },
    /** Creates a single-use link to choose a new password. It is valid for a day, or until a newer one is created. */
    async newResetLink(tx: Tx, { personId, clearTotp, maker }: NewResetLink): Promise<ResetLink> {
      const token = randomText(43);
      const expiresAt = after(deps.clock.now(), RESET_LINK_MS);
      const link = {
        token_hash: sha256(token),
        person_id: personId,
        clear_totp: clearTotp,
        made_by: maker?.memberId ?? null,
        made_with: maker?.lineageId ?? null,
        expires_at: toDate(expiresAt),
      };
      await store.insertResetLink(tx, link);
      return { reset_url: `${deps.baseUrl}/reset?token=${token}`, expires_at: toRfc3339(expiresAt) };
    },
    resetPassword: async (reset: Reset, from: NotedOrigin): Promise<void> => await resetPassword(deps, reset, from),
    /** Returns what a reset would end, for the page of the link. */
    reviewReset: async (token: string): Promise<ResetReview> => await reviewReset(deps, token),
  };
}

async function enter(deps: AccountDeps, tx: Tx, at: SessionPlace, origin: Origin): Promise<SignInAnswer> {
  const opened: OpenedSession = await deps.sessions.open(tx, at, origin);
  const memberships = await membershipsOf(tx.query, at.personId);
  const here = memberships.find((membership) => membership.workspace_id === at.workspaceId);
  if (here === undefined) throw new ServiceError("sign_in_failed");
  const scope = scopeOf(here.workspace_id, here.tag);
  const { csrfToken } = opened;
  const view = await signedInView(tx.query, { personId: at.personId, memberId: here.member_id, scope, csrfToken });
  return { view, setCookie: opened.setCookie };
}

async function signedInView(
  query: Db["query"],
  session: { personId: Uuid; memberId: Uuid; scope: Scope; csrfToken: string },
): Promise<SignedIn> {
  const member = await findMember(query, session.scope.workspaceId, session.memberId);
  if (member === undefined) throw new ServiceError("session_invalid");
  const memberships = await membershipsOf(query, session.personId);
  return {
    object: "sign_in",
    csrf_token: session.csrfToken,
    member: memberView(session.scope, member),
    workspaces: memberships.map((one) => ({
      workspace_id: workspaceWireId(one.tag, one.workspace_id),
      name: one.workspace_name,
      role: one.role,
    })),
  };
}

/**
 * Returns the requested workspace, or the one that the person last signed in to, for a sign-in by password. Throws if
 * the person belongs to none, or only to workspaces that accept no passwords.
 */
async function chosenWorkspace(db: Db, personId: Uuid, wanted: Uuid | undefined): Promise<Uuid> {
  const memberships = await membershipsOf(db.query, personId);
  if (memberships.length === 0) throw new ServiceError("sign_in_failed");
  const asked = memberships.filter((membership) => wanted === undefined || membership.workspace_id === wanted);
  if (asked.length === 0) {
    throw new ServiceError("workspace_mismatch", { detail: "You are not a member of this workspace." });
  }
  const found = asked.find((membership) => membership.accepts_passwords);
  if (found === undefined)
    throw new ServiceError("password_sign_in_off", { detail: "Sign in with OpenID Connect instead." });
  return found.workspace_id;
}

async function changePassword(
  deps: AccountDeps,
  owner: Prover,
  { current, new: next, code }: PasswordChange,
  from: NotedOrigin,
): Promise<void> {
  const { id, personId } = owner.session;
  const person = await samePerson(deps.db, personId);
  await provePassword(deps, person, { password: current, pointer: "/current" }, from);
  assertPasswordAllowed(next, person.email, "/new");
  const proof = code === undefined ? {} : { code };
  await proveFactor(deps, { owner, person, proof, from, change: { operation: "auth.password" } });
  const hash = await hashPassword(next, placeOf("change", from, personId));
  await deps.db.transaction(async (tx) => {
    const now = toDate(deps.clock.now());
    await store.setPassword(tx, personId, hash);
    deps.notices.announce(tx, personId, { kind: "password_changed" });
    await markRecovered(tx, personId, now);
    await endSessionsOf(tx, personId, now, id);
  });
}

async function reviewReset(deps: AccountDeps, token: string): Promise<ResetReview> {
  const { link, person } = await openReset(deps, token);
  const minted = await mintedBy(deps.db.query, person.id, toDate(deps.clock.now()));
  return {
    object: "reset_review",
    email: person.email,
    clears_second_factors: link.clear_totp,
    minted: minted
      .slice(0, MOST_REVIEWED)
      .map(({ kind, name, workspace }) => ({ kind, name, workspace_name: workspace })),
  };
}

async function openReset(
  { db, clock }: AccountDeps,
  token: string,
): Promise<{ readonly link: store.ResetLink; readonly person: store.PersonRow }> {
  const link = await store.findResetLink(db.query, sha256(token), toDate(clock.now()));
  const person = link === undefined ? undefined : await store.personById(db.query, link.person_id);
  if (link === undefined || person === undefined) throw new ServiceError("reset_link_invalid");
  return { link, person };
}

async function resetPassword(
  deps: AccountDeps,
  { token, password, keepsKeys }: Reset,
  origin: NotedOrigin,
): Promise<void> {
  const { db, clock } = deps;
  const { link, person } = await openReset(deps, token);
  assertPasswordAllowed(password, person.email);
  const passwordHash = await hashPassword(password, placeOf("reset", origin, person.id));
  await db.transaction(async (tx) => {
    const now = toDate(clock.now());
    if (!(await isStillMakers(tx, link, now))) throw new ServiceError("reset_link_invalid");
    // Two links of one person would otherwise each hold their own row and wait for the other's.
    await store.holdPerson(tx, person.id);
    if (!(await store.useResetLink(tx, sha256(token), now))) throw new ServiceError("reset_link_invalid");
    await store.setPassword(tx, person.id, passwordHash);
    const ended = await endMinted(tx, person.id, { now, keeps: keepsKeys });
    deps.notices.announce(tx, person.id, {
      kind: "password_changed",
      about: await recoveryText(tx, person.id, ended, now),
    });
    if (link.clear_totp) {
      await secondFactor.clearSecondFactors(tx, person);
      deps.notices.announce(tx, person.id, { kind: "factors_cleared" });
    }
    const parameters = { ended: ended.length, kept: keepsKeys };
    await noteEverywhere(deps, tx, person, { subject: "account", action: "auth.reset", origin, parameters });
  });
}

/**
 * Checks the maker's right when the link is used. The person may have joined other workspaces, or the maker may have
 * left.
 */
async function isStillMakers(tx: Tx, link: store.ResetLink, now: Date): Promise<boolean> {
  const { made_by: memberId, made_with: lineageId, workspace_id: workspaceId, person_id: personId } = link;
  if (memberId === null || workspaceId === null) return true;
  const maker = await standingMaker(tx.query, { workspaceId, maker: { memberId, lineageId }, now });
  if (maker?.role !== "owner") return false;
  await store.holdPerson(tx, personId);
  return await ownsAllOf(tx.query, maker, personId);
}
