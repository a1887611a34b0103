import { mintKey } from "./keys.ts";
import type { TestKey } from "./keys.ts";
import { send } from "./mcp.ts";
import type { ApiAnswer, Parsed, TestService } from "./test-service.ts";

export const OPERATOR_PATH = "/mcp?toolset=operator";

/** Returns a live key of an agent. */
export async function agentKey(
  service: TestService,
  scopes: readonly string[] | null,
  more: Record<string, unknown> = {},
): Promise<TestKey> {
  return await mintKey(service, { role: "ai", actor_type: "ai", scopes, ...more });
}

/** Sends a call of an operator tool. */
export async function askOperator(
  service: TestService,
  key: string,
  name: string,
  args: Record<string, unknown>,
): Promise<ApiAnswer> {
  return await send(service, "tools/call", { name, arguments: args }, { key, path: OPERATOR_PATH });
}

/** Returns the result of a call. Throws if the response has none. */
export async function callOperatorTool(
  service: TestService,
  key: string,
  name: string,
  args: Record<string, unknown>,
): Promise<Parsed> {
  const answer = await askOperator(service, key, name, args);
  if (answer.status !== 200 || answer.body["result"] === undefined) throw new Error(answer.text);
  return answer.body["result"];
}
