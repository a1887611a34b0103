import type { Parsed, TestService } from "./test-service.ts";

let made = 0;

/** Creates a contract that MCP lists. `more` replaces its members. */
export async function makeContract(service: TestService, more: Record<string, unknown> = {}): Promise<Parsed> {
  made += 1;
  const body = {
    key: `notes.send_${made}`,
    label: "Send a note",
    surface: ["mcp", "api"],
    roles: ["owner", "admin", "developer", "ai"],
    requires_confirmation: false,
    audit: true,
    params: { note: { type: "string", required: true, max: 100 } },
    endpoint: "http://127.0.0.1:9/",
    ...more,
  };
  const answer = await service.api("POST", "/v1/action-contracts", body);
  if (answer.status !== 201) throw new Error(`no contract: ${answer.text}`);
  return answer.body;
}
