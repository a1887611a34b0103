import type { Db, Tx } from "../../platform/db/db.ts";
import { after, orNotFound, paginate, ServiceError, sha256, timeText, toDate } from "../../lib/lib.ts";
import type { Page, t } from "../../lib/lib.ts";
import type { Mail } from "../../platform/mail/mail.ts";
import type { Account, SignInAnswer } from "./account.ts";
import type { ApiKey } from "../callers/api-key.ts";
import { invitationToken, mailInvitation } from "./invitation-mail.ts";
import { invitationView, memberWireId } from "../people/member-view.ts";
import type { InvitationView } from "../people/member-view.ts";
import * as store from "../people/members.store.ts";
import { assertRoleWithin } from "./members.ts";
import { makerOf, standingMaker } from "../api-keys/makers.ts";
import type { Maker } from "../api-keys/makers.ts";
import { holdCredential } from "../api-keys/hold-credential.ts";
import type { Refusals, RecordAudit } from "../people/audit-port.ts";
import { hashPassword, assertPasswordAllowed, placeOf } from "../proofs/password.ts";
import { holdPerson, insertPerson, personByEmail } from "../people/people.store.ts";
import type { PersonRow } from "../people/people.store.ts";
import { reaches } from "../callers/roles.ts";
import type { MemberRole } from "../callers/roles.ts";
import { ownUuid, scopeOf } from "../callers/scope.ts";
import type { Scope } from "../callers/scope.ts";
import type { Origin } from "../callers/caller.routes.ts";
import { verifyCredentials } from "../proofs/sign-in.ts";
import type { ApiKeysDeps } from "../api-keys/api-keys.ts";
import type * as shapes from "./people.schemas.ts";

export type Invitee = t.Static<typeof shapes.InvitationBody>;

export type NewInvitation = InvitationView & {
  readonly invite_url: string;
  /** True if the link is also sent by e-mail. */
  readonly emailed: boolean;
};

export type Acceptance = t.Static<typeof shapes.AcceptBody>;

/** The details of an invitation, for the page that its link opens. */
export type Offer = t.Static<typeof shapes.OfferShape>;

export type Invitations = ReturnType<typeof createInvitations>;

export interface InvitationsDeps extends ApiKeysDeps {
  readonly baseUrl: string;
  readonly mail: Pick<Mail, "queue">;
  readonly account: Account;
  readonly note: RecordAudit;
  readonly refusals: Refusals;
}

const INVITATION_MS = 7 * 86_400_000;

export function createInvitations(deps: InvitationsDeps) {
  const { db, clock } = deps;
  return {
    async create(caller: ApiKey, invitee: Invitee): Promise<NewInvitation> {
      assertRoleWithin(caller, invitee.role);
      return await db.transaction(async (tx) => {
        await store.lockMembers(tx, caller.workspaceId);
        await holdCredential(tx, caller);
        return await offer(deps, tx, caller, { invitee, maker: makerOf(caller) });
      });
    },
    /** Does the same without a caller, for the command line. */
    offer: async (tx: Tx, scope: Scope, invitee: Invitee): Promise<NewInvitation> =>
      await offer(deps, tx, scope, { invitee, maker: null }),
    list: async (scope: Scope, page: { limit?: number; cursor?: string }): Promise<Page<InvitationView>> =>
      await paginate(page, {
        binding: [scope.tag, "invitations"],
        read: async (before, count) =>
          await store.openInvitations(db.query, scope.workspaceId, { now: toDate(clock.now()), before, limit: count }),
        view: (row) => invitationView(scope, row),
      }),
    async revoke(caller: ApiKey, id: string): Promise<void> {
      await db.transaction(async (tx) => {
        const open = { id: ownUuid(caller, "inv", id), now: toDate(clock.now()) };
        const invitation = orNotFound(await store.findOpenInvitation(tx.query, caller.workspaceId, open));
        assertRoleWithin(caller, invitation.role as MemberRole);
        await store.revokeInvitation(tx, invitation.id, open.now);
      });
    },
    async lookUp(token: string): Promise<Offer> {
      const found = await openInvitation(deps, token);
      return {
        object: "invitation_offer",
        workspace_name: found.workspace_name,
        email: found.email,
        role: found.role,
        expires_at: timeText(found.expires_at),
      };
    },
    /** Creates the member, once, and opens a session. A person who has an account must send its password. */
    accept: async (acceptance: Acceptance, origin: Origin): Promise<SignInAnswer> =>
      await accept(deps, acceptance, origin),
  };
}

async function offer(
  deps: InvitationsDeps,
  tx: Tx,
  scope: Scope,
  { invitee, maker }: { invitee: Invitee; maker: Maker | null },
): Promise<NewInvitation> {
  await store.lockMembers(tx, scope.workspaceId);
  if ((await store.memberByEmail(tx.query, scope.workspaceId, invitee.email)) !== undefined) {
    throw new ServiceError("conflict", { detail: "This person is already a member." });
  }
  const id = deps.ids.uuid();
  const token = invitationToken(deps.sealer, id);
  const now = deps.clock.now();
  const invitation = {
    id,
    workspace_id: scope.workspaceId,
    email: invitee.email,
    role: invitee.role,
    token_hash: sha256(token),
    invited_by: maker?.memberId ?? null,
    invited_with: maker?.lineageId ?? null,
    expires_at: toDate(after(now, INVITATION_MS)),
  };
  const row = await store.insertInvitation(tx, invitation, toDate(now));
  // The operator's command prints the link.
  const emailed = maker !== null && (await mailInvitation(deps.mail, tx, scope, row));
  return { ...invitationView(scope, row), invite_url: `${deps.baseUrl}/invite?token=${token}`, emailed };
}

async function accept(deps: InvitationsDeps, acceptance: Acceptance, origin: Origin): Promise<SignInAnswer> {
  const invitation = await openInvitation(deps, acceptance.token);
  if (!invitation.accepts_passwords)
    throw new ServiceError("conflict", { detail: "The workspace accepts no passwords. Join with OpenID Connect." });
  const joiner = await joinerOf(deps, invitation.email, acceptance, origin);
  return await deps.db.transaction(async (tx) => {
    await store.lockMembers(tx, invitation.workspace_id);
    if (!(await isStillOffered(tx.query, invitation, toDate(deps.clock.now()))))
      throw new ServiceError("invitation_invalid");
    if (!(await store.useInvitation(tx, invitation.id, toDate(deps.clock.now())))) {
      throw new ServiceError("invitation_invalid");
    }
    if (!joiner.isNew && !(await isAsProven(tx, joiner.person))) throw new ServiceError("sign_in_failed");
    if (joiner.isNew && !(await insertPerson(tx, joiner.person))) {
      throw new ServiceError("conflict", {
        detail: "An account with this e-mail address was created a moment ago. Use its password.",
      });
    }
    const at = { personId: joiner.person.id, workspaceId: invitation.workspace_id };
    const memberId = deps.ids.uuid();
    await store.insertMember(tx, {
      id: memberId,
      workspace_id: at.workspaceId,
      person_id: at.personId,
      role: invitation.role,
    });
    const scope = scopeOf(at.workspaceId, invitation.tag);
    const actor = {
      id: memberWireId(scope, memberId),
      display: joiner.person.name,
      ip: origin.ip,
      requestId: origin.requestId ?? null,
    };
    const { email, role } = invitation;
    deps.note(tx, scope, { subject: "member", action: "members.accept", actor, parameters: { email, role } });
    return await deps.account.enter(tx, at, origin);
  });
}

/** Returns false if the password has changed since it was verified, for example through a reset link. */
async function isAsProven(tx: Tx, person: PersonRow): Promise<boolean> {
  return (await holdPerson(tx, person.id))?.password_hash === person.password_hash;
}

/** Checks the inviter's right when the invitation is accepted. */
export async function isStillOffered(query: Db["query"], invitation: store.InvitationRow, now: Date): Promise<boolean> {
  const { invited_by: memberId, invited_with: lineageId, workspace_id: workspaceId } = invitation;
  if (memberId === null) return true;
  const maker = await standingMaker(query, { workspaceId, maker: { memberId, lineageId }, now });
  return maker !== undefined && reaches(maker.role as MemberRole, invitation.role as MemberRole);
}

type Joiner =
  | { readonly isNew: true; readonly person: Pick<PersonRow, "id" | "email" | "name" | "password_hash"> }
  | { readonly isNew: false; readonly person: PersonRow };

/** Returns the person who joins. The holder of the link cannot choose a password for an existing account. */
async function joinerOf(deps: InvitationsDeps, email: string, acceptance: Acceptance, origin: Origin): Promise<Joiner> {
  const { password, name, totp_code: totpCode, assertion } = acceptance;
  if ((await personByEmail(deps.db.query, email)) !== undefined) {
    return { isNew: false, person: await ownerOf(deps, { email, password, totpCode, assertion }, origin) };
  }
  assertPasswordAllowed(password, email);
  const hash = await hashPassword(password, placeOf("accept", origin, email));
  return { isNew: true, person: { id: deps.ids.uuid(), email, name, password_hash: hash } };
}

/**
 * Returns the person who owns the account of the address. The address was not verified when the account was created, so
 * it may belong to another person. The refusal therefore names the operator's command that helps (docs/decisions/0020).
 */
async function ownerOf(
  deps: InvitationsDeps,
  proof: Parameters<typeof verifyCredentials>[1],
  origin: Origin,
): Promise<PersonRow> {
  try {
    return (await verifyCredentials(deps, proof, origin, "accept")).person;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "sign_in_failed") throw error;
    throw new ServiceError("sign_in_failed", {
      detail:
        `${proof.email} has an account on this installation, with another password. If you do not know it, or the account is not yours, ask the ` +
        `operator for a password reset link (member reset-link --email ${proof.email} --clear-totp), and open this invitation again afterwards.`,
    });
  }
}

async function openInvitation({ db, clock }: InvitationsDeps, token: string): Promise<store.OpenInvitation> {
  const found = await store.invitationByToken(db.query, sha256(token), toDate(clock.now()));
  if (found === undefined) throw new ServiceError("invitation_invalid");
  return found;
}
