import type { Query } from "../db/db.ts";
import { canonicalJson } from "../kernel/kernel.ts";
import type { Uuid } from "../kernel/kernel.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import { line } from "./csv.ts";
import { viewOfRow } from "./row.ts";
import type { AuditRowView } from "./row.ts";
import { findHead, rowsAfterId, rowsAfterSeq } from "./rows.store.ts";
import type { AuditRow, RowFilter } from "./rows.store.ts";

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
 * The rows up to where the chain ends now as the text of a CSV file, chunk by chunk: in the chain's order, or, with a filter, in the
 * order of time. Reads before it answers, so that what fails at once is an error and no broken file.
 */
export async function exportRows(query: Query, scope: Scope, filter: RowFilter): Promise<AsyncGenerator<string>> {
  const upTo = Number((await findHead(query, scope))?.seq ?? 0);
  const isWhole = Object.values(filter).every((value) => value === undefined);
  const read = isWhole ? inChainOrder(query, scope, upTo) : inOrderOfTime(query, scope, { ...filter, upTo });
  return lines(scope, read);
}

async function* lines(scope: Scope, chunks: AsyncIterable<readonly AuditRow[]>): AsyncGenerator<string> {
  yield line(COLUMNS.map(([name]) => name));
  for await (const rows of chunks) {
    yield rows
      .map((row) => {
        const view = viewOfRow(scope, row);
        return line(COLUMNS.map(([, of]) => of(view)));
      })
      .join("");
  }
}

async function* inChainOrder(query: Query, scope: Scope, upTo: number): AsyncGenerator<readonly AuditRow[]> {
  for (let after = 0; after < upTo;) {
    const rows = await rowsAfterSeq(query, scope, { after, upTo }, CHUNK);
    yield rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = Number(last.seq);
  }
}

async function* inOrderOfTime(
  query: Query,
  scope: Scope,
  filter: RowFilter & { readonly upTo: number },
): AsyncGenerator<readonly AuditRow[]> {
  for (let after: Uuid | undefined; ;) {
    const rows = await rowsAfterId(query, scope, { ...filter, after }, CHUNK);
    yield rows;
    after = rows.at(-1)?.id;
    if (rows.length < CHUNK) return;
  }
}

function json(value: unknown): string | null {
  return value === null ? null : canonicalJson(value);
}
