import type { IdempotencyRef } from "../../access/access.ts";
import type { Admitted, SessionHeaders } from "../../accounts/accounts.ts";
import type { RequestContext } from "../../actions/actions.ts";
import type { ScannedJson } from "../../lib/lib.ts";
import type { Mcp } from "./mcp.ts";
import type { McpRequest } from "./protocol.ts";

export const PATH = "/mcp";

/** A request that passed the access checks and the protocol. */
export interface Exchange {
  readonly mcp: Mcp;
  readonly question: McpRequest;
  readonly caller: Admitted;
  readonly message: unknown;
  /** The name and the version that the client gives itself. */
  readonly client: string | null;
  /** The message with the exact source text of its parts. */
  readonly scanned: ScannedJson | null;
  readonly session: SessionHeaders;
  /** Null for a read. */
  readonly ref: IdempotencyRef | null;
}

/** Returns the identity of a write, for its idempotency. */
export function writeRequest({ ref, caller }: Pick<Exchange, "ref" | "caller">): RequestContext {
  if (ref === null) throw new Error("a write has no idempotency reference");
  return { ref, instance: PATH, requestId: caller.requestId };
}
