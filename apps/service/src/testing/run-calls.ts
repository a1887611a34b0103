import { confirmedActionOn, proposalOf, runOf } from "./actions.ts";
import { absentId, tagOfId } from "./keys.ts";
import type { IdPrefix } from "../kernel/kernel.ts";
import type { Parsed, TestService } from "./service.ts";

type Args = Record<string, unknown>;
type Make = (service: TestService) => Promise<Args> | Args;

/** Simulated: there is no endpoint for the sandbox, so that these calls reach nothing. */
const NOWHERE = { url: "http://127.0.0.1:9/" };

/** The rows of testing/calls.ts for runs and proposals. */
export const runCalls: Readonly<Record<string, { readonly good: Make; readonly bad: Make }>> = {
  "actions.run": {
    good: async (service) => ({ action: await confirmedActionOn(service, NOWHERE), parameters: { order: "ord_1" } }),
    bad: async (service) => ({ action: await confirmedActionOn(service, NOWHERE), parameters: { order: 1 } }),
  },
  "runs.list": { good: () => ({ status: "failed", limit: 1 }), bad: () => ({ status: "lost" }) },
  "runs.get": { good: failedRun, bad: async (service) => await absent(service, "run") },
  "runs.undo": { good: failedRun, bad: async (service) => await absent(service, "run") },
  "proposals.list": { good: () => ({ state: "proposed", limit: 1 }), bad: () => ({ cursor: "x" }) },
  "proposals.get": { good: freshProposal, bad: noProposal },
  "proposals.approve": {
    good: async (service) => {
      const proposal = await proposed(service);
      return { id: proposal.id, params_hash: proposal.params_hash, comment: "fine" };
    },
    bad: async (service) => ({ ...(await freshProposal(service)), params_hash: "0".repeat(64) }),
  },
  "proposals.reject": {
    good: async (service) => ({ ...(await freshProposal(service)), reason: "no" }),
    bad: async (service) => ({ ...(await freshProposal(service)), reason: 1 }),
  },
  "proposals.cancel": { good: freshProposal, bad: noProposal },
  "proposals.update": {
    good: async (service) => ({ ...(await freshProposal(service)), parameters: { order: "ord_2" } }),
    bad: async (service) => ({ ...(await freshProposal(service)), parameters: { order: 2 } }),
  },
};

async function proposed(service: TestService): Promise<Parsed> {
  return await proposalOf(service, await confirmedActionOn(service, NOWHERE));
}

async function freshProposal(service: TestService): Promise<Args> {
  return { id: (await proposed(service)).id };
}

async function noProposal(service: TestService): Promise<Args> {
  return await absent(service, "prop");
}

/** Nothing listens at its backend. */
async function failedRun(service: TestService): Promise<Args> {
  const answer = await runOf(service, await confirmedActionOn(service, NOWHERE), { confirmed: true });
  return { id: answer.body["execution"].id };
}

async function absent(service: TestService, prefix: IdPrefix): Promise<Args> {
  return { id: absentId({ tag: tagOfId((await proposed(service)).id) }, prefix) };
}
