import type { Db, Query } from "../platform/db/db.ts";
import { minUuidAt, paginate, orNotFound, toDate, uuidTime } from "../lib/lib.ts";
import type { Page, Uuid, t } from "../lib/lib.ts";
import { ownUuid } from "../accounts/accounts.ts";
import type { Scope } from "../accounts/accounts.ts";
import type { Digests } from "./digests.ts";
import { exportRows } from "./export.ts";
import { viewOfRow } from "./audit-row.ts";
import type { AuditRowView } from "./audit-row.ts";
import { findRow, firstSince, listRows } from "./rows.store.ts";
import type { RowFilter } from "./rows.store.ts";
import { verifyChain } from "./verify.ts";
import type { Verification, VerifyRange } from "./verify.ts";
import type * as shapes from "./audit.schemas.ts";

export type AuditFilter = t.Static<typeof shapes.AuditFilterQuery>;

/** Reads the audit log of a workspace. */
export function createAuditLog(db: Db, digests: Digests) {
  return {
    async list(
      scope: Scope,
      { limit, cursor, ...filter }: AuditFilter & { limit?: number; cursor?: string },
    ): Promise<Page<AuditRowView>> {
      return await paginate(
        { limit, cursor },
        {
          binding: [scope.tag, "audit", filter],
          async read(before, count) {
            const wanted = await rowFilter(db.query, scope, filter);
            const to = before === undefined ? wanted.to : seqOf(before);
            const rows = await listRows(db.query, scope, { ...wanted, to }, count);
            return rows.map((row) => ({ id: cursorOf(row.seq), row }));
          },
          view: ({ row }) => viewOfRow(scope, row),
        },
      );
    },
    async get(scope: Scope, id: string): Promise<AuditRowView> {
      return viewOfRow(scope, orNotFound(await findRow(db.query, scope, ownUuid(scope, "aud", id))));
    },
    /** Returns the text of a CSV file, in chunks. */
    async export(scope: Scope, filter: AuditFilter): Promise<AsyncGenerator<string>> {
      const sign = await digests.exportSigner();
      return await exportRows(db.query, { scope, filter: await rowFilter(db.query, scope, filter), sign });
    },
    verify: async (scope: Scope, range: VerifyRange): Promise<Verification> =>
      await verifyChain({ query: db.query, digests }, scope, range),
  };
}

/** Encodes the seq of a row as a cursor, which always contains an id. */
function cursorOf(seq: string): Uuid {
  return `00000000-0000-0000-0000-${Number(seq).toString(16).padStart(12, "0")}` as Uuid;
}

function seqOf(cursor: Uuid): number {
  return Number.parseInt(cursor.slice(24), 16);
}

async function rowFilter(query: Query, scope: Scope, filter: AuditFilter): Promise<RowFilter> {
  const { proposal_id: proposalId, run_id: runId } = filter;
  return {
    kind: filter.kind,
    action: filter.action,
    actorType: filter.actor_type,
    actorId: filter.actor_id,
    status: filter.status,
    tenant: filter.tenant,
    proposalId: proposalId === undefined ? undefined : ownUuid(scope, "prop", proposalId),
    runId: runId === undefined ? undefined : ownUuid(scope, "run", runId),
    from: await seqAt(query, scope, { moment: filter.created_after, name: "created_after" }),
    to: await seqAt(query, scope, { moment: filter.created_before, name: "created_before" }),
  };
}

/** Returns the first seq at a time or later, or a number beyond all rows if there is none. */
async function seqAt(
  query: Query,
  scope: Scope,
  { moment, name }: { readonly moment: string | undefined; readonly name: string },
): Promise<number | undefined> {
  const floor = minUuidAt(moment, name);
  if (floor === undefined) return undefined;
  return (await firstSince(query, scope, toDate(uuidTime(floor)))) ?? Number.MAX_SAFE_INTEGER;
}
