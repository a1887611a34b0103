import type { FastifyRequest } from "fastify";
import type { ServiceError } from "../lib/lib.ts";
import type { AccessChecks } from "./access-checks.ts";

/**
 * Returns the refusal that comes first: a reused idempotency key is refused before the body's values and business data are (contract,
 * section 3). Most writes claim their key before either is looked at. A write that claims its key with its effect is compared here, after
 * another refusal, so that a good one needs no extra query.
 */
export async function firstRefusal(
  accessChecks: AccessChecks,
  { access: { operation, ref } }: FastifyRequest,
  refusal: ServiceError,
): Promise<ServiceError> {
  if (ref === undefined || operation?.ownIdempotency !== true || refusal.kind.status >= 500) return refusal;
  return (await accessChecks.idempotency.reuse(ref)) ?? refusal;
}
