import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import type { ApiAnswer, Parsed, TestService } from "./test-service.ts";

export const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";
/** Protocol modes of the official client: only the stateless protocol, or the handshake of the earlier versions. */
export const ERAS = [{ pin: MODERN }, "legacy"] as const;
export type Era = (typeof ERAS)[number];

/** Returns the official client, connected. It is closed with the test. */
export async function connectClient(
  service: TestService,
  key = service.key,
  era: Era = ERAS[0],
  path = "/mcp",
): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: era } });
  const headers = { Authorization: `Bearer ${key}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${service.baseUrl}${path}`), { requestInit: { headers } }),
  );
  onTestFinished(async () => await client.close());
  return client;
}

export interface MessageOptions {
  readonly key?: string | null;
  readonly headers?: Record<string, string>;
  readonly id?: string | number;
  /** The path and the query. */
  readonly path?: string;
}

/** Sends one message of the stateless protocol without a client library. */
export async function send(
  service: TestService,
  method: string,
  params: Record<string, unknown> = {},
  { id = 1, headers = {}, path = "/mcp", ...options }: MessageOptions = {},
): Promise<ApiAnswer> {
  const meta = method.startsWith("tasks/") ? CAPABLE : META;
  const message = { jsonrpc: "2.0", id, method, params: { _meta: meta, ...params } };
  const source = params["name"] ?? params["taskId"];
  const name = typeof source === "string" ? { "Mcp-Name": source } : {};
  const told = { "MCP-Protocol-Version": MODERN, "Mcp-Method": method, ...name, ...headers };
  return await service.api("POST", path, message, { ...options, headers: told });
}

/** Returns the result of a tool call. Throws if the response has none. */
export async function callTool(
  service: TestService,
  name: string,
  args: Record<string, unknown> = {},
  options: MessageOptions = {},
): Promise<Parsed> {
  const answer = await send(service, "tools/call", { name, arguments: args }, options);
  if (answer.status !== 200 || answer.body["result"] === undefined)
    throw new Error(`no result: ${answer.status} ${answer.text}`);
  return answer.body["result"];
}

export const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** The metadata of a client that knows the extension for tasks. */
export const CAPABLE = {
  ...META,
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
};
