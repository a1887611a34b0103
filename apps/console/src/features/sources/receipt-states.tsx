import { StatusLight } from "../../ui/ui.ts";
import type { Tone } from "../../ui/ui.ts";

interface Words {
  readonly tone: Tone;
  readonly word: string;
  /** Explains what happened, and what to do. */
  readonly means: string;
}

const WORDS: Readonly<Record<string, Words>> = {
  ok: { tone: "good", word: "Accepted", means: "The request fired an event." },
  duplicate: { tone: "neutral", word: "Duplicate", means: "The sender sent this event before. It is counted once." },
  unmapped: {
    tone: "warn",
    word: "Unmapped",
    means: "The source's mapping could not read the request. Fix the mapping, then reprocess the receipt.",
  },
  error: { tone: "bad", word: "Error", means: "The request was not accepted, and the sender received an error." },
};

const HANDSHAKE: Words = {
  tone: "neutral",
  word: "URL checked",
  means: "The sender checked the URL, and the service answered. No event was fired.",
};

/** The result of a receipt or of a preview. */
export interface Result {
  readonly status: string;
  readonly reason_code?: string | null;
}

/** True for a request with which the sender checked the URL. */
export function isHandshake({ status, reason_code: reason }: Result): boolean {
  return status === "ok" && reason === "handshake";
}

export function receiptWords(result: Result): Words {
  if (isHandshake(result)) return HANDSHAKE;
  const { status } = result;
  return WORDS[status] ?? { tone: "neutral", word: status, means: "" };
}

export function ReceiptLight({ of }: { readonly of: Result }) {
  const { tone, word } = receiptWords(of);
  return <StatusLight tone={tone}>{word}</StatusLight>;
}
