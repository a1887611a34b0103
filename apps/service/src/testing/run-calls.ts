import { confirmedActionOn, proposalOf, runOf } from "./actions.ts";
import { absentId, scopeOf, tagOfId } from "./keys.ts";
import type { IdPrefix } from "../lib/lib.ts";
import type { Parsed, TestService } from "./test-service.ts";

type Args = Record<string, unknown>;
type Make = (service: TestService) => Promise<Args> | Args;

/** The rows of testing/calls.ts for runs and proposals. */
export const runCalls: Readonly<Record<string, { readonly good: Make; readonly bad: Make }>> = {
  "actions.run": {
    good: async (service) => ({ action: await freshAction(service), parameters: { order: "ord_1" }, confirmed: true }),
    bad: async (service) => ({ action: await freshAction(service), parameters: { order: 1 } }),
  },
  "runs.list": { good: () => ({ status: "failed", limit: 1 }), bad: () => ({ status: "lost" }) },
  "runs.get": { good: freshRun, bad: async (service) => await absent(service, "run") },
  "runs.undo": { good: freshRun, bad: async (service) => await absent(service, "run") },
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

/** Creates an action whose backend is the built-in inbox, which responds with 200. */
async function freshAction(service: TestService): Promise<string> {
  const { db, tester } = service.service;
  const scope = await scopeOf(service, service.key);
  const inbox = await db.transaction(async (tx) => await tester.createInbox(tx, scope));
  const undo = { endpoint: inbox.url, window_seconds: 600 };
  return await confirmedActionOn(service, inbox, { reversible: true, undo });
}

async function proposed(service: TestService): Promise<Parsed> {
  return await proposalOf(service, await freshAction(service));
}

async function freshProposal(service: TestService): Promise<Args> {
  return { id: (await proposed(service)).id };
}

async function noProposal(service: TestService): Promise<Args> {
  return await absent(service, "prop");
}

async function freshRun(service: TestService): Promise<Args> {
  return { id: (await runOf(service, await freshAction(service), { confirmed: true })).body["id"] };
}

async function absent(service: TestService, prefix: IdPrefix): Promise<Args> {
  return { id: absentId({ tag: tagOfId((await proposed(service)).id) }, prefix) };
}
