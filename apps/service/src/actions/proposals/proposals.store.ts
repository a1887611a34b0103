import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { arrayText, bulk, bulkInsert, countOnShards, ofTenant, pageRows, sql } from "../../platform/db/db.ts";
import type { Db, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { ProposalState } from "./proposals.schemas.ts";

export type ProposalRow = Selectable<Tables["action_proposal"]>;
export type ProposalKey = TenantKey & Pick<ProposalRow, "id">;

export type ProposalInsert = Omit<ProposalRow, "decision" | "superseded_by" | "ended_at" | "state" | "approvals"> & {
  readonly state: ProposalState;
  /** The JSON text of a list. */
  readonly approvals: string;
};

/** Hot: each call that confirms itself writes a proposal. */
export const insertProposals = bulkInsert<ProposalInsert>("action_proposal", [
  bulk("bucket", "smallint", (row) => row.bucket),
  bulk("tag", "text", (row) => row.tag),
  bulk("id", "uuid", (row) => row.id),
  bulk("workspace_id", "uuid", (row) => row.workspace_id),
  bulk("action", "text", (row) => row.action),
  bulk("contract_version", "int", (row) => row.contract_version),
  bulk("state", "text", (row) => row.state),
  bulk("surface", "text", (row) => row.surface),
  bulk("proposer", "text", (row) => row.proposer),
  bulk("proposer_key_id", "uuid", (row) => row.proposer_key_id),
  bulk("proposer_author_kind", "text", (row) => row.proposer_author_kind),
  bulk("proposer_author_id", "uuid", (row) => row.proposer_author_id),
  bulk("involved", "text", (row) => arrayText(row.involved), "uuid[]"),
  bulk("parameters_sealed", "bytea", (row) => row.parameters_sealed),
  bulk("parameters_redacted", "text", (row) => row.parameters_redacted),
  bulk("params_hash", "bytea", (row) => row.params_hash),
  bulk("prompt", "text", (row) => row.prompt),
  bulk("preview", "text", (row) => row.preview),
  bulk("approver_roles", "text", (row) => arrayText(row.approver_roles), "text[]"),
  bulk("four_eyes", "boolean", (row) => row.four_eyes),
  bulk("approvals_required", "smallint", (row) => row.approvals_required),
  bulk("approver_ids", "text", (row) => arrayText(row.approver_ids), "uuid[]"),
  bulk("approvals", "text", (row) => row.approvals, "jsonb"),
  bulk("chain", "text", (row) => arrayText(row.chain), "uuid[]"),
  bulk("tenant", "text", (row) => row.tenant),
  bulk("waiter", "text", (row) => row.waiter),
  bulk("workflow", "text", (row) => row.workflow),
  bulk("expires_at", "timestamptz", (row) => row.expires_at),
  bulk("run_id", "uuid", (row) => row.run_id),
  bulk("supersedes", "uuid", (row) => row.supersedes),
  bulk("edited_by", "text", (row) => row.edited_by),
  bulk("standing_approval_id", "uuid", (row) => row.standing_approval_id),
]);

export async function findProposal(query: Query, key: ProposalKey): Promise<ProposalRow | undefined> {
  return await query
    .selectFrom("action_proposal")
    .selectAll()
    .$call(ofTenant(key))
    .where("id", "=", key.id)
    .executeTakeFirst();
}

export interface ProposalFilter {
  readonly state?: string | undefined;
  readonly action?: string | undefined;
  readonly surface?: string | undefined;
  readonly standingApprovalId?: Uuid | undefined;
  readonly from?: Uuid | undefined;
  readonly to?: Uuid | undefined;
  readonly before?: Uuid | undefined;
}

/** Returns the newest proposals first. */
export async function listProposals(
  query: Query,
  place: TenantKey,
  filter: ProposalFilter,
  limit: number,
): Promise<ProposalRow[]> {
  let rows = query.selectFrom("action_proposal").selectAll().$call(ofTenant(place));
  // The literal lets the index of open proposals serve a generic plan too.
  if (filter.state === "proposed") rows = rows.where(sql<boolean>`state = 'proposed'`);
  else if (filter.state !== undefined) rows = rows.where("state", "=", filter.state);
  if (filter.action !== undefined) rows = rows.where("action", "=", filter.action);
  if (filter.surface !== undefined) rows = rows.where("surface", "=", filter.surface);
  if (filter.standingApprovalId !== undefined)
    rows = rows.where("standing_approval_id", "=", filter.standingApprovalId);
  if (filter.from !== undefined) rows = rows.where("id", ">=", filter.from);
  if (filter.to !== undefined) rows = rows.where("id", "<", filter.to);
  if (filter.before !== undefined) rows = rows.where("id", "<", filter.before);
  return await pageRows(query, rows.orderBy("id", "desc"), {
    limit,
    large: ["parameters_sealed", "parameters_redacted", "prompt", "preview"],
  });
}

export async function proposalsById(query: Query, place: TenantKey, ids: readonly Uuid[]): Promise<ProposalRow[]> {
  return await query
    .selectFrom("action_proposal")
    .selectAll()
    .$call(ofTenant(place))
    .where("id", "in", [...ids])
    .execute();
}

/** Counts open proposals by the risk in their previews, at most `most` in total. */
export async function openByRisk(query: Query, { bucket, tag }: TenantKey, most: number): Promise<Map<string, number>> {
  const { rows } = await sql<{ risk: string; n: number }>`select preview::jsonb ->> 'risk' as risk, count(*)::int as n
    from (select preview from action_proposal where bucket = ${bucket} and tag = ${tag} and state = 'proposed' limit ${most}) p
    group by 1`.execute(query);
  return new Map(rows.map(({ risk, n }) => [risk, n]));
}

/**
 * Every move is one statement that matches only a proposal in the right state, so that only one of several concurrent
 * moves succeeds.
 */

export interface ApprovalMove {
  /** All ids that identify the approver. */
  readonly approverIds: readonly Uuid[];
  /** JSON text: the approver, the time and the comment. */
  readonly approval: string;
  readonly paramsHash: Buffer;
  readonly now: Date;
  /** The run that starts with the last required approval; null if nothing is run. */
  readonly runId: Uuid | null;
}

/**
 * Adds an approval, once per person, and starts the run with the last required one. Returns the updated row; undefined
 * if the proposal was already decided, changed or approved by this person.
 */
export async function moveApproved(tx: Tx, key: ProposalKey, move: ApprovalMove): Promise<ProposalRow | undefined> {
  const { approverIds, approval, paramsHash, now, runId } = move;
  const isLast = sql<boolean>`jsonb_array_length(approvals) + 1 >= approvals_required`;
  const then = runId === null ? "approved" : "executing";
  const ended = runId === null ? sql<Date | null>`case when ${isLast} then ${now}::timestamptz end` : null;
  return await tx.query
    .updateTable("action_proposal")
    .set({
      approver_ids: sql<Uuid[]>`approver_ids || ${approverIds}::uuid[]`,
      approvals: sql<string>`approvals || jsonb_build_array(${approval}::jsonb)`,
      state: sql<string>`case when ${isLast} then ${then} else state end`,
      run_id: sql<Uuid | null>`case when ${isLast} then ${runId}::uuid end`,
      ended_at: ended,
    })
    .$call(ofTenant(key))
    .where("id", "=", key.id)
    .where("state", "=", "proposed")
    .where("expires_at", ">", now)
    .where("params_hash", "=", paramsHash)
    .where(sql<boolean>`not approver_ids && ${approverIds}::uuid[]`)
    .returningAll()
    .executeTakeFirst();
}

/** Returns the approvals so far, which stay the same until the transaction ends. */
export async function lockApprovals(
  tx: Tx,
  key: ProposalKey,
): Promise<Pick<ProposalRow, "workspace_id" | "approvals" | "approver_ids" | "approver_roles"> | undefined> {
  return await tx.query
    .selectFrom("action_proposal")
    .select(["workspace_id", "approvals", "approver_ids", "approver_roles"])
    .$call(ofTenant(key))
    .where("id", "=", key.id)
    .where("state", "=", "proposed")
    .forUpdate()
    .executeTakeFirst();
}

export async function membersBehind(tx: Tx, workspaceId: Uuid, ids: readonly Uuid[]) {
  return await tx.query
    .selectFrom("member")
    .select(["id", "person_id", "role", "removed_at", "recovered_at"])
    .where("workspace_id", "=", workspaceId)
    .where("id", "in", ids)
    .execute();
}

export async function setApprovals(
  tx: Tx,
  key: ProposalKey,
  { approvals, approverIds }: { readonly approvals: string; readonly approverIds: readonly Uuid[] },
): Promise<void> {
  await tx.query
    .updateTable("action_proposal")
    .set({ approvals, approver_ids: [...approverIds] })
    .$call(ofTenant(key))
    .where("id", "=", key.id)
    .execute();
}

export interface EndMove {
  readonly state: "rejected" | "cancelled" | "superseded";
  readonly now: Date;
  /** JSON text: the decider and the reason. */
  readonly decision: string;
  readonly supersededBy?: Uuid;
}

/** Ends a proposal without a run; undefined if it was already decided. */
export async function moveEnded(tx: Tx, key: ProposalKey, move: EndMove): Promise<ProposalRow | undefined> {
  return await tx.query
    .updateTable("action_proposal")
    .set({
      state: move.state,
      decision: move.decision,
      ended_at: move.now,
      superseded_by: move.supersededBy ?? null,
    })
    .$call(ofTenant(key))
    .where("id", "=", key.id)
    .where("state", "=", "proposed")
    .where("expires_at", ">", move.now)
    .returningAll()
    .executeTakeFirst();
}

/** Ends a proposal whose time limit has passed; undefined if it has not, or if the proposal was already decided. */
export async function moveExpired(tx: Tx, key: ProposalKey, now: Date): Promise<ProposalRow | undefined> {
  return await tx.query
    .updateTable("action_proposal")
    .set({ state: "expired", ended_at: now })
    .$call(ofTenant(key))
    .where("id", "=", key.id)
    .where("state", "=", "proposed")
    .where("expires_at", "<=", now)
    .returningAll()
    .executeTakeFirst();
}

/** Cancels the open proposals of a waiter that no longer waits for them. */
export async function cancelAwaited(
  tx: Tx,
  place: TenantKey,
  { waiter, decision, now }: { readonly waiter: string; readonly decision: string; readonly now: Date },
): Promise<ProposalRow[]> {
  return await tx.query
    .updateTable("action_proposal")
    .set({ state: "cancelled", decision, ended_at: now })
    .$call(ofTenant(place))
    .where(sql<boolean>`state = 'proposed'`)
    .where("waiter", "=", waiter)
    .returningAll()
    .execute();
}

/** A plain read with one index probe per shard, so that the sweep locks rows of one shard at a time. */
const EXPIRED_BUCKETS: HotStatement = {
  name: "proposal_expired_buckets",
  text: `select b::smallint as bucket from generate_series(0, 63) b where exists (select from action_proposal p
    where p.bucket = b and p.state = 'proposed' and p.expires_at <= $1)`,
};
const EXPIRE: HotStatement = {
  name: "proposal_expire",
  text: `update action_proposal p set state = 'expired', ended_at = $2
    from (select tag, id from action_proposal where bucket = $1 and state = 'proposed' and expires_at <= $2
      order by expires_at limit $3 for update skip locked) d
    where p.bucket = $1 and p.tag = d.tag and p.id = d.id and p.state = 'proposed' returning p.*`,
};

export async function expiredBuckets(db: Db, now: Date): Promise<number[]> {
  const rows = await db.onEachShard(async () => await db.hot<{ bucket: number }>(EXPIRED_BUCKETS, [now]));
  return rows.map((row) => row.bucket);
}

export async function expireDue(tx: Tx, bucket: number, now: Date, limit: number): Promise<ProposalRow[]> {
  return await tx.hot<ProposalRow>(EXPIRE, [bucket, now, limit]);
}

const OPEN: HotStatement = {
  name: "proposals_open",
  text: `select sum(n)::int as n from generate_series(0, 63) b,
    lateral (select count(*) as n from action_proposal p where p.bucket = b and p.state = 'proposed') c`,
};

export async function countOpen(db: Db): Promise<number> {
  return await countOnShards(db, OPEN);
}

export interface StandingAtDecision {
  /** Null if the member was removed. */
  readonly role: string | null;
  readonly person: Uuid | null;
  /** Until then, everything that the person approved in advance does not count. */
  readonly grants_ended_at: Date | null;
  readonly members: number;
  readonly settings: Record<string, unknown>;
}

/**
 * Returns a person's current role and person id, and the number of members and the settings of the workspace. The
 * membership is locked, so that the role cannot change before the decision is committed.
 */
export async function standingAtDecision(tx: Tx, workspaceId: Uuid, memberId: Uuid): Promise<StandingAtDecision> {
  const { rows } = await sql<StandingAtDecision>`select
      (select role from member where id = ${memberId} and workspace_id = w.id and removed_at is null for share) as role,
      (select person_id from member where id = ${memberId} and workspace_id = w.id) as person,
      (select grants_ended_at from member where id = ${memberId} and workspace_id = w.id) as grants_ended_at,
      (select count(*)::int from member where workspace_id = w.id and removed_at is null) as members, w.settings
    from workspace w where w.id = ${workspaceId}`.execute(tx.query);
  const [row] = rows;
  if (row === undefined) throw new Error("a workspace vanished");
  return row;
}

/** Returns true if the key or the member that proposed no longer exists. */
export async function isProposerGone(
  tx: Tx,
  proposal: Pick<ProposalRow, "workspace_id" | "proposer_key_id" | "proposer_author_kind" | "proposer_author_id">,
  now: Date,
): Promise<boolean> {
  const { workspace_id, proposer_key_id: keyId, proposer_author_kind: kind, proposer_author_id: authorId } = proposal;
  if (keyId !== null) {
    const { rows } = await sql<{ gone: boolean }>`select k.revoked_at <= ${now} or m.removed_at is not null as gone
      from api_key k left join member m on m.id = k.member_id
      where k.workspace_id = ${workspace_id} and k.id = ${keyId} for share of k`.execute(tx.query);
    return rows[0]?.gone !== false && rows[0]?.gone !== null;
  }
  if (kind === null || authorId === null) return false;
  if (kind === "member") {
    const { rows } = await sql`select 1 from member where workspace_id = ${workspace_id} and id = ${authorId}
      and removed_at is null for share`.execute(tx.query);
    return rows.length === 0;
  }
  const { rows } = await sql`select 1 from api_key k left join member m on m.id = k.member_id
    where k.workspace_id = ${workspace_id} and k.lineage_id = ${authorId} and k.revoked_at is null and m.removed_at is null
    for share of k`.execute(tx.query);
  return rows.length === 0;
}
