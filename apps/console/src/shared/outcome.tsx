import { StatusLight } from "../ui/ui.ts";
import type { Tone } from "../ui/ui.ts";
import { proposalWords, runWords } from "../features/actions/states.ts";

export function ProposalLight({ state }: { readonly state: string }) {
  const { tone, word } = proposalWords(state);
  return <StatusLight tone={tone}>{word}</StatusLight>;
}

export function RunLight({ status }: { readonly status: string }) {
  const { tone, word } = runWords(status);
  return <StatusLight tone={tone}>{word}</StatusLight>;
}

const TONES: Readonly<Record<string, Tone>> = { ok: "good", executed: "good", refused: "warn", failed: "bad" };

/** How something in the audit or the AI history ended. */
export function Outcome({ status }: { readonly status: string }) {
  return <StatusLight tone={TONES[status] ?? "neutral"}>{status.replaceAll("_", " ")}</StatusLight>;
}
