import { ServiceError } from "../../../lib/lib.ts";
import type { Violation } from "../../../lib/lib.ts";
import type { RpcError } from "../protocol.ts";

/** The codes of SEP-3415. */
const NOT_FOUND = -32_011;
const FORBIDDEN = -32_012;
const LIMIT = -32_013;
const UNSUPPORTED = -32_014;
const CALLBACK = -32_015;

/** A refusal that has a code of its own in the protocol. Other refusals are -32602. */
export class RpcRefusal extends ServiceError {
  readonly rpc: RpcError;

  constructor(rpc: RpcError) {
    super("validation_failed", { detail: rpc.message });
    this.name = "RpcRefusalError";
    this.rpc = rpc;
  }
}

export type CallbackFault =
  | "connection_refused"
  | "timeout"
  | "tls_error"
  | "http_4xx"
  | "http_5xx"
  | "challenge_failed";

export function unknownEvent(): RpcRefusal {
  const message = "There is no such event type. events/list returns the names.";
  return new RpcRefusal({ code: NOT_FOUND, message, data: { kind: "event" } });
}

export function forbidden(message: string): RpcRefusal {
  return new RpcRefusal({ code: FORBIDDEN, message });
}

export function tooMany(max: number): RpcRefusal {
  const message = `A client can have at most ${max} subscriptions. End one of them first.`;
  return new RpcRefusal({ code: LIMIT, message, data: { limit: "subscriptions", max } });
}

export function unsupported(feature: "delivery.mode" | "cursor", message: string): RpcRefusal {
  return new RpcRefusal({ code: UNSUPPORTED, message, data: { feature } });
}

/** Contains nothing of the receiver's response. */
export function unverified(reason: CallbackFault): RpcRefusal {
  const message = "The callback URL did not repeat the challenge. Nothing was stored.";
  return new RpcRefusal({ code: CALLBACK, message, data: { reason } });
}

export function invalid(errors: readonly Violation[]): ServiceError {
  return new ServiceError("validation_failed", { errors });
}
