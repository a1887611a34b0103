import type { Query, Tx } from "../../platform/db/db.ts";
import { environmentOf, newApiKey, sha256, wireId } from "../../lib/lib.ts";
import type { Id, IdMaker, Tag, Uuid } from "../../lib/lib.ts";
import { lineageLives } from "./keys.store.ts";
import { findMember } from "../identity/members.store.ts";
import { deletePortalKeys, insertPortalKey, revokePortalKeys } from "./portal-keys.store.ts";

/** The session and the rights of a portal's credential. */
export interface PortalKeyDraft {
  readonly sessionId: Uuid;
  readonly workspaceId: Uuid;
  readonly bucket: number;
  readonly tag: Tag;
  readonly tenant: string;
  readonly role: string;
  readonly blockedActions: readonly string[];
  /** The exact names of the operations that it may call. */
  readonly operations: readonly string[];
  readonly rateLimitPerHour: number;
  readonly madeBy: readonly Uuid[];
  readonly maker: PortalMaker;
  readonly expiresAt: Date;
}

/** The key's lineage, or the member, with which the credential ends. */
export interface PortalMaker {
  readonly lineageId: Uuid | null;
  readonly memberId: Uuid | null;
}

/** A created credential. Its text is shown only once. */
export interface PortalKey {
  readonly id: Id;
  readonly text: string;
}

/**
 * Creates the credentials of portal sessions. They are API keys of one tenant in the mode `restricted`, whose scopes are names of
 * operations. Lists of keys do not contain them.
 */
export interface PortalKeys {
  create(tx: Tx, draft: PortalKeyDraft): Promise<PortalKey>;
  /** Returns true if the maker's lineage has a valid key, and its member is in the workspace. */
  isStanding(query: Query, workspaceId: Uuid, maker: PortalMaker, now: Date): Promise<boolean>;
  /** Ends the credentials of a session, on every node. */
  revoke(tx: Tx, sessionId: Uuid, now: Date): Promise<void>;
  forget(tx: Tx, sessionIds: readonly Uuid[]): Promise<void>;
}

export function createPortalKeys({ ids }: { readonly ids: IdMaker }): PortalKeys {
  return {
    async create(tx, draft) {
      const id = ids.uuid();
      const text = newApiKey(environmentOf(draft.tag));
      await insertPortalKey(tx, { id, keyHash: sha256(text), prefixHint: text.slice(0, 12) }, draft);
      return { id: wireId("key", draft.tag, id), text };
    },
    async isStanding(query, workspaceId, { lineageId, memberId }, now) {
      if (lineageId !== null && !(await lineageLives(query, { workspaceId, lineageId, now }))) return false;
      return memberId === null || (await findMember(query, workspaceId, memberId)) !== undefined;
    },
    revoke: revokePortalKeys,
    forget: deletePortalKeys,
  };
}
