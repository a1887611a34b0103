import type { PersonalData } from "../../contacts/contacts.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { isPassing, minUuidAt, paginate, parseJson, ServiceError, toDate, uuidTime, wireId } from "../../lib/lib.ts";
import type { Clock, Page, Sealer, Uuid } from "../../lib/lib.ts";
import type { AttentionParts, Capped, NewsReader } from "../../insights/insights.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import { ownUuid, scopeOfWorkspace } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { readBody } from "./body.ts";
import { keptHeader } from "./kept-headers.ts";
import { mapContent, NOTHING } from "./mapping.ts";
import type { Mapped } from "./mapping.ts";
import { processEntries, resultColumns } from "./process.ts";
import type { ProcessDeps } from "./process.ts";
import { extractedText, receiptText } from "./receipt-view.ts";
import * as store from "./receipts.store.ts";
import type { ReceiptChange, ReceiptRow, ReceiptStatus } from "./receipts.store.ts";
import { signedHeadersOf } from "./verifier.ts";
import { sourceOf } from "./source.ts";
import type { Source } from "./source.ts";
import { findSource } from "./sources.store.ts";

export interface ReceiptQuery {
  readonly status?: ReceiptStatus;
  readonly source_id?: string;
  readonly contact_id?: string;
  readonly created_after?: string;
  readonly created_before?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

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

export interface ReceiptsDeps extends ProcessDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly sealer: Sealer;
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
      const count = async (status: ReceiptStatus): Promise<Capped> => {
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
      async () => await deps.db.transaction(async (tx) => await processAgain(deps, tx, scope, id)),
    );
  } catch (error) {
    if (error instanceof ServiceError || isPassing(error)) throw error;
    deps.log.error({ err: error }, "failed to reprocess an inbound receipt");
    throw new ServiceError("inbound_processing_failed", { detail: "Processing failed on our side. Try again later." });
  }
}

async function processAgain(deps: ReceiptsDeps, tx: Tx, scope: Scope, id: Uuid): Promise<ReceiptRow> {
  const receipt = await store.holdReceipt(tx, scope, id);
  if (receipt === undefined) throw new ServiceError("not_found");
  assertReprocessable(receipt);
  const sourceRow = await findSource(tx.query, scope, receipt.source_id);
  if (sourceRow === undefined) throw new ServiceError("conflict", { detail: "The source of the receipt was deleted." });
  const source = sourceOf(deps.sealer, sourceRow, deps.clock.now());
  const header = keptHeader(receipt.headers);
  const read = await readBody(header("content-type"), receipt.body);
  const isSigned = signedHeadersOf(source.scheme);
  const mapped = mapContent(source.mapping, { body: receipt.body, read, header, tenant: source.tenant, isSigned });
  const found = {
    extracted: extractedText(mapped.extracted),
    event_type: mapped.extracted.event_type,
    reprocessed_at: toDate(deps.clock.now()),
  };
  const change: ReceiptChange =
    mapped.kind === "mapped"
      ? await changeBy(deps, tx, { receipt, source, mapped })
      : { status: "unmapped", reason_code: mapped.code, reason: mapped.reason };
  return await store.changeReceipt(tx.query, receipt, { ...found, ...change });
}

function assertReprocessable({ status, signed }: ReceiptRow): void {
  if (status !== "unmapped" && status !== "error") {
    throw new ServiceError("conflict", {
      detail: `Only an unmapped or error receipt can be reprocessed; this one is ${status}.`,
    });
  }
  if (!signed) {
    throw new ServiceError("conflict", {
      detail: "The signature of the receipt was not valid. Ask the sender to send the event again.",
    });
  }
}

interface Again {
  readonly receipt: ReceiptRow;
  readonly source: Source;
  readonly mapped: Mapped;
}

async function changeBy(deps: ReceiptsDeps, tx: Tx, { receipt, source, mapped }: Again): Promise<ReceiptChange> {
  const none = { reason_code: null, reason: null };
  // Without a key, only the bytes show that the sender's retry has been accepted in the time since.
  const twin =
    mapped.dedupe.id === null && mapped.dedupe.proofs.length === 0
      ? await store.laterTwin(tx.query, receipt)
      : undefined;
  if (twin !== undefined) return { status: "duplicate", duplicate_of: twin, ...none };
  const entry = { source, receiptId: receipt.id, receivedAt: uuidTime(receipt.id), mapped };
  const [done] = await processEntries(deps, tx, [entry]);
  if (done === undefined) throw new Error("one entry was processed without a result");
  return { status: done.status, ...resultColumns(done), ...none };
}
