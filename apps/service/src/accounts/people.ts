import type { Db } from "../platform/db/db.ts";
import { ownContext, ServiceError, toDate } from "../lib/lib.ts";
import type { Id } from "../lib/lib.ts";
import type { Mail, MailComposers } from "../platform/mail/mail.ts";
import type { Signals } from "../platform/telemetry/telemetry.ts";
import { createAccount } from "./identity/account.ts";
import { createAccountNotices } from "./people/account-notices.ts";
import type { AccountNotices } from "./people/account-notices.ts";
import type { Account, ResetLink } from "./identity/account.ts";
import { createCurrentWorkspace } from "./workspaces/workspace-settings.ts";
import type { CurrentWorkspace } from "./workspaces/workspace-settings.ts";
import { invitationComposer } from "./identity/invitation-mail.ts";
import { createInvitations, isStillOffered } from "./identity/invitations.ts";
import type { Invitations } from "./identity/invitations.ts";
import { createMembers } from "./identity/members.ts";
import type { Members } from "./identity/members.ts";
import { createRefusals, noteEverywhere } from "./people/audit-port.ts";
import type { NotedOrigin, NotingDeps } from "./people/audit-port.ts";
import type { GuardedChange, Prover } from "./proofs/guarded-change.ts";
import { createPasskeys } from "./proofs/passkeys.ts";
import type { Passkeys } from "./proofs/passkeys.ts";
import { createStepUps } from "./proofs/step-ups.ts";
import type { StepUps } from "./proofs/step-ups.ts";
import { createPasswordResets } from "./identity/password-resets.ts";
import type { PasswordResets } from "./identity/password-resets.ts";
import type { OidcSettings } from "./oidc/issuer.ts";
import { deleteIdentities } from "./oidc/oidc.store.ts";
import { personByEmail } from "./people/people.store.ts";
import type { PersonRow } from "./people/people.store.ts";
import { provePresence, samePerson } from "./proofs/proof.ts";
import type { OwnProof } from "./proofs/proof.ts";
import { endMinted } from "./identity/recovery.ts";
import type { Sessions } from "./sessions/sessions.ts";
import type { Workspaces, WorkspacesDeps } from "./workspaces/workspaces.ts";

/** Manages people: sessions, accounts, members, invitations and the current workspace. */
export interface People {
  readonly sessions: Sessions;
  readonly account: Account;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly current: CurrentWorkspace;
  readonly resets: PasswordResets;
  readonly passkeys: Passkeys;
  readonly stepUps: StepUps;
  readonly notices: AccountNotices;
  /** Requires a proof of the person of a session: the second factor that they have, or else the password. */
  provePresence(
    owner: Prover,
    presence: { readonly proof: OwnProof; readonly from: NotedOrigin; readonly change: GuardedChange },
  ): Promise<void>;
  /** The texts of mail about people. */
  readonly mails: MailComposers;
  /** Creates a workspace and invites its owner, for the operator's command line. */
  found(name: string, ownerEmail: string): Promise<FoundedWorkspace>;
  /** Creates a link to choose a new password, for the operator's command line. */
  resetLink(email: string, clearTotp: boolean): Promise<ResetLink>;
  /** Unlinks an account from the issuer of OpenID Connect and ends its sessions, for the operator's command line. */
  unlink(email: string): Promise<UnlinkedPerson>;
}

export interface UnlinkedPerson {
  readonly object: "identity_unlink";
  readonly email: string;
  /** The number of identities that the account had. */
  readonly removed: number;
}

export interface FoundedWorkspace {
  readonly workspace_id: Id;
  readonly name: string;
  readonly sandbox_key: string;
  readonly owner_email: string;
  /** The invitation of the owner, who accepts it with a new password, or with that of an existing account. */
  readonly invite_url: string;
  readonly expires_at: string;
}

export interface PeopleDeps extends WorkspacesDeps {
  readonly baseUrl: string;
  readonly retentionDays: number;
  readonly oidc: OidcSettings | null;
  readonly sessions: Sessions;
  readonly workspaces: Workspaces;
  readonly mail: Mail;
  readonly signals: Pick<Signals, "signInEnded">;
  readonly log: NotingDeps["log"];
}

export function createPeople(deps: PeopleDeps): People {
  const { db, workspaces } = deps;
  const refusals = createRefusals(deps);
  const resets = createPasswordResets(deps);
  const outside = ownContext();
  const notices = createAccountNotices(deps);
  const account = createAccount({ ...deps, refusals, notices });
  const stepUps = createStepUps({ ...deps, refusals });
  const invitations = createInvitations({ ...deps, refusals, account });
  return {
    sessions: deps.sessions,
    account,
    members: createMembers({ ...deps, account }),
    invitations,
    current: createCurrentWorkspace({ ...deps, stepUps, notices }),
    resets,
    notices,
    passkeys: createPasskeys({ ...deps, refusals, notices }),
    stepUps,
    // The request may see one workspace alone, and second factors belong to none.
    provePresence: async (owner, { proof, from, change }) =>
      await outside(async () => {
        const person = await samePerson(db, owner.session.personId);
        await provePresence({ ...deps, refusals }, { owner, person, proof, from, change });
      }),
    mails: { ...resets.mails, ...notices.mails, invitation: invitationComposer({ ...deps, isStillOffered }) },
    found: async (name, ownerEmail) =>
      await db.transaction(async (tx) => {
        const made = await workspaces.insert(tx, name, null);
        const invited = await invitations.offer(tx, made.scope, { email: ownerEmail, role: "owner" });
        const parameters = { email: ownerEmail, role: "owner" };
        deps.note(tx, made.scope, { subject: "member", action: "members.invitations.create", actor: null, parameters });
        return {
          workspace_id: made.workspaceId,
          name,
          sandbox_key: made.sandboxKey,
          owner_email: ownerEmail,
          invite_url: invited.invite_url,
          expires_at: invited.expires_at,
        };
      }),
    async resetLink(email, clearTotp) {
      const person = await personNamed(db, email);
      return await db.transaction(async (tx) => {
        const parameters = { clear_totp: clearTotp };
        const noted = { subject: "member", action: "members.reset_link", origin: null, parameters } as const;
        await noteEverywhere(deps, tx, person, noted);
        return await account.newResetLink(tx, { personId: person.id, clearTotp, maker: null });
      });
    },
    async unlink(email) {
      const person = await personNamed(db, email);
      return await db.transaction(async (tx) => {
        const removed = await deleteIdentities(tx, person.id);
        await endMinted(tx, person.id, { now: toDate(deps.clock.now()), keeps: true });
        await noteEverywhere(deps, tx, person, { subject: "account", action: "auth.oidc_unlink", origin: null });
        return { object: "identity_unlink", email: person.email, removed };
      });
    },
  };
}

async function personNamed(db: Db, email: string): Promise<PersonRow> {
  const person = await personByEmail(db.query, email);
  if (person !== undefined) return person;
  throw new ServiceError("not_found", { detail: `No account has the email address ${email}.` });
}
