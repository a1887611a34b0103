import type { Tx } from "../../platform/db/db.ts";
import { fromDate, parseId, parseRfc3339 } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Actor } from "../callers/actor.ts";
import { lockApprovals, membersBehind, setApprovals } from "./proposals.store.ts";
import type { ProposalKey } from "./proposals.store.ts";

interface Approval {
  readonly by: Actor;
  readonly at: string;
}

/**
 * Takes out earlier approvals that their people could no longer give: they have left, have another role, or have taken
 * their account back since. What several people decide is right when it runs, and not only when the first of them decided.
 * Returns the members whose approvals were taken out.
 */
export async function dropLapsed(tx: Tx, key: ProposalKey): Promise<readonly string[]> {
  const row = await lockApprovals(tx, key);
  const approvals = (row?.approvals ?? []) as readonly Approval[];
  const ids = approvals.flatMap((one) => memberOf(one) ?? []);
  if (row === undefined || ids.length === 0) return [];
  const members = await membersBehind(tx, row.workspace_id, ids);
  const lapsed = approvals.filter((one) => {
    const id = memberOf(one);
    if (id === undefined) return false;
    const member = members.find((each) => each.id === id);
    if (member === undefined || member.removed_at !== null || !row.approver_roles.includes(member.role)) return true;
    return member.recovered_at !== null && fromDate(member.recovered_at) >= (parseRfc3339(one.at) ?? 0);
  });
  if (lapsed.length === 0) return [];
  const gone = new Set(lapsed.flatMap((one) => memberOf(one) ?? []));
  const people = members.flatMap(({ id, person_id: person }) => (gone.has(id) ? [id, person] : []));
  await setApprovals(tx, key, {
    approvals: JSON.stringify(approvals.filter((one) => !lapsed.includes(one))),
    approverIds: row.approver_ids.filter((id) => !gone.has(id) && !people.includes(id)),
  });
  return lapsed.map(({ by }) => String(by.id));
}

/** Undefined for a rule, which ends with its author. */
function memberOf({ by }: Approval): Uuid | undefined {
  const parsed = by.id === null ? undefined : parseId(by.id);
  return parsed?.prefix === "mem" ? parsed.uuid : undefined;
}
