import { StatusLight } from "../ui/ui.ts";
import type { Tone } from "../ui/ui.ts";

/** Word and look of a state. */
interface Words {
  readonly tone: Tone;
  readonly word: string;
}

const DELIVERY: Readonly<Record<string, Words>> = {
  delivered: { tone: "good", word: "Delivered" },
  failed: { tone: "bad", word: "Failed" },
  cancelled: { tone: "neutral", word: "Cancelled" },
  filtered: { tone: "neutral", word: "Filtered" },
};

/** A delivery's state by icon, colour and word. */
export function DeliveryLight({ delivery }: { readonly delivery: { state: string; attempt_count?: number } }) {
  const { tone, word } = deliveryWords(delivery);
  return <StatusLight tone={tone}>{word}</StatusLight>;
}

/** An HTTP status; green, amber or red by its class. */
export function StatusCode({ code }: { readonly code: number }) {
  const tone = code < 300 ? "text-good" : code < 500 ? "text-warn" : "text-bad";
  return <span className={`tabular font-mono text-xs font-medium ${tone}`}>{code}</span>;
}

function deliveryWords({ state, attempt_count: attempts }: { state: string; attempt_count?: number }): Words {
  const known = DELIVERY[state];
  if (known !== undefined) return known;
  return (attempts ?? 0) === 0 ? { tone: "neutral", word: "Pending" } : { tone: "warn", word: "Retrying" };
}
