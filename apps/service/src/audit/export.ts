import type { Query } from "../platform/db/db.ts";
import { canonicalJson } from "../lib/lib.ts";
import { scopeFields } from "../accounts/accounts.ts";
import type { Scope, ScopeFields } from "../accounts/accounts.ts";
import { START } from "./chain.ts";
import { line } from "./csv.ts";
import { viewOfRow } from "./audit-row.ts";
import type { AuditRowView } from "./audit-row.ts";
import { findHead, rowsInOrder } from "./rows.store.ts";
import type { RowFilter } from "./rows.store.ts";

type Cell = string | number | null;

/**
 * All hashed members of a row, and the hash. The chain of a file without filters can be verified
 * (tools/verify-audit.ts).
 */
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

/** The column of the signed end, which only the last row has. It is not hashed. */
const END_COLUMN = "export_end";
const CHUNK = 500;

/**
 * The signed end of an export: its last row, or the start of the chain if there is none, and its number of rows, so that
 * a truncated file is detected.
 */
export interface ExportEnd extends ScopeFields {
  readonly object: "audit_export_end";
  /** The seq of the last row. */
  readonly seq: number;
  readonly hash: string;
  readonly rows: number;
  /** The export used a filter. */
  readonly filtered: boolean;
}

/** Adds the time, the public key and the signature. */
export type SignEnd = (end: ExportEnd) => object;

interface Exported {
  readonly scope: Scope;
  readonly filter: RowFilter;
  readonly sign: SignEnd;
}

/**
 * Returns the rows up to the current end of the chain, in its order, as chunks of CSV text. The last row contains the
 * signed end. The head is read before the function returns, so that an early failure is an error and not a broken file.
 */
export async function exportRows(query: Query, { scope, filter, sign }: Exported): Promise<AsyncGenerator<string>> {
  const end = Number((await findHead(query, scope))?.seq ?? 0);
  const filtered = Object.values(filter).some((value) => value !== undefined);
  const to = Math.min(filter.to ?? end + 1, end + 1);
  return lines(query, { scope, filter: { ...filter, to }, sign }, filtered);
}

async function* lines(query: Query, { scope, filter, sign }: Exported, filtered: boolean): AsyncGenerator<string> {
  yield line([...COLUMNS.map(([name]) => name), END_COLUMN]);
  let last: AuditRowView | undefined;
  let written = 0;
  const text = (view: AuditRowView, end: string | null): string => {
    written += 1;
    return line([...COLUMNS.map(([, of]) => of(view)), end]);
  };
  for (let { from } = filter; ;) {
    const rows = await rowsInOrder(query, scope, { ...filter, from }, CHUNK);
    const views = rows.map((row) => viewOfRow(scope, row));
    // The last row is held back until it is known whether another row follows.
    const ready = last === undefined ? views : [last, ...views];
    last = ready.at(-1);
    yield ready
      .slice(0, -1)
      .map((view) => text(view, null))
      .join("");
    if (rows.length === 0) break;
    from = Number(rows.at(-1)?.seq) + 1;
  }
  const { seq, hash } = last ?? START;
  const count = last === undefined ? 0 : written + 1;
  const end = { object: "audit_export_end", ...scopeFields(scope), seq, hash, rows: count, filtered } as const;
  const signed = canonicalJson(sign(end));
  // Without a row, the end stands alone. Otherwise, a file that was cut down to its header would look like such an export.
  yield last === undefined ? line([...COLUMNS.map(() => null), signed]) : text(last, signed);
}

function json(value: unknown): string | null {
  return value === null ? null : canonicalJson(value);
}
