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
    means: "The mapping could not read the request. Fix the source's mapping, then reprocess the receipt.",
  },
  error: { tone: "bad", word: "Error", means: "The request was not accepted, and the sender received an error." },
};
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
