import { StatusLight } from "../../../ui/ui.ts";
import type { Tone } from "../../../ui/ui.ts";

const WORDS: Readonly<Record<string, readonly [tone: Tone, word: string]>> = {
  waiting: ["warn", "Waiting"],
  succeeded: ["good", "Succeeded"],
  failed: ["bad", "Failed"],
  cancelled: ["neutral", "Cancelled"],
};

export const CALL_STATES = Object.entries(WORDS).map(([value, [, label]]) => ({ value, label }));

/** The state of an HTTP call by icon, color and word. */
export function CallLight({ state }: { readonly state: string }) {
  const [tone, word] = WORDS[state] ?? ["neutral", state];
  return <StatusLight tone={tone}>{word}</StatusLight>;
}
