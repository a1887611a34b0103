import type { FastifyReply, FastifyRequest } from "fastify";
import type { Id } from "../../lib/lib.ts";
import type { Request } from "../../actions/actions.ts";
import type { Mcp } from "./mcp.ts";
import type { McpRequest } from "./protocol.ts";

export const PATH = "/mcp";

/** A request that passed the access checks and the protocol. */
export interface Exchange {
  readonly mcp: Mcp;
  readonly question: McpRequest;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Returns the identity of a write, for its idempotency. */
export function requestOf({ idempotencyRef: ref, id }: FastifyRequest): Request {
  if (ref === null) throw new Error("a write has no idempotency reference");
  return { ref, instance: PATH, requestId: id as Id };
}
