import { contractArgs } from "./contracts.ts";
import type { TestService } from "./test-service.ts";

type Args = Record<string, unknown>;
type Make = (service: TestService) => Promise<Args> | Args;

/** The rows of testing/calls.ts for action contracts and secrets. */
export const actionCalls: Readonly<Record<string, { readonly good: Make; readonly bad: Make }>> = {
  "action_contracts.create": {
    good: () => contractArgs(),
    bad: () => contractArgs({ destructive: true }),
  },
  "action_contracts.list": { good: () => ({ limit: 1 }), bad: () => ({ cursor: "x" }) },
  "action_contracts.get": { good: freshContract, bad: noContract },
  "action_contracts.versions": { good: freshContract, bad: noContract },
  "action_contracts.update": {
    good: async (service) => ({ ...(await freshContract(service)), label: "Another label" }),
    bad: async (service) => ({ ...(await freshContract(service)), endpoint: "http://10.0.0.1/" }),
  },
  "action_contracts.delete": { good: freshContract, bad: noContract },
  "action_contracts.promote": {
    good: async (service) => ({
      key: (await service.api("POST", "/v1/action-contracts", contractArgs(), { key: service.sandboxKey })).body["key"],
    }),
    bad: noContract,
  },
  "action_contracts.secret": { good: freshContract, bad: noContract },
  "action_contracts.secret.regenerate": {
    good: async (service) => ({ ...(await freshContract(service)), overlap_seconds: 60 }),
    bad: async (service) => ({ ...(await freshContract(service)), overlap_seconds: -1 }),
  },
  "secrets.put": {
    good: () => ({ name: newName(), value: "a secret value" }),
    bad: () => ({ name: newName(), value: "two\nlines" }),
  },
  "secrets.list": { good: () => ({ limit: 1 }), bad: () => ({ limit: 0 }) },
  "secrets.delete": { good: freshSecret, bad: () => ({ name: "no_such_secret" }) },
};

let names = 0;

function newName(): string {
  names += 1;
  return `called_${names}`;
}

async function freshContract(service: TestService): Promise<Args> {
  return { key: (await service.api("POST", "/v1/action-contracts", contractArgs())).body["key"] };
}

function noContract(): Args {
  return { key: "no.such_contract" };
}

async function freshSecret(service: TestService): Promise<Args> {
  const name = newName();
  await service.api("PUT", `/v1/secrets/${name}`, { value: "a secret value" });
  return { name };
}
