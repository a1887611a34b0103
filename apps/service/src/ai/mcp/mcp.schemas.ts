import { t } from "../../lib/lib.ts";

const id = { description: "The id of the request. Null if it could not be read." };
const jsonrpc = { type: "string", enum: ["2.0"] };

/** The protocol library validates messages. This schema only describes them. */
export const Message = t.Unsafe<unknown>({
  title: "McpMessage",
  description:
    "One JSON-RPC 2.0 message. Batches are not accepted. In protocol version 2026-07-28, `params` must contain the required `_meta`, and the request the required headers.",
  type: "object",
  additionalProperties: true,
  required: ["jsonrpc", "method"],
  properties: {
    jsonrpc,
    id: { description: "An integer or a string. Notifications have no id." },
    method: {
      type: "string",
      description: "The method, such as `server/discover`, `initialize`, `tools/list` or `tools/call`.",
    },
    params: { type: "object", nullable: true, additionalProperties: true },
  },
  example: {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "billing.refund", arguments: { payment_id: "pay_1", amount: 500 } },
  },
});

const fault = {
  type: "object",
  additionalProperties: true,
  required: ["code", "message"],
  properties: { code: { type: "integer" }, message: { type: "string" } },
};

export const Answer = t.Unsafe<unknown>({
  title: "McpAnswer",
  description: "A JSON-RPC 2.0 response. A refused tool call is a result with `isError` and our `code`.",
  type: "object",
  additionalProperties: true,
  required: ["jsonrpc", "id"],
  properties: { jsonrpc, id, result: { type: "object", additionalProperties: true }, error: fault },
  example: {
    jsonrpc: "2.0",
    id: 1,
    result: {
      content: [{ type: "text", text: '{"object":"proposal","state":"proposed"}' }],
      structuredContent: { object: "proposal", state: "proposed" },
      isError: false,
    },
  },
});

/** An error of the protocol, with the protocol's own codes. */
export const Fault = t.Unsafe<unknown>({
  title: "McpFault",
  description: "The body is not a valid message, or its version, method or headers are not supported.",
  type: "object",
  additionalProperties: true,
  required: ["jsonrpc", "id", "error"],
  properties: { jsonrpc, id, error: fault },
  example: { jsonrpc: "2.0", id: 1, error: { code: -32601, message: "Method not found" } },
});

export const Taken = t.Null({ description: "The message was a notification, which has no response." });
