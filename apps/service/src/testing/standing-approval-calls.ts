import { confirmedActionOn } from "./actions.ts";
import { absentId, mintKey, tagOfId } from "./keys.ts";
import { OWNER, signIn } from "./people.ts";
import type { TestPerson } from "./people.ts";
import type { Parsed, TestService } from "./test-service.ts";

type Args = Record<string, unknown>;
type Make = (service: TestService) => Promise<{ readonly args: Args; readonly person: TestPerson } | Args>;

const DAY_MS = 86_400_000;

/** The rows of testing/calls.ts for standing approvals. Only an owner with a session writes one. */
export const standingApprovalCalls: Readonly<Record<string, { readonly good: Make; readonly bad: Make }>> = {
  "standing_approvals.create": {
    good: async (service) => await bySignedInOwner(service, await freshArgs(service)),
    bad: async (service) =>
      await bySignedInOwner(service, {
        ...(await freshArgs(service)),
        when: { field: "parameters.amount", op: "lte", value: -1 },
      }),
  },
  "standing_approvals.list": {
    good: async () => await Promise.resolve({ state: "active", limit: 1 }),
    bad: async () => await Promise.resolve({ state: "lost" }),
  },
  "standing_approvals.get": { good: fresh, bad: none },
  "standing_approvals.end": { good: fresh, bad: none },
};

async function bySignedInOwner(service: TestService, args: Args) {
  return { args, person: await signIn(service, OWNER) };
}

async function freshArgs(service: TestService): Promise<Args> {
  const action = await confirmedActionOn(service, { url: "http://127.0.0.1:9/" });
  return standingArgs(action, (await mintKey(service, { actor_type: "ai", role: "ai" })).id);
}

/** Returns the arguments of a standing approval: ten calls a day of one key, with amounts up to 50. */
export function standingArgs(action: string, keyId: string, more: Args = {}): Args {
  return {
    name: "Small refunds",
    action,
    contract_version: 1,
    agents: [{ type: "key", id: keyId }],
    when: { field: "parameters.amount", op: "lte", value: 50 },
    budget: { count: 10, per: "day" },
    expires_at: new Date(Date.now() + DAY_MS).toISOString(),
    ...more,
  };
}

async function fresh(service: TestService): Promise<Args> {
  const { person, args } = await bySignedInOwner(service, await freshArgs(service));
  const made: Parsed = (await person.call("POST", "/v1/standing-approvals", args)).body;
  return { id: made.id };
}

async function none(service: TestService): Promise<Args> {
  return { id: absentId({ tag: tagOfId((await service.fire()).id) }, "sap") };
}
