import { errorGuide } from "./error-guide.ts";
import type { ServiceError } from "./errors.ts";

export interface ProblemPlace {
  readonly baseUrl: string;
  readonly instance: string;
  readonly requestId: string;
}

/** RFC 9457 document of a refusal; `errors` is empty where no single value is at fault. A fault of ours says nothing of its inside. */
export function problemOf(error: ServiceError, place: ProblemPlace): Record<string, unknown> {
  const { status, title, retryable } = error.kind;
  const { detail = errorGuide[error.code].remedy, errors = [], extra } = error.details;
  return {
    type: `${place.baseUrl}/docs/errors/${error.code}`,
    title,
    status,
    code: error.code,
    detail,
    instance: place.instance,
    request_id: place.requestId,
    retryable,
    errors,
    ...extra,
  };
}
