import { StatusLight } from "../../ui/ui.ts";
import type { Tone } from "../../ui/ui.ts";

interface Words {
  readonly tone: Tone;
  readonly word: string;
  /** Explains what happened, and what to do. */
  readonly means: string;
}

const WORDS: Readonly<Record<string, Words>> = {
  ok: { tone: "good", word: "Accepted", means: "The request created an activity on the contact's timeline." },
  duplicate: { tone: "neutral", word: "Duplicate", means: "The sender sent this event before. It is counted once." },
  unmapped: {
    tone: "warn",
    word: "Unmapped",
    means: "The mapping found no contact in the request. Fix the source's mapping, then reprocess the receipt.",
  },
  error: { tone: "bad", word: "Error", means: "The request was not accepted, and the sender received an error." },
};

export function receiptWords(status: string): Words {
  return WORDS[status] ?? { tone: "neutral", word: status, means: "" };
}

export function ReceiptLight({ status }: { readonly status: string }) {
  const { tone, word } = receiptWords(status);
  return <StatusLight tone={tone}>{word}</StatusLight>;
}
