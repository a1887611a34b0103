import type { Tx } from "../../platform/db/db.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { ApiKey } from "../callers/api-key.ts";
import { holdKey } from "./keys.store.ts";
import { holdMember } from "../people/members.store.ts";

/**
 * Throws 401 if the caller's key has ended, or the caller's account was taken back, since the request was admitted. Both wait
 * for the transaction, so that they then find what it makes. For what outlives the credential that makes it.
 */
export async function holdCredential(
  tx: Tx,
  { id, memberId, session }: Pick<ApiKey, "id" | "memberId" | "session">,
): Promise<void> {
  if (session === undefined) {
    if (!(await holdKey(tx, id))) throw new ServiceError("key_revoked");
    return;
  }
  const member = memberId === null ? undefined : await holdMember(tx, memberId);
  if (member?.recovered_at?.getTime() !== session.recoveredAt?.getTime()) throw new ServiceError("session_invalid");
}
