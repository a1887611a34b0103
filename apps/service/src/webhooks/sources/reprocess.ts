import { orNotFound, ServiceError, toDate, uuidTime } from "../../lib/lib.ts";
import type { Clock, Sealer, Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Tx } from "../../platform/db/db.ts";
import { isRead, readBody } from "./body.ts";
import { elementOnces } from "./element-proofs.ts";
import { itemOf, listColumns, readList } from "./items.ts";
import type { Item } from "./items.ts";
import { keptHeader } from "./kept-headers.ts";
import { mapRequest } from "./map-request.ts";
import type { MappedList } from "./map-request.ts";
import { NOTHING } from "./mapping.ts";
import type { Mapped, Unmapped } from "./mapping.ts";
import { processEntries, resultColumns } from "./process-inbound.ts";
import type { Entry, ProcessDeps, Processed } from "./process-inbound.ts";
import { extractedText } from "./receipt-view.ts";
import * as store from "./receipts.store.ts";
import type { ReceiptChange, ReceiptRow } from "./receipts.store.ts";
import { signedBytes } from "./signed-bytes.ts";
import { sourceOf } from "./source.ts";
import type { Source } from "./source.ts";
import { findSource } from "./sources.store.ts";
import { signedHeadersOf } from "./verifier.ts";

export interface ReprocessDeps extends ProcessDeps {
  readonly clock: Clock;
  readonly sealer: Sealer;
}

/**
 * Processes an unmapped or failed receipt again, or those elements of its list that could not be mapped (contract, section
 * 13), in the caller's transaction.
 */
export async function reprocessed(deps: ReprocessDeps, tx: Tx, scope: Scope, id: Uuid): Promise<ReceiptRow> {
  const receipt = orNotFound(await store.holdReceipt(tx, scope, id));
  assertReprocessable(receipt);
  const sourceRow = await findSource(tx.query, scope, receipt.source_id);
  if (sourceRow === undefined) throw new ServiceError("conflict", { detail: "The source of the receipt was deleted." });
  const source = sourceOf(deps.sealer, sourceRow, deps.clock.now());
  const { outcome, readAs } = await mappedAgain(receipt, source);
  const change = await changeBy(deps, tx, { receipt, source, outcome });
  const reprocessedAt = toDate(deps.clock.now());
  return await store.changeReceipt(tx.query, receipt, { ...change, read_as: readAs, reprocessed_at: reprocessedAt });
}

async function mappedAgain(
  receipt: ReceiptRow,
  source: Source,
): Promise<{ readonly outcome: Again["outcome"]; readonly readAs: string }> {
  const { id, mapping, scheme, tenant, charset } = source;
  const kept = { body: receipt.body, header: keptHeader(receipt.headers) };
  const signed = await signedBytes(scheme, kept, id);
  const { body, header } = "code" in signed ? kept : signed;
  const read = await readBody({ body, header, charset });
  const json = isRead(read) ? read : undefined;
  const sent = {
    method: "POST",
    url: "",
    header,
    body,
    head: () => json,
    json: async () => await Promise.resolve(json),
  };
  const onces = await elementOnces(source, sent);
  const content = { body, read, header, tenant, once: receipt.proof, onces, isSigned: signedHeadersOf(scheme) };
  return { outcome: await mapRequest(mapping, content), readAs: JSON.stringify(read.as) };
}

function assertReprocessable({ status, signed, items }: ReceiptRow): void {
  const hasUnmapped = items !== null && readList(items).items.some((item) => item.status === "unmapped");
  if (status !== "unmapped" && status !== "error" && !hasUnmapped) {
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
  readonly outcome: Mapped | Unmapped | MappedList;
}

async function changeBy(deps: ReprocessDeps, tx: Tx, again: Again): Promise<ReceiptChange> {
  const { receipt, outcome } = again;
  const before = doneBefore(receipt, outcome);
  const parts = partsOf(outcome);
  const results = await processParts(deps, tx, again, before);
  const first = parts[0]?.extracted ?? NOTHING;
  const found = { extracted: extractedText(first), event_type: first.event_type };
  if (outcome.kind === "list") {
    const items = parts.map((part, at) => before[at] ?? itemOf(part, results.get(at)));
    return { ...found, ...listColumns({ each: outcome.each, items }) };
  }
  const none = { items: null, refs: null };
  if (outcome.kind === "unmapped")
    return { ...found, ...none, status: "unmapped", reason_code: outcome.code, reason: outcome.reason };
  const [processed] = results.values();
  if (processed === undefined) throw new Error("one entry was processed without a result");
  const { status } = processed;
  return { ...found, ...none, status, reason_code: null, reason: null, ...resultColumns(processed) };
}

function partsOf(outcome: Again["outcome"]): readonly (Mapped | Unmapped)[] {
  return outcome.kind === "list" ? outcome.items : [outcome];
}

/**
 * Returns the elements that are done, by position: those of the earlier processing that were mapped. Throws 409 if the source
 * reads another list now, in which positions mean other elements.
 */
function doneBefore({ items }: ReceiptRow, outcome: Mapped | Unmapped | MappedList): (Item | undefined)[] {
  if (items === null) return [];
  const list = readList(items);
  const done = list.items.map((item) => (item.status === "unmapped" ? undefined : item));
  if (done.every((item) => item === undefined)) return [];
  if (outcome.kind === "list" && outcome.each === list.each) return done;
  throw new ServiceError("conflict", {
    detail: `Other elements of this receipt were processed with each ${list.each}. Set it so, then reprocess the receipt.`,
  });
}

/** Processes the parts that are not done. Returns the results by position. */
async function processParts(
  deps: ReprocessDeps,
  tx: Tx,
  { receipt, source, outcome }: Again,
  before: readonly (Item | undefined)[],
): Promise<Map<number, Processed>> {
  const entries = partsOf(outcome).flatMap((mapped, position): Entry[] => {
    if (mapped.kind !== "mapped" || before[position] !== undefined) return [];
    return [{ source, receiptId: receipt.id, position, receivedAt: uuidTime(receipt.id), mapped }];
  });
  // Without a key, only the bytes show that the sender's retry has been accepted in the time since.
  const isKeyless = ({ mapped: { dedupe } }: Entry): boolean => Object.values(dedupe).every((key) => key === null);
  const twin = entries.some(isKeyless) ? await twinOf(tx, receipt, source) : undefined;
  const repeated = twin === undefined ? [] : entries.filter(isKeyless);
  const fresh = entries.filter((entry) => !repeated.includes(entry));
  const results = await processEntries(deps, tx, fresh);
  const byPosition = new Map<number, Processed>();
  for (const [at, result] of results.entries()) byPosition.set(fresh[at]?.position ?? 0, result);
  if (twin !== undefined)
    for (const { position } of repeated) byPosition.set(position, { status: "duplicate", of: twin });
  return byPosition;
}

/** The receipts that are compared without their coding: a sender's retry comes among the next requests. */
const TWINS = { limit: 10, most: 200 };
/** The bytes that a coding can add to a small body. */
const CODING_BYTES = 1024;

/** Where the sender signs the bytes within a coding, its retry may be coded in another way, and is compared without it. */
async function twinOf(tx: Tx, receipt: ReceiptRow, source: Source): Promise<Uuid | undefined> {
  const exact = await store.laterTwin(tx.query, receipt);
  if (exact !== undefined || !("over" in source.scheme) || source.scheme.over !== "plain") return exact;
  const plain = await plainBody(receipt, source);
  const maxBytes = plain.length + CODING_BYTES;
  let after = receipt.id;
  for (let compared = 0; compared < TWINS.most; compared += TWINS.limit) {
    const page = await store.nextAccepted(tx.query, receipt, { after, maxBytes, limit: TWINS.limit });
    for (const one of page) if ((await plainBody(one, source)).equals(plain)) return one.id;
    after = page.at(-1)?.id ?? after;
    if (page.length < TWINS.limit) break;
  }
  return undefined;
}

async function plainBody({ body, headers }: Pick<ReceiptRow, "body" | "headers">, source: Source): Promise<Buffer> {
  const signed = await signedBytes(source.scheme, { body, header: keptHeader(headers) }, source.id);
  return "code" in signed ? body : signed.body;
}
