import type { TestService } from "./test-service.ts";

type Args = Record<string, unknown>;
type Make = (service: TestService) => Promise<Args> | Args;

let made = 0;

/** The rows of testing/calls.ts for event types. */
export const eventTypeCalls: Readonly<Record<string, { readonly good: Make; readonly bad: Make }>> = {
  "event_types.list": { good: () => ({}), bad: () => ({ limit: "many" }) },
  "event_types.get": { good: () => ({ name: "order.created" }), bad: () => ({ name: "no.such" }) },
  "event_types.create": { good: () => ({ name: newName() }), bad: () => ({ name: "order.created" }) },
  "event_types.update": {
    good: async (service) => ({ ...(await freshType(service)), title: "Another" }),
    bad: async (service) => ({ ...(await freshType(service)), schema: { type: "text" } }),
  },
  "event_types.archive": { good: freshType, bad: () => ({ name: "no.such" }) },
  "event_types.put": {
    good: () => ({ types: [{ name: newName(), schema: { type: "object" } }], dry_run: false }),
    bad: () => ({ types: [{ name: newName(), schema: { type: "text" } }] }),
  },
  "event_types.versions.list": { good: freshType, bad: () => ({ name: "no.such" }) },
  "event_types.versions.create": {
    good: async (service) => ({ ...(await freshType(service)), schema: { type: "object" } }),
    bad: async (service) => ({ ...(await freshType(service)), schema: [] }),
  },
};

function newName(): string {
  made += 1;
  return `test.type_${made}`;
}

async function freshType(service: TestService): Promise<Args> {
  const name = newName();
  await service.api("POST", "/v1/event-types", { name });
  return { name };
}
