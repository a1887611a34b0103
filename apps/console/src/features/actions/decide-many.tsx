import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, isProblem, refresh } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { StepUpDialog } from "../../shared/shared.ts";
import { Button, Dialog, messageOf, StatusLight } from "../../ui/ui.ts";
import { RiskBadge } from "./preview-card.tsx";

type Decision = "approve" | "reject";

/** The answer for one proposal: undefined while it waits for its turn. */
type Result = { readonly state: string } | { readonly error: unknown };

const WORDS = {
  approve: { verb: "Approve", done: "Approved", title: "Approve selected proposals" },
  reject: { verb: "Reject", done: "Rejected", title: "Reject selected proposals" },
} as const;

/** The decision on several proposals, as they were when the person chose them. */
export interface Deciding {
  readonly decision: Decision;
  readonly proposals: readonly wire.Proposal[];
}

interface DecideManyProps extends Deciding {
  readonly onClose: () => void;
}

/** Decides on several proposals. Each is a decision of its own, with its own hash, and has its own answer. */
export function DecideMany({ decision, proposals, onClose }: DecideManyProps) {
  const { verb, title } = WORDS[decision];
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map());
  const [isRunning, setRunning] = useState(false);
  const client = useQueryClient();
  const [unproved, setUnproved] = useState<readonly wire.Proposal[]>([]);
  const isDone = results.size === proposals.length;
  const run = async (some: readonly wire.Proposal[]): Promise<void> => {
    setRunning(true);
    const refused: wire.Proposal[] = [];
    for (const proposal of some) {
      const result = await decide(decision, proposal);
      if ("error" in result && isProblem(result.error, "step_up_required")) refused.push(proposal);
      setResults((before) => new Map(before).set(proposal.id, result));
    }
    setRunning(false);
    // One proof is asked for all of them. A second refusal is their answer: the person has no second factor, or was too slow.
    setUnproved(some === proposals ? refused : []);
    await refresh(client, ["proposals.", "runs.", "audit.", "attention."]);
  };
  return (
    <Dialog
      title={title}
      size="lg"
      isOpen
      // The decisions would continue without a sign of their answers.
      onClose={isRunning ? () => undefined : onClose}
      actions={
        isDone ? (
          <Button variant="primary" onPress={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onPress={onClose} isDisabled={isRunning}>
              Cancel
            </Button>
            <Button
              variant={decision === "approve" ? "primary" : "danger"}
              isPending={isRunning}
              onPress={() => void run(proposals)}
            >
              {`${verb} ${proposals.length}`}
            </Button>
          </>
        )
      }
    >
      <div role="region" aria-label="Selected proposals" tabIndex={0}>
        <ul className="flex flex-col divide-y divide-line">
          {proposals.map((proposal) => (
            <ChosenRow key={proposal.id} proposal={proposal} decision={decision} result={results.get(proposal.id)} />
          ))}
        </ul>
      </div>
      {unproved.length === 0 ? null : (
        <StepUpDialog
          decisions={{ proposals: unproved.map(({ id, params_hash: hash }) => ({ id, params_hash: hash })) }}
          onClose={() => setUnproved([])}
          onProved={() => {
            setUnproved([]);
            void run(unproved);
          }}
        />
      )}
    </Dialog>
  );
}

async function decide(decision: Decision, { id, params_hash: hash }: wire.Proposal): Promise<Result> {
  try {
    const input = { path: { id } };
    const answer =
      decision === "approve"
        ? await call("proposals.approve", { ...input, body: { params_hash: hash } })
        : await call("proposals.reject", { ...input, body: {} });
    return { state: answer.state };
  } catch (error) {
    return { error };
  }
}

interface ChosenRowProps {
  readonly proposal: wire.Proposal;
  readonly decision: Decision;
  readonly result: Result | undefined;
}

function ChosenRow({ proposal, decision, result }: ChosenRowProps) {
  const { preview } = proposal;
  return (
    <li className="flex flex-col gap-1 py-3">
      <span className="flex flex-wrap items-center gap-2">
        <bdi className="min-w-0 font-medium wrap-anywhere">{preview.title}</bdi>
        <RiskBadge risk={preview.risk} />
      </span>
      <dl className="text-sm text-muted">
        {preview.fields.map(({ name, value, masked }, at) => (
          <div key={`${at} ${name}`} className="wrap-anywhere">
            <dt className="inline">
              <code>{name}</code>:{" "}
            </dt>
            <dd className="inline">{masked ? "Hidden (sensitive value)" : <bdi>{value}</bdi>}</dd>
          </div>
        ))}
      </dl>
      <div role="status">{result === undefined ? null : <Outcome decision={decision} result={result} />}</div>
    </li>
  );
}

function Outcome({ decision, result }: { readonly decision: Decision; readonly result: Result }) {
  if ("error" in result) return <StatusLight tone="bad">{messageOf(result.error)}</StatusLight>;
  // A proposal that needs more people stays open after an approval.
  const isOpen = decision === "approve" && result.state === "proposed";
  return (
    <StatusLight tone="good">
      {isOpen ? "Approval recorded. More people must approve." : WORDS[decision].done}
    </StatusLight>
  );
}
