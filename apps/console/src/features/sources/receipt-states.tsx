import type { wire } from "../../api/api.ts";
import { StatusLight } from "../../ui/ui.ts";
import type { Tone } from "../../ui/ui.ts";

interface Words {
  readonly tone: Tone;
  readonly word: string;
  /** Explains what happened, and what to do. */
  readonly means: string;
}

/** The members of a receipt or of a preview that describe its result. */
export type Result = Pick<wire.InboundReceipt, "status" | "reason_code"> & { readonly contact_id?: string | null };

const WORDS: Readonly<Record<string, Words>> = {
  ok: {
    tone: "good",
    word: "Accepted",
    means: "The request fired an event and created an activity on the contact's timeline.",
  },
  duplicate: { tone: "neutral", word: "Duplicate", means: "The sender sent this event before. It is counted once." },
  unmapped: {
    tone: "warn",
    word: "Unmapped",
    means: "The request was stored and fired no event. After the fault is removed, reprocess the receipt.",
  },
  error: { tone: "bad", word: "Error", means: "The request was not accepted, and the sender received an error." },
};
/** Says what to do about a reason, in addition to the service's own words. */
const REMEDIES: Readonly<Record<string, string>> = {
  not_json:
    "The bytes do not fit what the headers say. If the sender names no character set, choose it in the source's settings. Otherwise the sender has to change what it sends.",
  data_too_large: "The sender has to send less in one request.",
  list_missing: "Choose the list of events in the mapping, or none if each request is one event.",
  list_too_long: "The sender has to send fewer events in one request.",
  contact_email_unset: "Choose the path of the address in the mapping, or make contacts optional.",
  contact_email_missing: "Choose another path of the address in the mapping, or make contacts optional.",
  contact_email_invalid: "Choose another path of the address in the mapping, or make contacts optional.",
  event_type_missing: "Choose another path of the event type in the mapping, or a default type.",
  too_expensive: "Choose shorter paths in the mapping.",
  signature_invalid: "Compare the secret and the signature scheme in the source's settings with the sender's.",
  inbound_inactive: "Turn the source on in its settings.",
  inbound_processing_failed: "The sender can send the request again.",
  unsupported_media_type: "The sender has to use gzip, deflate, br or zstd, or no compression.",
};

/** Returns what to do about a reason; "" for one without a remedy. */
export function reasonWords(code: string | null): string {
  return REMEDIES[code ?? ""] ?? "";
}

const WITHOUT_CONTACT = "The request fired an event. It has no contact.";
const HANDSHAKE: Words = {
  tone: "good",
  word: "Checked the URL",
  means: "The sender checked the URL and received the response that it needs. No event was fired.",
};

/** Returns true for a request with which the sender only checked the URL. */
export function isHandshake({ reason_code: code }: Pick<Result, "reason_code">): boolean {
  return code === "handshake";
}

export function receiptWords(result: Result): Words {
  if (isHandshake(result)) return HANDSHAKE;
  const words = WORDS[result.status] ?? { tone: "neutral", word: result.status, means: "" };
  return result.status === "ok" && result.contact_id === null ? { ...words, means: WITHOUT_CONTACT } : words;
}

/** Returns a receipt's event type, or what the request was without one. */
export function receiptTitle(receipt: Pick<wire.InboundReceipt, "event_type" | "reason_code" | "status">): string {
  if (isHandshake(receipt)) return "URL check";
  return receipt.event_type ?? (receipt.status === "error" ? "Rejected request" : "Unknown event type");
}

/** Returns why a request has its result. The reason of a URL check would only repeat its state. */
export function receiptReason(receipt: Pick<wire.InboundReceipt, "reason" | "reason_code">): string | null {
  return isHandshake(receipt) ? null : receipt.reason;
}

/** Some senders do not sign the requests with which they check the URL. */
export function signatureWord({ signed, ...receipt }: Pick<wire.InboundReceipt, "signed" | "reason_code">): string {
  if (signed) return "Valid";
  return isHandshake(receipt) ? "Not signed" : "Invalid";
}

export function ReceiptLight({ result }: { readonly result: Result }) {
  const { tone, word } = receiptWords(result);
  return <StatusLight tone={tone}>{word}</StatusLight>;
}
