import type { Query, Tx } from "../../platform/db/db.ts";
import { environmentOf, newApiKey, sha256, wireId } from "../../lib/lib.ts";
import type { Id, IdMaker, Uuid } from "../../lib/lib.ts";
import { lineageLives } from "./keys.store.ts";
import { findMember } from "../identity/members.store.ts";
import { deletePortalKeys, insertPortalKey, revokePortalKeys } from "./portal-keys.store.ts";
import type { PortalKeyDraft, PortalMaker } from "./portal-keys.store.ts";

export type { PortalMaker } from "./portal-keys.store.ts";

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
