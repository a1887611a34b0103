import type { wire } from "../../api/api.ts";
import { StatusLight } from "../../ui/ui.ts";
import { proposalWords, runWords } from "./states.ts";

export function ProposalLight({ proposal }: { readonly proposal: wire.Proposal }) {
  const { tone, word } = proposalWords(proposal);
  return <StatusLight tone={tone}>{word}</StatusLight>;
}

export function RunLight({ status }: { readonly status: string }) {
  const { tone, word } = runWords(status);
  return <StatusLight tone={tone}>{word}</StatusLight>;
}
