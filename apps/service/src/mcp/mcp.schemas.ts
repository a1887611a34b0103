import { Type } from "../kernel/kernel.ts";

const VERSION = "2026-07-28";
const meta = {
  "io.modelcontextprotocol/protocolVersion": VERSION,
  "io.modelcontextprotocol/clientInfo": { name: "example", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** The protocol's own schema judges messages; here they are only described. */
export const Message = Type.Unsafe<unknown>({
  title: "McpMessage",
  description: "One JSON-RPC 2.0 message. Batches are not taken.",
  type: "object",
  additionalProperties: true,
  example: {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "junction_proposal_status", arguments: { proposal_id: "prop_1" }, _meta: meta },
  },
});

export const Answer = Type.Unsafe<unknown>({
  title: "McpAnswer",
  description: "A JSON-RPC 2.0 response. What a tool is refused is a result with `isError` and our `code`.",
  type: "object",
  additionalProperties: true,
  required: ["jsonrpc", "id"],
  properties: {
    jsonrpc: { type: "string", enum: ["2.0"] },
    id: { description: "The request's own; null where it could not be read.", example: 1 },
    result: {
      type: "object",
      additionalProperties: true,
      example: { content: [{ type: "text", text: "{}" }], structuredContent: {}, isError: false },
    },
    error: {
      type: "object",
      description: "Of the protocol: the message is none, its method is unknown, its headers do not fit.",
      additionalProperties: true,
      example: { code: -32601, message: "Method not found" },
    },
  },
});
