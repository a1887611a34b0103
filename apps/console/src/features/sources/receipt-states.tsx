import { StatusLight } from "../../ui/ui.ts";
import type { Tone } from "../../ui/ui.ts";

interface Words {
  readonly tone: Tone;
  readonly word: string;
  /** What happened, and what to do. */
  readonly means: string;
}

const WORDS: Readonly<Record<string, Words>> = {
  ok: { tone: "good", word: "Taken", means: "It became an activity on its contact's timeline." },
  duplicate: { tone: "neutral", word: "Duplicate", means: "The sender had sent it before. It counted once." },
  unmapped: {
    tone: "warn",
    word: "Unmapped",
    means: "No contact could be read from it. Mend the source's mapping, then reprocess it.",
  },
  error: { tone: "bad", word: "Refused", means: "It was not taken. The reason says why; the sender was told." },
};

export function receiptWords(status: string): Words {
  return WORDS[status] ?? { tone: "neutral", word: status, means: "" };
}

export function ReceiptLight({ status }: { readonly status: string }) {
  const { tone, word } = receiptWords(status);
  return <StatusLight tone={tone}>{word}</StatusLight>;
}
