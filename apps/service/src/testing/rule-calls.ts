import { absentId, tagOfId } from "./keys.ts";
import type { TestService } from "./test-service.ts";

type Args = Record<string, unknown>;
type Make = (service: TestService) => Promise<Args> | Args;

const ruleArgs = { name: "Rule", on: ["test.nothing"], then: [{ type: "fire_event", event: "test.fired", data: {} }] };

/** The rows of testing/calls.ts for rules. */
export const ruleCalls: Readonly<Record<string, { readonly good: Make; readonly bad: Make }>> = {
  "rules.create": {
    good: () => ruleArgs,
    bad: () => ({ ...ruleArgs, when: { all: [{ field: "data", op: "like" }] } }),
  },
  "rules.list": { good: () => ({ limit: 1 }), bad: () => ({ cursor: "x" }) },
  "rules.get": { good: freshRule, bad: noRule },
  "rules.update": {
    good: async (service) => ({ ...(await freshRule(service)), priority: 1 }),
    bad: async (service) => ({ ...(await freshRule(service)), on: ["a..b"] }),
  },
  "rules.delete": { good: freshRule, bad: noRule },
  "rules.promote": { good: sandboxRule, bad: noRule },
  "rules.headers": { good: freshRule, bad: noRule },
  "rules.secret": { good: freshRule, bad: noRule },
  "rules.secret.regenerate": {
    good: freshRule,
    bad: async (service) => ({ ...(await freshRule(service)), overlap_seconds: -1 }),
  },
  "rules.test": {
    good: async (service) => ({ ...(await freshRule(service)), event: "order.created", data: { total: 10.5 } }),
    bad: async (service) => ({ ...(await freshRule(service)), event: "a..b" }),
  },
  "rules.runs": { good: freshRule, bad: async (service) => ({ ...(await freshRule(service)), status: "lost" }) },
};

async function freshRule(service: TestService): Promise<Args> {
  return { id: (await service.api("POST", "/v1/rules", ruleArgs)).body["id"] };
}

async function sandboxRule(service: TestService): Promise<Args> {
  return { id: (await service.api("POST", "/v1/rules", ruleArgs, { key: service.sandboxKey })).body["id"] };
}

async function noRule(service: TestService): Promise<Args> {
  return { id: absentId({ tag: tagOfId((await service.fire()).id) }, "rule") };
}
