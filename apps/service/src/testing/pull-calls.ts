import type { TestService } from "./test-service.ts";

type Args = Record<string, unknown>;
type Make = (service: TestService) => Promise<Args> | Args;

let made = 0;

async function freshPull(service: TestService): Promise<Args> {
  made += 1;
  const { body } = await service.api("POST", "/v1/webhook-endpoints", { kind: "pull", events: [`test.pull-${made}`] });
  return { id: body["id"] };
}

async function freshConsumer(service: TestService): Promise<Args> {
  const { id } = await freshPull(service);
  await service.api("POST", `/v1/webhook-endpoints/${String(id)}/pull`, { consumer: "c" });
  return { id, consumer: "c" };
}

const listed = async (service: TestService): Promise<Args> => ({ id: (await freshConsumer(service))["id"] });

/** Leases a message that was just fired. */
async function freshLease(service: TestService): Promise<Args> {
  const { id } = await freshPull(service);
  await service.fire(`test.pull-${made}`, {});
  const { body } = await service.api("POST", `/v1/webhook-endpoints/${String(id)}/pull`, { consumer: "c" });
  return { id, consumer: "c", lease_id: body["lease"]["id"] };
}

const lost = async (service: TestService): Promise<Args> => ({ ...(await freshConsumer(service)), lease_id: "lse_x" });

/** The rows of testing/calls.ts for pull endpoints. */
export const pullCalls: Readonly<Record<string, { readonly good: Make; readonly bad: Make }>> = {
  "webhooks.pull": {
    good: async (service) => ({ ...(await freshPull(service)), consumer: "c" }),
    bad: async (service) => ({ ...(await freshPull(service)), consumer: "-" }),
  },
  "webhooks.commit": { good: freshLease, bad: lost },
  "webhooks.release": { good: freshLease, bad: lost },
  "webhooks.seek": {
    good: async (service) => ({ ...(await freshConsumer(service)), to: "end" }),
    bad: async (service) => ({ ...(await freshConsumer(service)), to: { offset: 9 } }),
  },
  "webhooks.consumers.list": {
    good: listed,
    bad: async (service) => ({ ...(await listed(service)), limit: "x" }),
  },
  "webhooks.consumers.delete": {
    good: freshConsumer,
    bad: async (service) => ({ ...(await freshPull(service)), consumer: "c" }),
  },
};
