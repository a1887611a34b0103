import type { TestService } from "./test-service.ts";

const session = { tenant: "acme", capabilities: ["endpoints"] };

let tenants = 1_000_000;
/** A tenant has at most 20 tokens. */
function token(): object {
  tenants += 1;
  return { name: "Claude", tenant: `fresh-${tenants}`, capabilities: ["endpoints"] };
}

export const portalCalls = {
  "portal_sessions.create": { good: () => session, bad: () => ({ ...session, capabilities: ["all"] }) },
  "portal_sessions.list": { good: () => ({ limit: 1 }), bad: () => ({ limit: 0 }) },
  "portal_sessions.revoke": {
    good: async (service: TestService) => ({
      id: (await service.api("POST", "/v1/portal-sessions", session)).body["id"],
    }),
    bad: () => ({ id: "prt_1" }),
  },
  "mcp_tokens.create": { good: () => ({ ...token() }), bad: () => ({ ...token(), capabilities: ["mcp_tokens"] }) },
  "mcp_tokens.list": { good: () => ({ limit: 1 }), bad: () => ({ limit: 0 }) },
  "mcp_tokens.revoke": {
    good: async (service: TestService) => ({ id: (await service.api("POST", "/v1/mcp-tokens", token())).body["id"] }),
    bad: () => ({ id: "key_1" }),
  },
};
