import {
  minUuidAt,
  parseId,
  ServiceError,
  NO_WORKSPACE_TAG,
  tagOf,
  toRfc3339,
  uuidTime,
  wireId,
  paginate,
} from "../../lib/lib.ts";
import { t } from "../../lib/lib.ts";
import type { Id, Page, Tag, Uuid } from "../../lib/lib.ts";
import { ownUuid, scopeFields } from "../../accounts/accounts.ts";
import type { ApiKey, Scope } from "../../accounts/accounts.ts";
import type { RequestListQuery, RequestShape } from "./request-log.schemas.ts";
import { listRequests } from "./request-log.store.ts";
import type { RequestRow } from "./request-log.store.ts";
import { createRequestWriter } from "./request-log.worker.ts";
import type { RequestWriterDeps } from "./request-log.worker.ts";

/** A request with a valid credential, and its response. */
export interface AnsweredRequest {
  readonly id: string;
  readonly key: Pick<ApiKey, "id" | "lineageId" | "bucket" | "tag" | "memberId" | "session">;
  readonly operation: string;
  readonly method: string;
  /** The route's path, with `:name` instead of the arguments. */
  readonly route: string;
  readonly status: number;
  readonly errorCode: string | null;
  readonly durationMs: number;
  readonly ip: string;
}

type RequestView = t.Static<typeof RequestShape>;
type RequestQuery = t.Static<typeof RequestListQuery>;

export type Requests = ReturnType<typeof createRequests>;

/** The log of requests (contract, section 9): 30 days, no bodies, no arguments. */
export function createRequests(deps: RequestWriterDeps) {
  const { db } = deps;
  const writer = createRequestWriter(deps);
  return {
    start: writer.start,
    waiting: writer.waiting,
    stop: writer.stop,
    /** Adds a request to the log (hot). Touches memory alone. */
    note(request: AnsweredRequest): void {
      // The console polls, also the request log. Its successful reads would fill the log.
      if (request.key.session !== undefined && isRead(request.method) && request.status < 400) return;
      const row = rowOf(request);
      if (row !== undefined) writer.note(row);
    },
    async list(scope: Scope, query: RequestQuery): Promise<Page<RequestView>> {
      const { limit, cursor, ...filters } = query;
      const filter = {
        operation: filters.operation,
        method: filters.method,
        status: statusRange(filters),
        errorCode: filters.error_code,
        keyId: filters.key_id === undefined ? undefined : ownUuid(scope, "key", filters.key_id),
        ip: filters.ip,
        from: minUuidAt(filters.created_after, "created_after"),
        to: minUuidAt(filters.created_before, "created_before"),
      };
      return await paginate(
        { limit, cursor },
        {
          binding: [scope.tag, "requests", filters],
          read: async (before, count) => await listRequests(db.query, scope, { ...filter, before }, count),
          view: (row) => requestView(scope, row),
        },
      );
    },
    async get(scope: Scope, id: string): Promise<RequestView> {
      const parsed = parseId(id);
      const [row] = parsed?.prefix === "req" ? await listRequests(db.query, scope, { id: parsed.uuid }, 1) : [];
      if (row === undefined) throw new ServiceError("not_found");
      return requestView(scope, row);
    },
  };
}

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function rowOf({ id, key, ...request }: AnsweredRequest): RequestRow | undefined {
  const parsed = parseId(id);
  if (parsed === undefined) return undefined;
  return {
    bucket: key.bucket,
    tag: key.tag,
    id: parsed.uuid,
    operation: request.operation,
    method: request.method,
    path: request.route.replaceAll(/:(\w+)/g, "{$1}"),
    status: request.status,
    error_code: request.errorCode,
    duration_ms: request.durationMs,
    key_id: key.session === undefined ? key.id : null,
    member_id: key.memberId,
    ip: request.ip,
  };
}

function requestView(scope: Scope, row: RequestRow): RequestView {
  return {
    id: wireId("req", NO_WORKSPACE_TAG, row.id),
    object: "request",
    operation: row.operation,
    method: row.method,
    path: row.path,
    status: row.status,
    error_code: row.error_code,
    duration_ms: Math.round(row.duration_ms * 10) / 10,
    key_id: toWireId("key", row.tag, row.key_id),
    member_id: toWireId("mem", tagOf(row.tag, "live"), row.member_id),
    ip: row.ip,
    ...scopeFields(scope),
    created_at: toRfc3339(uuidTime(row.id)),
  };
}

function toWireId(prefix: "key" | "mem", tag: Tag, id: Uuid | null): Id | null {
  return id === null ? null : wireId(prefix, tag, id);
}

function statusRange({ status, status_class }: RequestQuery): { from: number; to: number } | undefined {
  if (status !== undefined) return { from: status, to: status };
  if (status_class === undefined) return undefined;
  const hundreds = Number(status_class[0]) * 100;
  return { from: hundreds, to: hundreds + 99 };
}
