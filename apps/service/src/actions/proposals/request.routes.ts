import type { FastifyRequest } from "fastify";
import { idempotencyRefOf } from "../../access/access.ts";
import type { OwnWriteRequest } from "../../access/access.ts";
import { callerOf } from "../../accounts/accounts.ts";
import { pathWithoutCredentials } from "../../lib/lib.ts";
import type { Id } from "../../lib/lib.ts";
import { askerOf } from "../callers/actor.ts";
import type { ActionCaller } from "../callers/actor.ts";
import type { RequestContext } from "../requests/action-request.ts";
import type { Decider, Target } from "./close-proposal.ts";

export function askerOfRequest(request: FastifyRequest): ActionCaller {
  return askerOf(callerOf(request), { ip: request.ip, display: null });
}

/** Returns the caller of a decision. A person has a console session, or a key that is bound to a member. */
export function deciderOf(request: FastifyRequest): Decider {
  const { key } = callerOf(request);
  return { asker: askerOfRequest(request), isPerson: key.actorType === "user" && key.memberId !== null };
}

export function requestContext(request: FastifyRequest & OwnWriteRequest): RequestContext {
  return { ref: idempotencyRefOf(request), instance: pathWithoutCredentials(request.url), requestId: request.id as Id };
}

/** Returns what a request about one proposal or run decides on, and the request's context. */
export function targetOf(request: FastifyRequest & OwnWriteRequest): Target {
  const { id } = request.params as { readonly id: string };
  return { id, request: requestContext(request) };
}
