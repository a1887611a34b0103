import type { Query, Tx } from "../../platform/db/db.ts";
import { isReadable, sha256, spelledOut, toDate } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { noteEverywhere } from "../people/audit-port.ts";
import type { Refusals } from "../people/audit-port.ts";
import type { Account, SignInAnswer } from "../identity/account.ts";
import { isStillOffered } from "../identity/invitations.ts";
import { memberWireId } from "../people/member-view.ts";
import { insertMember, invitationByToken, lockMembers, membershipsOf, useInvitation } from "../people/members.store.ts";
import type { MembershipRow, OpenInvitation } from "../people/members.store.ts";
import { hashOfNone } from "../proofs/password.ts";
import type { AccountNotices } from "../people/account-notices.ts";
import { holdPerson, insertPerson, personByEmail, personById, setPassword } from "../people/people.store.ts";
import type { PersonRow } from "../people/people.store.ts";
import { clearSecondFactors } from "../proofs/second-factor.ts";
import { endMinted, recoveryText } from "../identity/recovery.ts";
import { endSessionByToken } from "../sessions/sessions.store.ts";
import type { Origin } from "../callers/caller.routes.ts";
import { scopeOf } from "../callers/scope.ts";
import type { MemberRole } from "../callers/roles.ts";
import type { Claims } from "./claims.ts";
import { applyGroupRole, roleOfGroups } from "./group-role.ts";
import type { GroupRoleDeps } from "./group-role.ts";
import type { OidcSettings } from "./issuer.ts";
import * as store from "./oidc.store.ts";
import type { PendingSignIn } from "./pending-sign-in.ts";
import { OidcRefusal } from "./oidc-refusal.ts";

export interface AdmitDeps extends GroupRoleDeps {
  readonly settings: OidcSettings;
  readonly account: Pick<Account, "enter">;
  readonly notices: Pick<AccountNotices, "announce">;
  readonly refusals: Refusals;
}

export interface Arrival {
  readonly claims: Claims;
  readonly pending: Pick<PendingSignIn, "invitation" | "session">;
  /** True if the person confirmed the first link of an account on a page of this site. */
  readonly isConfirmed: boolean;
  readonly origin: Origin;
}

const MOST_NAME = 100;

type KnownPerson = Pick<PersonRow, "id" | "email" | "name">;

/**
 * Opens a session for the person of the claims. Finds the account by the subject, or else by the verified e-mail
 * address; creates one for a person with an invitation or a group that has a role. Throws OidcRefusal, which undoes
 * everything; returns one if changes by groups have to stay.
 */
export async function admit(deps: AdmitDeps, tx: Tx, arrival: Arrival): Promise<SignInAnswer | OidcRefusal> {
  const { claims, origin } = arrival;
  const { linked, found, grant, invitation } = await standingOf(deps, tx.query, arrival);
  await lockWorkspaces(tx, [grant?.workspace.id, invitation?.workspace_id]);
  const person = found === undefined ? await createPerson(deps, tx, claims) : await held(tx, found);
  if (linked === undefined) await link(deps, tx, { person, isNew: found === undefined, arrival });
  if (grant !== undefined) await applyGroupRole(deps, tx, { ...grant, personId: person.id });
  if (invitation !== undefined) await accept(deps, tx, { invitation, person, origin });

  const memberships = await membershipsOf(tx.query, person.id);
  const place = placeOf(memberships, invitation);
  if (place === undefined) return new OidcRefusal("no_account", "no membership");
  const parameters = { method: "oidc" };
  await noteEverywhere(deps, tx, person, { subject: "sign_in", action: "auth.sign_in", origin, parameters });
  return await enter(deps, tx, { person, workspaceId: place.workspace_id, arrival });
}

interface Grant {
  readonly workspace: store.ManagedWorkspace;
  /** Null: no group of the person has a role. */
  readonly role: MemberRole | null;
}

interface Standing {
  /** The account of the subject. */
  readonly linked: PersonRow | undefined;
  /** The account of the subject, or of the e-mail address. */
  readonly found: PersonRow | undefined;
  readonly grant: Grant | undefined;
  /** The invitation to accept. */
  readonly invitation: OpenInvitation | undefined;
}

/** Returns everything that lets the person in. Throws OidcRefusal if nothing does. */
async function standingOf(deps: AdmitDeps, query: Query, arrival: Arrival): Promise<Standing> {
  const linked = await linkedPerson(deps, query, arrival.claims);
  const found = linked ?? (await personOfEmail(deps, query, arrival));
  const grant = await grantOf(deps, query, arrival.claims);
  const hasRole = (grant?.role ?? null) !== null;
  const isOutside = !hasRole && (await isWithoutWorkspace(query, found));
  const invitation = await invitationOf(deps, query, arrival, isOutside);
  if (found === undefined && invitation === undefined && !hasRole)
    throw new OidcRefusal("no_account", "no account, invitation or group");
  return { linked, found, grant, invitation };
}

async function isWithoutWorkspace(query: Query, person: PersonRow | undefined): Promise<boolean> {
  return person === undefined || (await membershipsOf(query, person.id)).length === 0;
}

async function linkedPerson(
  { settings }: AdmitDeps,
  query: Query,
  { subject }: Claims,
): Promise<PersonRow | undefined> {
  const id = await store.personOfSubject(query, settings.issuer, subject);
  return id === undefined ? undefined : await personById(query, id);
}

async function personOfEmail(
  deps: AdmitDeps,
  query: Query,
  { claims, origin }: Arrival,
): Promise<PersonRow | undefined> {
  if (claims.email === null) throw new OidcRefusal("email_unverified", "no verified e-mail address");
  const person = await personByEmail(query, claims.email);
  const subject = person && (await store.subjectOf(query, deps.settings.issuer, person.id));
  if (subject === claims.subject) throw linkedAtOnce();
  if (person !== undefined && subject !== undefined) {
    deps.refusals.note({ person, action: "auth.sign_in", origin });
    throw new OidcRefusal("other_account", "the account of the address has another subject");
  }
  return person;
}

/** The subject had no account when this sign-in began. The next one finds it. */
function linkedAtOnce(): OidcRefusal {
  return new OidcRefusal("expired", "the account was linked at the same time");
}

/** Returns the role by groups in the operator's workspace. Undefined if groups set no roles. */
async function grantOf({ settings }: AdmitDeps, query: Query, { groups }: Claims): Promise<Grant | undefined> {
  if (settings.groups === null) return undefined;
  // An issuer that was set up wrongly must not remove everyone.
  if (groups === null) throw new OidcRefusal("groups_missing", `the claim ${settings.groupsClaim} is missing`);
  const workspace = await store.managedWorkspace(query);
  return workspace === undefined ? undefined : { workspace, role: roleOfGroups(settings.groups, groups) };
}

/**
 * Returns the invitation whose page was open. A person outside of every workspace accepts the newest one of the address.
 */
async function invitationOf(
  deps: AdmitDeps,
  query: Query,
  { claims, pending }: Arrival,
  isOutside: boolean,
): Promise<OpenInvitation | undefined> {
  if (pending.invitation !== null) {
    const asked = await openInvitation(deps, query, sha256(pending.invitation), claims);
    if (asked !== undefined) return asked;
    throw new OidcRefusal("invitation_invalid", "the invitation has ended or is for another address");
  }
  if (!isOutside || claims.email === null) return undefined;
  const newest = await store.newestInvitation(query, claims.email, toDate(deps.clock.now()));
  return newest === undefined ? undefined : await openInvitation(deps, query, newest, claims);
}

/** Returns the invitation if it is open and for the verified address. */
async function openInvitation(
  { clock }: AdmitDeps,
  query: Query,
  hash: Buffer,
  { email }: Claims,
): Promise<OpenInvitation | undefined> {
  const now = toDate(clock.now());
  const found = await invitationByToken(query, hash, now);
  if (found?.email.toLowerCase() !== email?.toLowerCase() || found === undefined) return undefined;
  return (await isStillOffered(query, found, now)) ? found : undefined;
}

/** Locks the workspaces in the order of their ids, so that two sign-ins do not wait for each other. */
async function lockWorkspaces(tx: Tx, ids: readonly (Uuid | undefined)[]): Promise<void> {
  const distinct = new Set(ids.filter((id) => id !== undefined));
  for (const id of [...distinct].toSorted()) await lockMembers(tx, id);
}

async function held(tx: Tx, { id }: PersonRow): Promise<PersonRow> {
  const person = await holdPerson(tx, id);
  if (person === undefined) throw new OidcRefusal("expired", "the account was deleted at the same time");
  return person;
}

async function createPerson({ ids }: AdmitDeps, tx: Tx, { email, name }: Claims): Promise<KnownPerson> {
  if (email === null) throw new OidcRefusal("email_unverified", "no verified e-mail address");
  const person = { id: ids.uuid(), email, name: nameOf(name, email), password_hash: hashOfNone() };
  if (!(await insertPerson(tx, person))) throw new OidcRefusal("expired", "the account was created at the same time");
  return person;
}

/** The issuer's people may write their own names. */
function nameOf(name: string | null, email: string): string {
  const shown = spelledOut(name ?? "")
    .trim()
    .slice(0, MOST_NAME);
  return isReadable(shown) ? shown : email.slice(0, MOST_NAME);
}

interface Link {
  readonly person: KnownPerson;
  readonly isNew: boolean;
  readonly arrival: Arrival;
}

/**
 * Links the account to the subject. The address of an account with a password was never verified, so that a stranger may
 * know the password: it ends, with all sessions and the second factor, unless this browser was signed in with it
 * (docs/decisions/0020).
 */
async function link(deps: AdmitDeps, tx: Tx, { person, isNew, arrival }: Link): Promise<void> {
  const { claims, pending, origin, isConfirmed } = arrival;
  const now = toDate(deps.clock.now());
  const token = pending.session === null ? null : Buffer.from(pending.session, "hex");
  const isProven = token !== null && (await store.personOfSession(tx.query, token, now)) === person.id;
  const identity = { issuer: deps.settings.issuer, subject: claims.subject, person_id: person.id, created_at: now };
  if (!(await store.insertIdentity(tx, identity))) throw linkedAtOnce();
  if (isNew) return;
  // Any site can begin a sign-in by a link, and then sends no strict cookie. It must not take a password.
  if (!isProven && !isConfirmed) throw new OidcRefusal("confirm_link", "the account is not linked yet");
  if (!isProven) {
    await setPassword(tx, person.id, hashOfNone());
    await clearSecondFactors(tx, person);
    const ended = await endMinted(tx, person.id, { now, keeps: false });
    deps.notices.announce(tx, person.id, {
      kind: "password_changed",
      about: await recoveryText(tx, person.id, ended, now),
    });
  }
  const about = new URL(deps.settings.issuer).host;
  deps.notices.announce(tx, person.id, { kind: "oidc_linked", about });
  const parameters = { issuer: deps.settings.issuer, password_ended: !isProven };
  await noteEverywhere(deps, tx, person, { subject: "account", action: "auth.oidc_link", origin, parameters });
}

async function accept(
  { clock, ids, note }: AdmitDeps,
  tx: Tx,
  {
    invitation,
    person,
    origin,
  }: { readonly invitation: OpenInvitation; readonly person: KnownPerson; readonly origin: Origin },
): Promise<void> {
  const { id, workspace_id: workspaceId, email, role } = invitation;
  if (!(await useInvitation(tx, id, toDate(clock.now()))))
    throw new OidcRefusal("invitation_invalid", "the invitation was used at the same time");
  const earlier = await store.lastMembership(tx.query, workspaceId, person.id);
  if (earlier?.removed_at === null) return;
  const memberId = ids.uuid();
  await insertMember(tx, { id: memberId, workspace_id: workspaceId, person_id: person.id, role });
  const scope = scopeOf(workspaceId, invitation.tag);
  const requestId = origin.requestId ?? null;
  const actor = { id: memberWireId(scope, memberId), display: person.name, ip: origin.ip, requestId };
  note(tx, scope, { subject: "member", action: "members.accept", actor, parameters: { email, role } });
}

function placeOf(
  memberships: readonly MembershipRow[],
  invitation: OpenInvitation | undefined,
): MembershipRow | undefined {
  return memberships.find((one) => one.workspace_id === invitation?.workspace_id) ?? memberships[0];
}

/** Ends the session that the browser had, whose strict cookie the issuer's redirect does not send, and opens a new one. */
async function enter(
  { account, clock }: AdmitDeps,
  tx: Tx,
  {
    person,
    workspaceId,
    arrival: { claims, pending, origin },
  }: { readonly person: KnownPerson; readonly workspaceId: Uuid; readonly arrival: Arrival },
): Promise<SignInAnswer> {
  if (pending.session !== null) await endSessionByToken(tx, Buffer.from(pending.session, "hex"), toDate(clock.now()));
  const issued = { subject: claims.subject, sid: claims.sid };
  return await account.enter(tx, { personId: person.id, workspaceId, issued }, origin);
}
