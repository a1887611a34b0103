import { isUtf8 } from "node:buffer";
import { environmentOf, fromDate, parseJson, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import type { IdPrefix, Uuid } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { isRead } from "./body.ts";
import type { Extracted } from "./mapping.ts";
import type { Preview } from "./sources.ts";
import type { ReceiptHead, ReceiptRow } from "./receipts.store.ts";

/** Returns the extracted values as JSON text. The value keeps all of its digits. */
export function extractedText({ value, ...rest }: Extracted): string {
  return `${JSON.stringify(rest).slice(0, -1)},"value":${value ?? "null"}}`;
}

/** Returns the response of a preview as JSON text. */
export function previewText({ outcome, event, read }: Preview): string {
  const head = {
    object: "inbound_preview",
    status: outcome.kind === "mapped" ? "ok" : "unmapped",
    reason_code: outcome.kind === "mapped" ? null : outcome.code,
    reason: outcome.kind === "mapped" ? null : outcome.reason,
    event,
  };
  return `${JSON.stringify(head).slice(0, -1)},"extracted":${extractedText(outcome.extracted)},"payload":${isRead(read) ? read.text : "null"}}`;
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
    payload_bytes: row.body_bytes,
    reprocessed_at: row.reprocessed_at === null ? null : toRfc3339(fromDate(row.reprocessed_at)),
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
