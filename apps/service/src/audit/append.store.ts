import type { HotStatement, Tx } from "../platform/db/db.ts";
import { toRfc3339 } from "../lib/lib.ts";
import type { Tag, Uuid } from "../lib/lib.ts";
import type { Pieces, RowFacts } from "./audit-row.ts";

export interface Chain {
  readonly bucket: number;
  readonly tag: Tag;
  readonly workspaceId: Uuid;
}

/** A row to append to the chain with this number, counted from 1. */
export interface NewRow {
  readonly chain: number;
  readonly pieces: Pieces;
  readonly facts: RowFacts;
  /** The tenant that the row is about. It finds the row, and is not hashed. */
  readonly tenant: string | null;
}

/** Hot: one lock and one update per chain and one insert, for any number of rows (0013_audit.sql). */
const APPEND: HotStatement = {
  name: "audit_append",
  text: "select audit_append($1::smallint[], $2::text[], $3::uuid[], $4::int[], $5::text[], $6::text[], $7::text[], $8::text[], $9::json)",
};

/** Does the same for chains of another shard than the transaction's. Citus sends it to that shard, in the same commit. */
const APPEND_ELSEWHERE: HotStatement = {
  name: "audit_append_elsewhere",
  text: APPEND.text.replace("audit_append", "public.audit_append"),
};

/**
 * Appends rows to their chains. The chains are in the order of their keys, and the rows in the order of their chains.
 */
export async function append(
  tx: Pick<Tx, "hot">,
  {
    chains,
    rows,
    isHere,
  }: { readonly chains: readonly Chain[]; readonly rows: readonly NewRow[]; readonly isHere: boolean },
): Promise<void> {
  await tx.hot(isHere ? APPEND : APPEND_ELSEWHERE, [
    chains.map((chain) => chain.bucket),
    chains.map((chain) => chain.tag),
    chains.map((chain) => chain.workspaceId),
    rows.map((row) => row.chain),
    rows.map((row) => row.pieces[0]),
    rows.map((row) => row.pieces[1]),
    rows.map((row) => row.pieces[2]),
    rows.map((row) => row.pieces[3]),
    JSON.stringify(rows.map((row) => ({ ...columnsOf(row.facts), tenant: row.tenant }))),
  ]);
}

/** Returns the values of a row by the names of the table's columns. */
function columnsOf(facts: RowFacts): Readonly<Record<string, unknown>> {
  return {
    id: facts.id,
    occurred_at: toRfc3339(facts.occurredAt),
    kind: facts.kind,
    action: facts.action,
    contract_version: facts.contractVersion,
    proposal_id: facts.proposalId,
    run_id: facts.runId,
    actor_type: facts.actor.type,
    actor_id: facts.actor.id,
    actor_display: facts.actor.display,
    actor_key_id: facts.actor.keyId,
    actor_ip: facts.actor.ip,
    approver: facts.approver,
    prompt: facts.prompt,
    params_redacted: facts.params,
    result_redacted: facts.result,
    status: facts.status,
    error_code: facts.errorCode,
    duration_ms: facts.durationMs,
    backend: facts.backend,
    deployment: facts.deployment,
    request_id: facts.requestId,
  };
}
