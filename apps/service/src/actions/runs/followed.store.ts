import { sql } from "../../platform/db/db.ts";
import type { Query } from "../../platform/db/db.ts";
import type { RunRow } from "./runs.store.ts";
import type { ProposalKey, ProposalRow } from "../proposals/proposals.store.ts";

/** The proposal that replaced another one in the end, or the same one, with the columns of its run. */
export type FollowedRow = {
  readonly [Name in keyof RunRow]: RunRow[Name] | null;
} & {
  readonly followed_id: ProposalRow["id"];
  readonly followed_action: string;
  readonly followed_state: string;
  readonly followed_surface: string;
  readonly followed_expires_at: Date;
  readonly followed_ended_at: Date | null;
  readonly followed_decision: string | null;
  readonly author_kind: string | null;
  readonly author_id: string | null;
};

/** A proposal is edited by people, so a longer chain does not occur. */
const MOST_EDITS = 100;

/** Reads a proposal, or the last one of its edits, and its run, with one statement. */
export async function findFollowed(query: Query, { bucket, tag, id }: ProposalKey): Promise<FollowedRow | undefined> {
  const columns = sql`p.id, p.action, p.state, p.surface, p.proposer_author_kind, p.proposer_author_id, p.expires_at, p.ended_at,
    p.decision, p.run_id, p.superseded_by`;
  const { rows } = await sql<FollowedRow>`with recursive followed as (
      select ${columns}, 1 as step from action_proposal p where p.bucket = ${bucket} and p.tag = ${tag} and p.id = ${id}
      union all
      select ${columns}, f.step + 1 from followed f
        join action_proposal p on p.bucket = ${bucket} and p.tag = ${tag} and p.id = f.superseded_by
        where f.step < ${MOST_EDITS})
    select r.*, f.id as followed_id, f.action as followed_action, f.state as followed_state, f.surface as followed_surface,
        f.expires_at as followed_expires_at, f.ended_at as followed_ended_at, f.decision as followed_decision,
        f.proposer_author_kind as author_kind, f.proposer_author_id as author_id
      from followed f left join action_run r on r.bucket = ${bucket} and r.tag = ${tag} and r.id = f.run_id
      order by f.step desc limit 1`.execute(query);
  return rows[0];
}
