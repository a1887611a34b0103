import type { Query } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { ApiKey } from "../callers/api-key.ts";
import { findMember, membershipsOf } from "../people/members.store.ts";
import type { MemberRow } from "../people/members.store.ts";
import { lineageLives } from "./keys.store.ts";

/** The member who created an invitation or a reset link, which is valid as long as the maker's right. */
export interface Maker {
  readonly memberId: Uuid;
  /** The lineage of the key that was used; null for a session. */
  readonly lineageId: Uuid | null;
}

export function makerOf({ memberId, lineageId, session }: ApiKey): Maker {
  if (memberId === null) throw new Error("the access checks allow only people to do this");
  return { memberId, lineageId: session === undefined ? lineageId : null };
}

/** Returns the maker as a current member, or undefined if the membership or the key has ended. */
export async function standingMaker(
  query: Query,
  { workspaceId, maker, now }: { readonly workspaceId: Uuid; readonly maker: Maker; readonly now: Date },
): Promise<MemberRow | undefined> {
  const { memberId, lineageId } = maker;
  if (lineageId !== null && !(await lineageLives(query, { workspaceId, lineageId, now }))) return undefined;
  return await findMember(query, workspaceId, memberId);
}

/**
 * Returns true if a member owns all workspaces of a person, except the member's own one, which the caller has checked.
 */
export async function ownsAllOf(
  query: Query,
  member: Pick<MemberRow, "person_id" | "workspace_id">,
  personId: Uuid,
): Promise<boolean> {
  const [theirs, owned] = [await membershipsOf(query, personId), await membershipsOf(query, member.person_id)];
  return theirs.every(
    (one) =>
      one.workspace_id === member.workspace_id ||
      owned.some(({ workspace_id: id, role }) => id === one.workspace_id && role === "owner"),
  );
}
