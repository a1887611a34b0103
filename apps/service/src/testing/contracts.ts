import type { Parsed, TestService } from "./test-service.ts";

let keys = 0;

/** Returns the arguments of a valid contract with a new key. `more` replaces members. */
export function contractArgs(more: Record<string, unknown> = {}): Record<string, unknown> {
  keys += 1;
  return {
    key: `test.action_${keys}`,
    label: "Test",
    surface: ["api"],
    roles: ["owner", "admin", "developer"],
    requires_confirmation: false,
    audit: true,
    params: { reason: { type: "string", max: 500 } },
    endpoint: "http://127.0.0.1:9/",
    ...more,
  };
}

/** Registers a contract. Returns it with its signing secret. */
export async function registerContract(service: TestService, more: Record<string, unknown> = {}): Promise<Parsed> {
  const made = await service.api("POST", "/v1/action-contracts", contractArgs(more));
  if (made.status !== 201) throw new Error(`no contract: ${made.text}`);
  return made.body;
}
