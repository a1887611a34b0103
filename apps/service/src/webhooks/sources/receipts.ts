import type { PersonalData } from "../../contacts/contacts.ts";
import type { Db } from "../../platform/db/db.ts";
import { isPassing, minUuidAt, paginate, parseJson, ServiceError, wireId } from "../../lib/lib.ts";
import type { Page, Static, Uuid } from "../../lib/lib.ts";
import type { AttentionParts, Capped, NewsReader } from "../../insights/insights.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import { ownUuid, scopeOfWorkspace } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { NOTHING } from "./mapping.ts";
import { extractedText, receiptText } from "./receipt-view.ts";
import * as store from "./receipts.store.ts";
import type { ReceiptRow } from "./receipts.store.ts";
import { reprocessed } from "./reprocess.ts";
import type { ReprocessDeps } from "./reprocess.ts";
import type { ReceiptListQuery } from "./receipts.schemas.ts";

export type ReceiptQuery = Static<typeof ReceiptListQuery>;

/**
 * The records of inbound requests and their results (contract, section 6). Receipts are JSON texts, so that their
 * values are exact.
 */
export interface Receipts {
  list(scope: Scope, query: ReceiptQuery): Promise<Page<string>>;
  get(scope: Scope, id: string): Promise<string>;
  /**
   * Processes an unmapped or failed receipt again, with the current settings of its source. Throws 409 if it has an
   * activity, is a duplicate, was not signed, or its source is gone. Throws 500 `inbound_processing_failed` if it fails
   * again. Any number of calls creates one activity.
   */
  reprocess(scope: Scope, id: string): Promise<string>;
  /** Exports and erases the data of a person. */
  readonly personal: PersonalData;
  readonly news: NewsReader;
  readonly attention: AttentionParts["receipts"];
}

export interface ReceiptsDeps extends ReprocessDeps {
  readonly db: Db;
  readonly log: Log;
}

/** Each receipt of an export has its body of up to 1 MiB. */
const EXPORT_STEP = 8;
const MOST_COUNTED = 1000;

export function createReceipts(deps: ReceiptsDeps): Receipts {
  const { db } = deps;
  return {
    async list(scope, query) {
      const { limit, cursor, ...filters } = query;
      const filter = {
        status: filters.status,
        sourceId: filters.source_id === undefined ? undefined : ownUuid(scope, "src", filters.source_id),
        contactId: filters.contact_id === undefined ? undefined : ownUuid(scope, "con", filters.contact_id),
        from: minUuidAt(filters.created_after, "created_after"),
        to: minUuidAt(filters.created_before, "created_before"),
      };
      return await paginate(
        { limit, cursor },
        {
          binding: [scope.tag, "inbound receipts", filters],
          read: async (before, count) => await store.listReceipts(db.query, scope, { ...filter, before }, count),
          view: (row) => receiptText(scope, row),
        },
      );
    },
    async get(scope, id) {
      const row = await store.findReceipt(db.query, scope, ownUuid(scope, "rcp", id));
      if (row === undefined) throw new ServiceError("not_found");
      return receiptText(scope, row);
    },
    reprocess: async (scope, id) => receiptText(scope, await reprocess(deps, scope, ownUuid(scope, "rcp", id))),
    news: {
      operation: "inbound_receipts.list",
      async read(scope, ids) {
        const rows = await store.receiptsById(db.query, scope, ids);
        return new Map(rows.map((row) => [row.id, receiptText(scope, row)]));
      },
      gone: (scope, id) =>
        JSON.stringify({ id: wireId("rcp", scope.tag, id), object: "inbound_receipt", deleted: true }),
    },
    async attention(scope) {
      const count = async (status: "error" | "unmapped"): Promise<Capped> => {
        const counted = await store.countReceipts(db.query, scope, status, MOST_COUNTED + 1);
        return { count: Math.min(counted, MOST_COUNTED), capped: counted > MOST_COUNTED };
      };
      return { error: await count("error"), unmapped: await count("unmapped") };
    },
    personal: {
      name: "inbound_receipts",
      read: (scope, contactIds) => readOf(db, scope, contactIds),
      erase: async (tx, scope, contactIds) => await store.eraseReceipts(tx, scope, contactIds, extractedText(NOTHING)),
    },
  };
}

async function* readOf(db: Db, scope: Scope, contactIds: readonly Uuid[]): AsyncGenerator<object> {
  for (let last: Uuid | undefined; ;) {
    const rows = await store.receiptsOfContacts(db.query, scope, contactIds, { after: last, limit: EXPORT_STEP });
    for (const row of rows) yield parseJson(receiptText(scope, row)) as object;
    last = rows.at(-1)?.id;
    if (rows.length < EXPORT_STEP) return;
  }
}

async function reprocess(deps: ReceiptsDeps, scope: Scope, id: Uuid): Promise<ReceiptRow> {
  try {
    // The event goes to the workspace's own endpoints too, which the work of a tenant's key does not see.
    return await deps.db.within(
      scopeOfWorkspace(scope),
      async () => await deps.db.transaction(async (tx) => await reprocessed(deps, tx, scope, id)),
    );
  } catch (error) {
    if (error instanceof ServiceError || isPassing(error)) throw error;
    deps.log.error({ err: error }, "failed to reprocess an inbound receipt");
    throw new ServiceError("inbound_processing_failed", { detail: "Processing failed on our side. Try again later." });
  }
}
