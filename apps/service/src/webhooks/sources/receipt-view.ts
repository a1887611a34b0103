import { isUtf8 } from "node:buffer";
import { environmentOf, parseJson, timeText, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import type { IdPrefix, Uuid } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { isRead } from "./body.ts";
import { inboundEventName } from "./event-name.ts";
import { itemViews, reasonOfAll } from "./items.ts";
import type { MappedList } from "./map-request.ts";
import { NOTHING } from "./mapping.ts";
import type { Extracted, Mapped, Unmapped } from "./mapping.ts";
import type { Preview } from "./sources.ts";
import type { ReceiptHead, ReceiptRow } from "./receipts.store.ts";

/** Returns the extracted values as JSON text. The value keeps all of its digits. */
export function extractedText({ value, ...rest }: Extracted): string {
  return `${JSON.stringify(rest).slice(0, -1)},"value":${value ?? "null"}}`;
}

/** Returns the response of a preview as JSON text. The values of a list are those of its first element. */
export function previewText({ outcome, eventName, read, warnings }: Preview): string {
  const how = JSON.stringify({ read: read.as, warnings }).slice(1, -1);
  const payload = `${how},"payload":${isRead(read) ? read.text : "null"}}`;
  if (outcome.kind !== "list")
    return `{"object":"inbound_preview",${partText(outcome, eventName).slice(1, -1)},"items":null,${payload}`;
  const texts = outcome.items.map((part) => partText(part, eventName));
  return `${listText(outcome, eventName).slice(0, -1)},"items":[${texts.join(",")}],${payload}`;
}

function listText({ items }: MappedList, eventName: string | null): string {
  const failed = items.filter((part) => part.kind === "unmapped");
  const [first] = items;
  const head = {
    object: "inbound_preview",
    status: failed.length < items.length || items.length === 0 ? "ok" : "unmapped",
    reason_code: failed[0]?.code ?? null,
    reason: reasonOfAll(failed, items.length),
    event: first === undefined ? null : eventOf(first, eventName),
    compared_by: first === undefined ? [] : comparedBy(first),
  };
  return `${JSON.stringify(head).slice(0, -1)},"extracted":${extractedText(first?.extracted ?? NOTHING)}}`;
}

function partText(part: Mapped | Unmapped, eventName: string | null): string {
  const isMapped = part.kind === "mapped";
  const head = {
    status: isMapped ? "ok" : "unmapped",
    reason_code: isMapped ? null : part.code,
    reason: isMapped ? null : part.reason,
    event: eventOf(part, eventName),
    compared_by: comparedBy(part),
  };
  return `${JSON.stringify(head).slice(0, -1)},"extracted":${extractedText(part.extracted)}}`;
}

/** Names what an event is compared by: the sender's id of it, its body, or both if the sender does not sign the id. */
function comparedBy(part: Mapped | Unmapped): string[] {
  return part.kind === "mapped" ? (["id", "body"] as const).filter((name) => part.dedupe[name] !== null) : [];
}

function eventOf(part: Mapped | Unmapped, eventName: string | null): string | null {
  return part.kind === "mapped" ? (eventName ?? inboundEventName(part.extracted.event_type)) : null;
}

/** Returns a receipt as JSON text, with its body if the row has it. */
export function receiptText(scope: Scope, row: ReceiptHead | ReceiptRow): string {
  const id = (prefix: IdPrefix, uuid: Uuid | null): string | null =>
    uuid === null ? null : wireId(prefix, row.tag, uuid);
  // Contacts are the workspace's own.
  const isOfTenant = (scope.tenant ?? null) !== null;
  const head = {
    id: wireId("rcp", row.tag, row.id),
    object: "inbound_receipt",
    source_id: id("src", row.source_id),
    status: row.status,
    reason_code: row.reason_code,
    reason: row.reason,
    signed: row.signed,
    event_type: row.event_type,
    contact_id: isOfTenant ? null : id("con", row.contact_id),
    activity_id: isOfTenant ? null : id("act", row.activity_id),
    event_id: id("evt", row.event_id),
    duplicate_of: id("rcp", row.duplicate_of),
    items: row.items === null ? null : itemViews(row.items, row.tag, isOfTenant),
    payload_bytes: row.body_bytes,
    read: row.read_as === null ? null : parseJson(row.read_as),
    reprocessed_at: timeText(row.reprocessed_at),
    ...scopeFields({ ...scope, environment: environmentOf(row.tag) }),
    created_at: toRfc3339(uuidTime(row.id)),
    ...("body" in row ? payloadOf(row) : {}),
  };
  return `${JSON.stringify(head).slice(0, -1)},"extracted":${row.extracted}}`;
}

/** Returns the body of a receipt. Bytes that are not UTF-8 are shown in base64. */
function payloadOf({ body, body_bytes: bytes, headers }: ReceiptRow): Record<string, unknown> {
  const encoding = isUtf8(body) ? "utf8" : "base64";
  return {
    headers: parseJson(headers),
    raw_payload: body.toString(encoding),
    raw_payload_encoding: encoding,
    raw_payload_truncated: body.length < bytes,
  };
}
