import { NIL_UUID } from "../../lib/lib.ts";
import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { arrayText, bulk, columnOf, definePart, newestFirst, ofTenant, pageRows, sql } from "../../platform/db/db.ts";
import type { HotStatement, Query, RawBuilder, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import { newsOf, tellOf } from "../../insights/insights.ts";

export type ReceiptRow = Selectable<Tables["inbound_receipt"]>;
/** A receipt without what its list does not show: its body may have 1 MiB. */
export type ReceiptHead = Pick<ReceiptRow, (typeof HEAD)[number]>;
export type ReceiptStatus = "ok" | "error" | "duplicate" | "unmapped";

/** An element of a receipt, or 0 for the whole request. */
export interface SeenBy {
  readonly receiptId: Uuid;
  readonly item: number;
}

/** The receipt is the one that becomes the first if there is none. */
export interface SeenAsk extends TenantKey, SeenBy {
  readonly sourceId: Uuid;
  readonly keyHash: Buffer;
}

/**
 * Hot. Returns for each key who had it first: the given one, unless the key was seen before. The key is
 * locked until the transaction ends, so that one of several simultaneous copies continues and the others find it. No
 * key may be in one statement twice.
 */
const CLAIM: HotStatement = {
  name: "inbound_seen_claim",
  text: `with asked as (select * from unnest($1::smallint[], $2::text[], $3::uuid[], $4::bytea[], $5::uuid[], $6::smallint[])
      with ordinality as a (bucket, tag, source_id, key_hash, receipt_id, item, at)),
    kept as (insert into inbound_seen (bucket, tag, source_id, key_hash, receipt_id, item)
      select bucket, tag, source_id, key_hash, receipt_id, item from asked order by bucket, tag, source_id, key_hash
      on conflict (bucket, tag, source_id, key_hash) do update set receipt_id = inbound_seen.receipt_id
      returning bucket, tag, source_id, key_hash, receipt_id, item)
    select k.receipt_id as "receiptId", k.item from asked a join kept k using (bucket, tag, source_id, key_hash) order by a.at`,
};

export async function claimSeen(tx: Tx, asks: readonly SeenAsk[]): Promise<SeenBy[]> {
  if (asks.length === 0) return [];
  return await tx.hot<SeenBy>(CLAIM, [
    columnOf.smallint(asks, (ask) => ask.bucket),
    columnOf.text(asks, (ask) => ask.tag),
    columnOf.uuid(asks, (ask) => ask.sourceId),
    columnOf.bytea(asks, (ask) => ask.keyHash),
    columnOf.uuid(asks, (ask) => ask.receiptId),
    columnOf.smallint(asks, (ask) => ask.item),
  ]);
}

export type ReceiptInsert = Omit<ReceiptRow, "status" | "reprocessed_at"> & { readonly status: ReceiptStatus };

/** Writes receipts. Hot. */
export const receiptPart = definePart<ReceiptInsert>({
  name: "receipt",
  columns: [
    bulk("bucket", "smallint", (row) => row.bucket),
    bulk("tag", "text", (row) => row.tag),
    bulk("id", "uuid", (row) => row.id),
    bulk("source_id", "uuid", (row) => row.source_id),
    bulk("status", "text", (row) => row.status),
    bulk("reason_code", "text", (row) => row.reason_code),
    bulk("reason", "text", (row) => row.reason),
    bulk("extracted", "text", (row) => row.extracted),
    bulk("event_type", "text", (row) => row.event_type),
    bulk("contact_id", "uuid", (row) => row.contact_id),
    bulk("activity_id", "uuid", (row) => row.activity_id),
    bulk("event_id", "uuid", (row) => row.event_id),
    bulk("duplicate_of", "uuid", (row) => row.duplicate_of),
    bulk("signed", "boolean", (row) => row.signed),
    bulk("headers", "text", (row) => row.headers),
    bulk("body", "bytea", (row) => row.body),
    bulk("body_bytes", "int", (row) => row.body_bytes),
    bulk("items", "text", (row) => row.items),
    bulk("refs", "text", (row) => arrayText(row.refs), "uuid[]"),
    bulk("proof", "bytea", (row) => row.proof),
    bulk("read_as", "text", (row) => row.read_as),
  ],
  text: ({ rows, names, selected }) => `receipts as (insert into inbound_receipt (${names})
      select ${selected("r")} from ${rows("r")} returning bucket, tag, id),
    ${newsOf("receipt", "receipts")}`,
});

/** An environment, or what one tenant's key may see of it: the receipts of the tenant's sources. */
export interface ReceiptPlace extends TenantKey {
  readonly tenant?: string | null;
}

export interface ReceiptFilter {
  readonly status?: ReceiptStatus | undefined;
  readonly sourceId?: Uuid | undefined;
  readonly contactId?: Uuid | undefined;
  readonly from?: Uuid | undefined;
  readonly to?: Uuid | undefined;
  readonly before?: Uuid | undefined;
}

const HEAD = [
  "bucket",
  "tag",
  "id",
  "source_id",
  "status",
  "reason_code",
  "reason",
  "extracted",
  "event_type",
  "contact_id",
  "activity_id",
  "event_id",
  "duplicate_of",
  "signed",
  "body_bytes",
  "items",
  "read_as",
  "reprocessed_at",
] as const;

/** Lists receipts, newest first. */
export async function listReceipts(
  query: Query,
  place: ReceiptPlace,
  filter: ReceiptFilter,
  limit: number,
): Promise<ReceiptHead[]> {
  let rows = query.selectFrom("inbound_receipt").select(HEAD).$call(ofTenant(place)).where(isVisible(place));
  if (filter.status !== undefined) rows = rows.where(hasStatus(filter.status));
  if (filter.sourceId !== undefined) rows = rows.where("source_id", "=", filter.sourceId);
  if (filter.contactId !== undefined) rows = rows.where(isOfContact(filter.contactId));
  return await pageRows(query, rows.$call(newestFirst(filter)), { limit, large: ["extracted", "reason", "items"] });
}

/** A list with an element that cannot be mapped counts as unmapped too, although its status is that of the others. */
function hasStatus(status: ReceiptStatus): RawBuilder<boolean> {
  return status === "unmapped"
    ? sql<boolean>`(status = 'unmapped' or (status = 'ok' and items is not null and reason_code is not null))`
    : sql<boolean>`status = ${status}`;
}

/** The contact of the request, or of an element of its list. */
function isOfContact(id: Uuid): RawBuilder<boolean> {
  return sql<boolean>`(contact_id = ${id} or refs @> array[${id}::uuid])`;
}

/** Returns the condition for the receipts that the place shows. The sources of a tenant include those that were deleted. */
function isVisible({ bucket, tag, tenant }: ReceiptPlace): RawBuilder<boolean> {
  if ((tenant ?? null) === null) return sql<boolean>`true`;
  return sql<boolean>`source_id in (select s.id from inbound_source s
    where s.bucket = ${bucket} and s.tag = ${tag} and s.tenant = ${tenant})`;
}

export async function receiptsById(query: Query, place: ReceiptPlace, ids: readonly Uuid[]): Promise<ReceiptHead[]> {
  return await query
    .selectFrom("inbound_receipt")
    .select(HEAD)
    .$call(ofTenant(place))
    .where(isVisible(place))
    .where("id", "in", [...ids])
    .execute();
}

/** Counts receipts that need attention, up to `most`. */
export async function countReceipts(
  query: Query,
  { bucket, tag }: TenantKey,
  status: "error" | "unmapped",
  most: number,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from (select 1 from inbound_receipt
    where bucket = ${bucket} and tag = ${tag} and ${hasStatus(status)} limit ${most}) r`.execute(query);
  return rows[0]?.n ?? 0;
}

export async function findReceipt(query: Query, place: ReceiptPlace, id: Uuid): Promise<ReceiptRow | undefined> {
  return await query
    .selectFrom("inbound_receipt")
    .selectAll()
    .$call(ofTenant(place))
    .where(isVisible(place))
    .where("id", "=", id)
    .executeTakeFirst();
}

/**
 * Locks the receipt until the transaction ends. Another transaction that reprocesses it waits, and then finds its
 * result.
 */
export async function holdReceipt(tx: Tx, place: ReceiptPlace, id: Uuid): Promise<ReceiptRow | undefined> {
  return await tx.query
    .selectFrom("inbound_receipt")
    .selectAll()
    .$call(ofTenant(place))
    .where(isVisible(place))
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
}

/** Returns a later receipt of the source that was accepted with the same bytes, which is the sender's own retry. */
export async function laterTwin(query: Query, receipt: ReceiptRow): Promise<Uuid | undefined> {
  const row = await acceptedAfter(query, receipt)
    .select("id")
    .where("body_bytes", "=", receipt.body_bytes)
    .where("body", "=", receipt.body)
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** Returns the next receipts that were accepted with a body of at most this size, which may be the sender's own retries. */
export async function nextAccepted(
  query: Query,
  receipt: ReceiptRow,
  page: { readonly after: Uuid; readonly maxBytes: number; readonly limit: number },
): Promise<Pick<ReceiptRow, "id" | "body" | "headers">[]> {
  return await acceptedAfter(query, receipt)
    .select(["id", "body", "headers"])
    .where("id", ">", page.after)
    .where("body_bytes", "<=", page.maxBytes)
    .orderBy("id")
    .limit(page.limit)
    .execute();
}

function acceptedAfter(query: Query, receipt: ReceiptRow) {
  return query
    .selectFrom("inbound_receipt")
    .$call(ofTenant(receipt))
    .where("source_id", "=", receipt.source_id)
    .where("id", ">", receipt.id)
    .where("status", "=", "ok");
}

export type ReceiptChange = Partial<
  Pick<
    ReceiptRow,
    | "reason_code"
    | "reason"
    | "extracted"
    | "event_type"
    | "contact_id"
    | "activity_id"
    | "event_id"
    | "duplicate_of"
    | "items"
    | "refs"
    | "reprocessed_at"
    | "read_as"
  >
> & { readonly status: ReceiptStatus };

export async function changeReceipt(
  query: Query,
  { bucket, tag, id }: TenantKey & { readonly id: Uuid },
  change: ReceiptChange,
): Promise<ReceiptRow> {
  await tellOf(query, "receipt", { bucket, tag, id });
  return await query
    .updateTable("inbound_receipt")
    .set(change)
    .$call(ofTenant({ bucket, tag }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Returns a contact's receipts and their duplicates, oldest first, up to the limit. */
export async function receiptsOfContacts(
  query: Query,
  place: TenantKey,
  contactIds: readonly Uuid[],
  page: { after: Uuid | undefined; limit: number },
): Promise<ReceiptRow[]> {
  const { rows } = await sql<ReceiptRow>`with ${ofContacts(place, contactIds)}
    select r.* from inbound_receipt r where r.bucket = ${place.bucket} and r.tag = ${place.tag} and r.id in (select id from theirs)
      and r.id > ${page.after ?? NIL_UUID} order by r.id limit ${page.limit}`.execute(query);
  return rows;
}

/** Removes the person's data from the contact's receipts and their duplicates. The receipts and their times stay. */
export async function eraseReceipts(
  tx: Tx,
  place: TenantKey,
  contactIds: readonly Uuid[],
  extracted: string,
): Promise<void> {
  await sql`with ${ofContacts(place, contactIds)}
    update inbound_receipt r set body = '', headers = '{}', extracted = ${extracted}, event_type = null, contact_id = null,
      items = null, refs = null, reason_code = 'erased', reason = 'The contact was erased'
    where r.bucket = ${place.bucket} and r.tag = ${place.tag} and r.id in (select id from theirs)`.execute(tx.query);
}

/** Selects the receipts with an index look-up each, because an `or` would read every receipt of the workspace. */
function ofContacts({ bucket, tag }: TenantKey, contactIds: readonly Uuid[]): RawBuilder<unknown> {
  const here = sql`r.bucket = ${bucket} and r.tag = ${tag}`;
  return sql`mine as materialized (
      select r.id from inbound_receipt r where ${here} and r.contact_id = any(${[...contactIds]})
      union select r.id from inbound_receipt r where ${here} and r.refs && ${[...contactIds]}::uuid[]),
    theirs as materialized (select id from mine
      union select r.id from inbound_receipt r join mine on r.duplicate_of = mine.id where ${here}
      union select r.id from inbound_receipt r where ${here} and r.refs && (select array_agg(id) from mine))`;
}
