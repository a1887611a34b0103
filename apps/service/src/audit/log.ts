import type { Db } from "../db/db.ts";
import { decodeCursor, floorOf, pageOf, ServiceError } from "../kernel/kernel.ts";
import type { Page } from "../kernel/kernel.ts";
import { ownUuid } from "../workspaces/workspaces.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import type { Digests } from "./digests.ts";
import type { AuditActorType, AuditKind } from "./entry.ts";
import { exportRows } from "./export.ts";
import { viewOfRow } from "./row.ts";
import type { AuditRowView } from "./row.ts";
import { findRow, listRows } from "./rows.store.ts";
import type { RowFilter } from "./rows.store.ts";
import { verifyChain } from "./verify.ts";
import type { Verification, VerifyRange } from "./verify.ts";

export interface AuditFilter {
  readonly kind?: AuditKind;
  readonly action?: string;
  readonly actor_type?: AuditActorType;
  readonly actor_id?: string;
  readonly status?: string;
  readonly proposal_id?: string;
  readonly run_id?: string;
  readonly created_after?: string;
  readonly created_before?: string;
}

/** What was written, for those who may read it. */
export interface AuditLog {
  list(scope: Scope, query: AuditFilter & { limit?: number; cursor?: string }): Promise<Page<AuditRowView>>;
  get(scope: Scope, id: string): Promise<AuditRowView>;
  /** The text of a CSV file, piece by piece. */
  export(scope: Scope, filter: AuditFilter): Promise<AsyncGenerator<string>>;
  verify(scope: Scope, range: VerifyRange): Promise<Verification>;
}

export function createAuditLog(db: Db, digests: Digests): AuditLog {
  return {
    async list(scope, { limit = 20, cursor, ...filter }) {
      const binding = [scope.tag, "audit", filter];
      const before = decodeCursor(cursor, binding);
      const rows = await listRows(db.query, scope, { ...rowFilter(scope, filter), before }, limit + 1);
      return pageOf(rows, limit, binding, (row) => viewOfRow(scope, row));
    },
    async get(scope, id) {
      const row = await findRow(db.query, scope, ownUuid(scope, "aud", id));
      if (row === undefined) throw new ServiceError("not_found");
      return viewOfRow(scope, row);
    },
    export: async (scope, filter) => await exportRows(db.query, scope, rowFilter(scope, filter)),
    verify: async (scope, range) => await verifyChain({ query: db.query, digests }, scope, range),
  };
}

function rowFilter(scope: Scope, filter: AuditFilter): RowFilter {
  const { proposal_id: proposalId, run_id: runId } = filter;
  return {
    kind: filter.kind,
    action: filter.action,
    actorType: filter.actor_type,
    actorId: filter.actor_id,
    status: filter.status,
    proposalId: proposalId === undefined ? undefined : ownUuid(scope, "prop", proposalId),
    runId: runId === undefined ? undefined : ownUuid(scope, "run", runId),
    from: floorOf(filter.created_after, "created_after"),
    to: floorOf(filter.created_before, "created_before"),
  };
}
