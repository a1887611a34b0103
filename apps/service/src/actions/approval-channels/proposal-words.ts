import type { Actor } from "../callers/actor.ts";
import type { Preview } from "../proposals/proposals.schemas.ts";
import type { ProposalRow } from "../proposals/proposals.store.ts";
import { parseJson } from "../../lib/lib.ts";

/** The words about a proposal for people outside the console: from its row alone, never from the words of an AI. */

interface Decided {
  readonly by: Actor;
  readonly reason?: string | null;
}

/** The states after which a message stays as it is. That of an `executing` proposal changes when its run has ended. */
export function isFinal(state: string): boolean {
  return state !== "proposed" && state !== "executing";
}

export function previewOfRow({ preview }: Pick<ProposalRow, "preview">): Preview {
  return parseJson(preview) as Preview;
}

/** Returns the number of people who have approved. */
export function approvalsOf({ approvals }: Pick<ProposalRow, "approvals">): number {
  return deciders(approvals).length;
}

/** Returns who may decide, and until when. */
export function conditionsOf(row: ProposalRow, environment: string): string {
  const { approver_roles: roles, approvals_required: required, four_eyes: fourEyes } = row;
  const proposer = parseJson(row.proposer) as Actor;
  const people = required === 1 ? "one person" : `${required} people`;
  const others = fourEyes ? ", and not by who requested or edited it" : "";
  return [
    `Requested by ${nameOf(proposer)} (${environment}).`,
    `To be approved by ${people} with the role ${roles.join(" or ")}${others}.`,
    `Expires at ${timeOf(row.expires_at)}.`,
  ].join(" ");
}

/** Returns what has become of the proposal, and who decided. */
export function outcomeOf(row: ProposalRow): string {
  const by = deciders(row.approvals).map(({ by: actor }) => nameOf(actor));
  const approved = `Approved by ${by.join(", ")}.`;
  const words: Readonly<Record<string, string>> = {
    proposed: by.length === 0 ? "Waiting." : `${approved} ${row.approvals_required - by.length} more must approve.`,
    approved,
    executing: `${approved} The action is running.`,
    executed: `${approved} The action was run.`,
    failed: `${approved} The action failed.`,
    undone: `${approved} The action was run, and then undone.`,
    undo_failed: `${approved} The action was run. Undoing it failed.`,
    expired: `Expired without a decision. ${unapproved(row)}`,
    superseded: "Edited. The new proposal waits for a decision; this one no longer does.",
  };
  return words[row.state] ?? endOf(row);
}

/** The approval of a workflow's step runs no action. */
function unapproved({ contract_version: version }: ProposalRow): string {
  return version === 0 ? "The workflow's step was not approved." : "The action was not run.";
}

function endOf(row: ProposalRow): string {
  const { state, decision } = row;
  const made = decision === null ? null : (parseJson(decision) as Decided);
  const who = made === null ? "" : ` by ${nameOf(made.by)}`;
  const reason = (made?.reason ?? null) === null ? "" : ` Reason: ${made?.reason ?? ""}`;
  return `${state === "rejected" ? "Rejected" : "Cancelled"}${who}. ${unapproved(row)}${reason}`;
}

/** Returns a time such as `2026-11-26 14:05 UTC`. */
function timeOf(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function nameOf({ display, type }: Actor): string {
  return display ?? (type === "system" ? "Junction" : type);
}

/** The column is JSON that the database has parsed. */
function deciders(approvals: unknown): readonly Decided[] {
  return Array.isArray(approvals) ? (approvals as Decided[]) : [];
}
