import type { ApiAnswer, Parsed, TestService } from "./test-service.ts";

/** A portal session that a customer has opened. */
export interface OpenPortal {
  readonly id: string;
  readonly key: string;
}

/** The capabilities of a portal session whose tokens can do everything that a token can. */
export const ALL_CAPABILITIES = [
  "endpoints",
  "deliveries",
  "replay",
  "tester",
  "secrets",
  "filters",
  "transforms",
  "event_types",
] as const;

/** Creates a portal session and opens its link. */
export async function openPortal(
  service: TestService,
  { tenant = "acme", capabilities = [...ALL_CAPABILITIES, "mcp_tokens"], maker = service.key, seconds = 3600 } = {},
): Promise<OpenPortal> {
  const body = { tenant, capabilities, expires_in_seconds: seconds };
  const made = await service.api("POST", "/v1/portal-sessions", body, { key: maker });
  if (made.status !== 201) throw new Error(made.text);
  const token = /#token=(\w+)$/.exec(String(made.body["url"]))?.[1] ?? "";
  const opened = await service.api("POST", "/v1/portal-sessions/exchange", { token }, { key: null });
  return { id: made.body["id"], key: opened.body["credential"] };
}

/** Asks for an MCP token. */
export async function askToken(service: TestService, key: string, spec: object = {}): Promise<ApiAnswer> {
  const body = { name: "Claude", capabilities: ALL_CAPABILITIES, ...spec };
  return await service.api("POST", "/v1/mcp-tokens", body, { key });
}

/** Creates an MCP token. */
export async function createToken(service: TestService, key: string, spec: object = {}): Promise<Parsed> {
  const made = await askToken(service, key, spec);
  if (made.status !== 201) throw new Error(made.text);
  return made.body;
}
