import type { RateLimiter, RateSubject, Token } from "../../access/access.ts";
import type { Pinned } from "../registry/connectors.ts";

/** Takes one call from a connector's rate limit, which all nodes share. */
export async function takeCall(
  rates: RateLimiter,
  { scope, key }: Pick<Pinned, "scope" | "key">,
  limit: Pick<RateSubject, "operation" | "perMinute" | "perHour">,
): Promise<Token> {
  return await rates.take({ bucket: scope.bucket, subject: `connector:${scope.tag}:${key}`, ...limit });
}
