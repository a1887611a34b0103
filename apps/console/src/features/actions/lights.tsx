import { StatusLight } from "../../ui/ui.ts";
import { proposalWords, runWords } from "./states.ts";

export function ProposalLight({ state }: { readonly state: string }) {
  const { tone, word } = proposalWords(state);
  return <StatusLight tone={tone}>{word}</StatusLight>;
}

export function RunLight({ status }: { readonly status: string }) {
  const { tone, word } = runWords(status);
  return <StatusLight tone={tone}>{word}</StatusLight>;
}
