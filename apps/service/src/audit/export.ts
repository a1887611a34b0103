import type { Query } from "../db/db.ts";
import { canonicalJson } from "../kernel/kernel.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import { line } from "./csv.ts";
import { viewOfRow } from "./row.ts";
import type { AuditRowView } from "./row.ts";
import { findHead, rowsInOrder } from "./rows.store.ts";
import type { RowFilter } from "./rows.store.ts";

type Cell = string | number | null;

/** Every member of a row that is hashed, and the hash: from a file without filters the chain can be checked (tools/verify-audit.ts). */
const COLUMNS: readonly (readonly [name: string, of: (row: AuditRowView) => Cell])[] = [
  ["seq", (row) => row.seq],
  ["id", (row) => row.id],
  ["object", (row) => row.object],
  ["scope_kind", (row) => row.scope_kind],
  ["scope_key", (row) => row.scope_key],
  ["environment", (row) => row.environment],
  ["created_at", (row) => row.created_at],
  ["occurred_at", (row) => row.occurred_at],
  ["kind", (row) => row.kind],
  ["action", (row) => row.action],
  ["status", (row) => row.status],
  ["error_code", (row) => row.error_code],
  ["actor.type", (row) => row.actor.type],
  ["actor.id", (row) => row.actor.id],
  ["actor.display", (row) => row.actor.display],
  ["actor.key_id", (row) => row.actor.key_id],
  ["actor.ip", (row) => row.actor.ip],
  ["approver.type", (row) => row.approver?.type ?? null],
  ["approver.id", (row) => row.approver?.id ?? null],
  ["approver.display", (row) => row.approver?.display ?? null],
  ["approver.key_id", (row) => row.approver?.key_id ?? null],
  ["approver.ip", (row) => row.approver?.ip ?? null],
  ["contract_version", (row) => row.contract_version],
  ["proposal_id", (row) => row.proposal_id],
  ["run_id", (row) => row.run_id],
  ["prompt", (row) => row.prompt],
  ["params_redacted", (row) => json(row.params_redacted)],
  ["result_redacted", (row) => json(row.result_redacted)],
  ["duration_ms", (row) => row.duration_ms],
  ["backend.host", (row) => row.backend?.host ?? null],
  ["backend.status", (row) => row.backend?.status ?? null],
  ["deployment.version", (row) => row.deployment.version],
  ["deployment.git_sha", (row) => row.deployment.git_sha],
  ["deployment.instance_id", (row) => row.deployment.instance_id],
  ["deployment.contract_sha256", (row) => row.deployment.contract_sha256],
  ["request_id", (row) => row.request_id],
  ["prev_hash", (row) => row.prev_hash],
  ["hash", (row) => row.hash],
];

const CHUNK = 500;

/**
 * The rows up to where the chain ends now, in its order, as the text of a CSV file, chunk by chunk. Reads before it answers, so that what
 * fails at once is an error and no broken file.
 */
export async function exportRows(query: Query, scope: Scope, filter: RowFilter): Promise<AsyncGenerator<string>> {
  const end = Number((await findHead(query, scope))?.seq ?? 0);
  return lines(query, scope, { ...filter, to: Math.min(filter.to ?? end + 1, end + 1) });
}

async function* lines(query: Query, scope: Scope, filter: RowFilter): AsyncGenerator<string> {
  yield line(COLUMNS.map(([name]) => name));
  for (let { from } = filter; ;) {
    const rows = await rowsInOrder(query, scope, { ...filter, from }, CHUNK);
    yield rows
      .map((row) => {
        const view = viewOfRow(scope, row);
        return line(COLUMNS.map(([, of]) => of(view)));
      })
      .join("");
    if (rows.length < CHUNK) return;
    from = Number(rows.at(-1)?.seq) + 1;
  }
}

function json(value: unknown): string | null {
  return value === null ? null : canonicalJson(value);
}
