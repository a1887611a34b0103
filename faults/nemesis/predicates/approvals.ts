import type { Effect, Facts } from "../facts.ts";
import type { EndProposal, Hit } from "../history.ts";
import { seconds } from "./predicate.ts";
import type { Predicate } from "./predicate.ts";

interface BackendBody {
  readonly run_id: string;
  readonly proposal_id: string | null;
  readonly parameters: { readonly n?: number };
}

export const approvals: Predicate = {
  name: "approvals",
  promise:
    "An action runs at most once, only after an approval and never after a rejection, with the parameters that were approved; an answered decision stays",
  broken(facts) {
    const calls = Map.groupBy(facts.backend, (hit) => bodyOf(hit).proposal_id ?? "");
    return [
      ...[...calls].flatMap(([proposal, hits]) => faultsOfCalls(facts, proposal, hits)),
      ...facts.end.proposals.flatMap((proposal) => faultsOfEnd(facts, proposal, calls.get(proposal.id) ?? [])),
    ];
  },
};

function faultsOfCalls(facts: Facts, proposal: string, hits: readonly Hit[]): string[] {
  const [first] = hits;
  if (first === undefined) return [];
  const approved = decisions(facts, "approve", proposal).some(({ startMs }) => startMs <= first.startMs);
  const rejected = decisions(facts, "reject", proposal).some(({ outcome }) => outcome === "done");
  const end = facts.end.proposals.find(({ id }) => id === proposal);
  const isOther = end !== undefined && hits.some((hit) => bodyOf(hit).parameters.n !== end.parameters.n);
  return [
    ...(hits.length > 1 ? [`the backend of ${proposal} was called ${hits.length} times`] : []),
    ...(approved ? [] : [`${proposal} ran at ${seconds(first.startMs)} without an approval`]),
    ...(rejected ? [`${proposal} ran although it was rejected`] : []),
    ...(isOther ? [`${proposal} ran with other parameters`] : []),
  ];
}

const ENDS_OF_APPROVED: ReadonlySet<string> = new Set(["executed", "failed"]);

function faultsOfEnd(facts: Facts, { id, state }: EndProposal, hits: readonly Hit[]): string[] {
  const isDone = (op: "approve" | "reject"): boolean =>
    decisions(facts, op, id).some(({ outcome }) => outcome === "done");
  const [approved, rejected] = [isDone("approve"), isDone("reject")];
  const faults: readonly (readonly [is: boolean, fault: string])[] = [
    [approved && rejected, `${id} was both approved and rejected`],
    [approved && !ENDS_OF_APPROVED.has(state), `${id} was approved and is ${state} in the end`],
    [rejected && state !== "rejected", `${id} was rejected and is ${state} in the end`],
    [state === "executed" && hits.length === 0, `${id} is executed, but its backend was not called`],
    [state === "executing" || state === "approved", `${id} is still ${state} in the end`],
  ];
  return faults.filter(([is]) => is).map(([, fault]) => fault);
}

function decisions({ effects }: Facts, op: "approve" | "reject", proposal: string): Effect[] {
  return effects.filter(
    ({ operation, outcome }) => operation.op === op && operation.proposal === proposal && outcome !== "refused",
  );
}

function bodyOf({ body }: Hit): BackendBody {
  return JSON.parse(body) as BackendBody;
}
