import type { Tx } from "../../platform/db/db.ts";
import { environmentOf, newApiKey, sha256, wireId } from "../../lib/lib.ts";
import type { Id, IdMaker } from "../../lib/lib.ts";
import { readMakerRights } from "./maker-rights.store.ts";
import {
  deletePortalKeys,
  insertPortalKey,
  revokePortalKeys,
  revokePortalKeysOfTenant,
  sessionOfKey,
} from "./portal-keys.store.ts";
import type { PortalKeyDraft } from "./portal-keys.store.ts";

export type { PortalMaker } from "./maker-rights.store.ts";

/** A created credential. Its text is shown only once. */
export interface PortalKey {
  readonly id: Id;
  readonly text: string;
}

/**
 * Creates the credentials of portal sessions and MCP tokens. They are API keys of one tenant in the mode `restricted`, whose
 * scopes are names of operations. Lists of keys do not contain them.
 */
export type PortalKeys = ReturnType<typeof createPortalKeys>;

export function createPortalKeys({ ids }: { readonly ids: IdMaker }) {
  return {
    async create(tx: Tx, draft: PortalKeyDraft): Promise<PortalKey> {
      const id = ids.uuid();
      const text = newApiKey(environmentOf(draft.tag));
      await insertPortalKey(tx, { id, keyHash: sha256(text), prefixHint: text.slice(0, 12) }, draft);
      return { id: wireId("key", draft.tag, id), text };
    },
    /**
     * Returns the fingerprint of the maker's present rights. Null if its lineage has no valid key, if its member was removed, or
     * if the member has taken the account back since a console session made it.
     */
    rightsOf: readMakerRights,
    /** Ends the credentials of a session, on every node. */
    revoke: revokePortalKeys,
    /** Ends the credentials of a tenant that are older than the id. */
    revokeOfTenant: revokePortalKeysOfTenant,
    forget: deletePortalKeys,
    /** Returns the session of a credential; undefined for another key. */
    sessionOf: sessionOfKey,
  };
}
