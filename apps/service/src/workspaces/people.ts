import type { Db } from "../db/db.ts";
import { ServiceError } from "../kernel/kernel.ts";
import type { Clock, Id, IdMaker, Sealer } from "../kernel/kernel.ts";
import { createAccount } from "./account.ts";
import type { Account, ResetLink } from "./account.ts";
import { createCurrentWorkspace } from "./current.ts";
import type { CurrentWorkspace } from "./current.ts";
import { createInvitations } from "./invitations.ts";
import type { Invitations } from "./invitations.ts";
import { createMembers } from "./members.ts";
import type { Members } from "./members.ts";
import { personByEmail } from "./people.store.ts";
import type { Sessions } from "./sessions.ts";
import type { Workspaces } from "./workspaces.ts";

/** Everything about people: who they are, where they belong, and what they may decide. */
export interface People {
  readonly sessions: Sessions;
  readonly account: Account;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly current: CurrentWorkspace;
  /** A workspace and the invitation of its owner, for the command line of whoever runs the installation. */
  found(name: string, ownerEmail: string): Promise<FoundedWorkspace>;
  /** A link to choose a new password, for the same. */
  resetLink(email: string, clearTotp: boolean): Promise<ResetLink>;
}

export interface FoundedWorkspace {
  readonly workspace_id: Id;
  readonly name: string;
  readonly sandbox_key: string;
  readonly owner_email: string;
  /** Opens the workspace to its owner, who accepts it with a new password, or with that of an account there is. */
  readonly invite_url: string;
  readonly expires_at: string;
}

export interface PeopleDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly baseUrl: string;
  readonly retentionDays: number;
  readonly sessions: Sessions;
  readonly workspaces: Workspaces;
}

export function createPeople(deps: PeopleDeps): People {
  const { db, workspaces } = deps;
  const account = createAccount(deps);
  const invitations = createInvitations({ ...deps, account });
  return {
    sessions: deps.sessions,
    account,
    members: createMembers({ ...deps, account }),
    invitations,
    current: createCurrentWorkspace(deps),
    found: async (name, ownerEmail) =>
      await db.transaction(async (tx) => {
        const made = await workspaces.insert(tx, name);
        const invited = await invitations.offer(tx, made.scope, { email: ownerEmail, role: "owner" }, null);
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
      const person = await personByEmail(db.query, email);
      if (person === undefined) throw new ServiceError("not_found", { detail: `Nobody has the e-mail ${email}.` });
      return await db.transaction(async (tx) => await account.newResetLink(tx, person.id, clearTotp));
    },
  };
}
