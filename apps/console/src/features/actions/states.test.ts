import { expect, test } from "vitest";
import { PROPOSAL_STATES } from "../../../../service/src/actions/proposals/proposals.schemas.ts";
import { actionName, approvalEffect, isRegistered, proposalWords, runWords, stateWord } from "./states.ts";

const KINDS = {
  action: { action: "billing.refund", contract_version: 1, standing_approval_id: null },
  standing: { action: "billing.refund", contract_version: 1, standing_approval_id: "sap_1" },
  step: { action: "workflow.step", contract_version: 0, standing_approval_id: null },
  operation: { action: "meta.ops.endpoints_write.delete", contract_version: 1, standing_approval_id: null },
} as const;

/** The states that the approval of a workflow's step can have: it has no run, and cannot be edited. */
const OF_STEPS = ["proposed", "approved", "rejected", "expired", "cancelled"] as const;

const means = (kind: keyof typeof KINDS, state: (typeof PROPOSAL_STATES)[number]): string =>
  proposalWords({ ...KINDS[kind], state }).means;

test("every state of every kind of proposal has its own text", () => {
  for (const kind of ["action", "standing", "step", "operation"] as const) {
    const states = kind === "step" ? OF_STEPS : PROPOSAL_STATES;
    const texts = states.map((state) => means(kind, state));
    expect([kind, texts.filter((text) => text === "")]).toEqual([kind, []]);
    expect([kind, new Set(texts).size]).toEqual([kind, texts.length]);
  }
  for (const state of PROPOSAL_STATES) expect(stateWord(state)).not.toBe(state);
});

test("texts about a workflow's step name no action and no run", () => {
  for (const state of OF_STEPS)
    expect([state, means("step", state)]).not.toEqual([state, expect.stringMatching(/action|\brun/)]);
  expect(means("step", "approved")).toBe("The step was approved, and the workflow continued.");
  const step = { ...KINDS.step, approvals_required: 1 };
  expect(approvalEffect(step, 1)).toBe("Your approval continues the workflow.");
  expect(approvalEffect({ ...KINDS.action, approvals_required: 2 }, 2)).toBe("Needs approval from 2 more people.");
});

test("no text of an ended proposal says that something is still to come", () => {
  const ended = PROPOSAL_STATES.filter((state) => !["proposed", "approved", "executing"].includes(state));
  for (const kind of ["action", "standing"] as const)
    for (const state of ended) expect(means(kind, state)).not.toMatch(/about to|has not|waits/);
  expect(means("step", "approved")).not.toMatch(/about to|waits/);
  expect(means("standing", "executed")).toContain("standing approval");
});

test("the approval of a configuration has no page of an action", () => {
  expect(isRegistered({ action: "meta.configuration.apply", contract_version: 1 })).toBe(false);
});

test("texts about an operator tool's write name the tool and no backend", () => {
  const { action } = KINDS.operation;
  expect([actionName(action), actionName(KINDS.action.action)]).toEqual(["endpoints_write delete", "billing.refund"]);
  for (const state of ["executed", "failed"] as const) expect(means("operation", state)).toContain("the change");
  for (const status of ["executing", "executed", "failed"])
    expect(runWords(status, action).means).not.toContain("backend");
});
