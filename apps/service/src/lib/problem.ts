import { pathWithoutCredentials, pointerWithoutCredentials, withoutKeys } from "./credential-text.ts";
import { errorGuide } from "./error-guide.ts";
import type { ServiceError } from "./errors.ts";

export interface ProblemPlace {
  readonly baseUrl: string;
  /** The request's target as received. */
  readonly instance: string;
  readonly requestId: string;
}

/**
 * Returns the RFC 9457 document of a refusal. `errors` is empty if no single value is at fault. An internal error shows
 * no details, and a credential that the caller sent is never shown.
 */
export function problemOf(error: ServiceError, place: ProblemPlace): Record<string, unknown> {
  const { status, title, retryable } = error.kind;
  const { detail = errorGuide[error.code].remedy, errors = [], extra } = error.details;
  return {
    type: `${place.baseUrl}/docs/errors/${error.code}`,
    title,
    status,
    code: error.code,
    detail: withoutKeys(detail),
    instance: pathWithoutCredentials(place.instance),
    request_id: place.requestId,
    retryable,
    errors: errors.map((one) => ({
      ...one,
      pointer: pointerWithoutCredentials(one.pointer),
      message: withoutKeys(one.message),
    })),
    ...extra,
  };
}
