import type { TestService } from "./test-service.ts";

type Args = Record<string, unknown>;

let made = 0;

/** Fires an event of a new tenant. Returns the arguments that name the tenant. */
async function freshTenant(service: TestService): Promise<Args> {
  made += 1;
  const tenant = `fresh-${made}`;
  await service.api("POST", "/v1/events/fire", { event: "tenant.fresh", data: {}, tenant });
  return { tenant };
}

/** The rows of testing/calls.ts for tenants. */
export const tenantCalls = {
  "tenants.list": { good: () => ({ limit: 1 }), bad: () => ({ limit: 0 }) },
  "tenants.get": { good: freshTenant, bad: () => ({ tenant: "nothing-of-it" }) },
  "tenants.update": {
    good: async (service: TestService) => ({ ...(await freshTenant(service)), name: "Fresh" }),
    bad: () => ({ tenant: "fresh", name: "" }),
  },
  "imports.create": {
    good: () => ({
      source: "csv",
      endpoints: [{ ref: `imported-${(made += 1)}`, url: "https://example.com/hook", events: ["order.created"] }],
    }),
    bad: () => ({
      source: "csv",
      endpoints: [{ ref: "imported", application: "nowhere", url: "https://example.com/hook", events: ["*"] }],
    }),
  },
  "tenants.delete": { good: freshTenant, bad: () => ({ tenant: "nothing-of-it" }) },
};
