import type { ErrorCode } from "../../lib/lib.ts";
import { itemOf, listColumns } from "./items.ts";
import type { MappedList } from "./map-request.ts";
import { NOTHING } from "./mapping.ts";
import type { Extracted, Mapped, Unmapped } from "./mapping.ts";
import { resultColumns } from "./process-inbound.ts";
import type { Processed } from "./process-inbound.ts";
import type { ReceiptStatus } from "./receipts.store.ts";

/** A request that ends before its mapping, with its response. */
export interface Refused {
  readonly kind: "refused";
  readonly extracted: Extracted;
  readonly signed: boolean;
  readonly code: ErrorCode;
  readonly reason: string;
}

/** A request that only checks the URL. It fires nothing. */
interface Greeting {
  readonly kind: "handshake";
  readonly extracted: Extracted;
  readonly signed: boolean;
}

export type MappingOutcome = Mapped | Unmapped | MappedList | Refused | Greeting;

export function greeted(signed: boolean): Greeting {
  return { kind: "handshake", signed, extracted: NOTHING };
}

export function refusedAs(code: ErrorCode, reason: string): Refused {
  return { kind: "refused", signed: true, code, reason, extracted: NOTHING };
}

export function isUnsigned(outcome: MappingOutcome): boolean {
  return (outcome.kind === "refused" || outcome.kind === "handshake") && !outcome.signed;
}

/** Returns the values of a request. Those of a list are the first element's. */
export function extractedOf(outcome: MappingOutcome): Extracted {
  return outcome.kind === "list" ? (outcome.items[0]?.extracted ?? NOTHING) : outcome.extracted;
}

/** Returns the columns of the receipt. `results` are those of its events. */
export function columnsOf(outcome: MappingOutcome, results: readonly Processed[]) {
  if (outcome.kind === "list") {
    const rest = results.values();
    const items = outcome.items.map((one) => itemOf(one, one.kind === "mapped" ? rest.next().value : undefined));
    return listColumns({ each: outcome.each, items });
  }
  const [processed] = results;
  const { code, reason } = reasonOf(outcome);
  const status = statusOf(outcome, processed);
  return { status, reason_code: code, reason, ...resultColumns(processed), items: null, refs: null };
}

function reasonOf(outcome: Exclude<MappingOutcome, MappedList>): {
  readonly code: string | null;
  readonly reason: string | null;
} {
  if (outcome.kind === "mapped") return { code: null, reason: null };
  return outcome.kind === "handshake" ? { code: "handshake", reason: "The sender checked the URL" } : outcome;
}

function statusOf(outcome: MappingOutcome, processed: Processed | undefined): ReceiptStatus {
  if (processed !== undefined) return processed.status;
  if (outcome.kind === "handshake") return "ok";
  return outcome.kind === "unmapped" ? "unmapped" : "error";
}
