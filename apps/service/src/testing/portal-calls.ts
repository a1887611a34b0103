import type { TestService } from "./test-service.ts";

const session = { tenant: "acme", capabilities: ["endpoints"] };

export const portalCalls = {
  "portal_sessions.create": { good: () => session, bad: () => ({ ...session, capabilities: ["all"] }) },
  "portal_sessions.list": { good: () => ({ limit: 1 }), bad: () => ({ limit: 0 }) },
  "portal_sessions.revoke": {
    good: async (service: TestService) => ({
      id: (await service.api("POST", "/v1/portal-sessions", session)).body["id"],
    }),
    bad: () => ({ id: "prt_1" }),
  },
};
