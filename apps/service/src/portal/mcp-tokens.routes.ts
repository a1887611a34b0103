import { callerOf, operators, route } from "../accounts/accounts.ts";
import type { App } from "../accounts/accounts.ts";
import type { McpTokens } from "./mcp-tokens.ts";
import * as shapes from "./mcp-tokens.schemas.ts";

export function mcpTokenRoutes(app: App, tokens: McpTokens): void {
  route(app, "POST /v1/mcp-tokens", {
    config: { operation: "mcp_tokens.create", tenants: true, callers: operators, audit: "key", errors: ["conflict"] },
    operationId: "createMcpToken",
    summary: "Create an MCP token for a tenant",
    description:
      "Returns a token with which an AI client, such as Claude or Cursor, works for one of your customers by the operator tools of `/mcp`. In live, a write waits for a person of your workspace. A portal session with the capability `mcp_tokens` creates tokens of its own tenant. A tenant has at most 20.",
    body: shapes.TokenBody,
    response: { 201: shapes.NewTokenView },
    handler: async (request) => await tokens.create(callerOf(request), request.body),
  });

  route(app, "GET /v1/mcp-tokens", {
    config: { operation: "mcp_tokens.list", tenants: true, callers: operators },
    operationId: "listMcpTokens",
    summary: "List MCP tokens",
    description: "Newest first, until a day after their expiry. The texts of the tokens are not shown again.",
    querystring: shapes.TokenListQuery,
    response: { 200: shapes.TokenList },
    handler: async (request) => await tokens.list(callerOf(request).scope, request.query),
  });

  route(app, "POST /v1/mcp-tokens/:id/revoke", {
    config: { operation: "mcp_tokens.revoke", tenants: true, callers: operators, audit: "key" },
    operationId: "revokeMcpToken",
    summary: "Revoke an MCP token",
    description:
      "Revokes the token at once and permanently, on every node. What it requested and no one has approved yet is not done.",
    params: shapes.TokenParams,
    response: { 200: shapes.TokenView },
    handler: async (request) => await tokens.revoke(callerOf(request).scope, request.params.id),
  });
}
