import type { ErrorCode } from "./generated/types.ts";

/** One invalid value. `pointer` is an RFC 6901 pointer into the body, or `/query/<name>`. */
export interface Violation {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** A problem document (RFC 9457) as it was received, with members of specific codes, such as `reason`. */
export interface Problem {
  readonly type?: string;
  readonly title?: string;
  readonly status?: number;
  readonly code?: string;
  readonly detail?: string;
  readonly instance?: string;
  readonly request_id?: string;
  readonly retryable?: boolean;
  readonly errors?: readonly Violation[];
  readonly [member: string]: unknown;
}

export interface ErrorFacts {
  readonly code: string;
  readonly message: string;
  /** The HTTP status. Null without a response. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly raw: string;
  readonly problem: Problem | null;
  readonly retryable: boolean;
  readonly operation: string | null;
  readonly idempotencyKey: string | null;
  readonly attempts: number;
  readonly retryAfter: number | null;
  readonly cause?: unknown;
}

/** The base class of all errors of a call. Branch on the class or on `code`. */
export class ServiceError extends Error {
  /** The code to branch on: the service's code, `http_<status>` without one, or a code such as `connection_failed` or `timeout`. */
  readonly code: ErrorCode;
  /** The HTTP status. Null without a response. */
  readonly status: number | null;
  /** The id of the request in the service's logs. Send it to support. */
  readonly requestId: string | null;
  /** The response headers, in lower case. Empty without a response. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text of the response. */
  readonly raw: string;
  /** The parsed response. Null if it is not a JSON object. */
  readonly problem: Problem | null;
  /** All invalid values. Empty if the error is not about values. */
  readonly errors: readonly Violation[];
  /** True if the same call can succeed later. */
  readonly retryable: boolean;
  /** The dotted name of the operation. Null for a custom path. */
  readonly operation: string | null;
  /** The idempotency key. Repeat the call with this key, so that it takes effect only once. Null for a read. */
  readonly idempotencyKey: string | null;
  /** The number of requests that were sent. */
  readonly attempts: number;

  constructor(facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.code = facts.code;
    this.status = facts.status;
    this.requestId = facts.headers["x-service-request-id"] ?? textOr(facts.problem?.request_id, null);
    this.headers = facts.headers;
    this.raw = facts.raw;
    this.problem = facts.problem;
    const errors: unknown = facts.problem?.errors;
    this.errors = Array.isArray(errors) ? (errors as readonly Violation[]) : [];
    this.retryable = facts.retryable;
    this.operation = facts.operation;
    this.idempotencyKey = facts.idempotencyKey;
    this.attempts = facts.attempts;
  }
}

/** 401: the credential is missing, invalid or expired, or the signature does not match. */
export class AuthenticationError extends ServiceError {}

/** 403: the key is not allowed to do this, or the object belongs to another workspace. */
export class PermissionError extends ServiceError {}

/** 429: the rate limit is exceeded. */
export class RateLimitError extends ServiceError {
  /** The number of seconds after which the call can succeed. */
  readonly retryAfter: number | null;

  constructor(facts: ErrorFacts) {
    super(facts);
    this.retryAfter = facts.retryAfter;
  }
}

/** The idempotency key is malformed, was used for another request, or belongs to a request that is still running. */
export class IdempotencyError extends ServiceError {}

/** 400, 413, 415, 422: the request is not valid. `errors` has the invalid values. */
export class ValidationError extends ServiceError {}

/** 404: the object, action or path does not exist. */
export class NotFoundError extends ServiceError {}

/** 409: the object's state does not allow this operation. `errors` says why for `schema_incompatible` and `transform_cases_failed`. */
export class ConflictError extends ServiceError {}

/** 500 to 599: the service failed. */
export class ServerError extends ServiceError {}

/** No readable response was received: `connection_failed`, `response_unreadable` or `redirect_refused`. */
export class ConnectionError extends ServiceError {}

/** No response in time: `timeout` of an attempt, `deadline_exceeded` of the call, or status 408. */
export class TimeoutError extends ServiceError {}

/** The reason why a delivery is refused. Respond with 401. */
export class WebhookVerificationError extends Error {
  readonly reason: VerificationFault;

  constructor(reason: VerificationFault, message: string) {
    super(message);
    this.name = "WebhookVerificationError";
    this.reason = reason;
  }
}

export type VerificationFault =
  | "body_not_raw"
  | "secret_missing"
  | "secret_invalid"
  | "signature_missing"
  | "timestamp_missing"
  | "timestamp_invalid"
  | "signature_invalid"
  | "timestamp_out_of_range"
  | "body_invalid";

type ErrorClass = new (facts: ErrorFacts) => ServiceError;

const BY_STATUS: Readonly<Record<number, ErrorClass>> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  408: TimeoutError,
  409: ConflictError,
  413: ValidationError,
  415: ValidationError,
  422: ValidationError,
  429: RateLimitError,
};

/** Returns the error for an unsuccessful response. The rule is in conformance/errors.json. */
export function errorOf(facts: ErrorFacts): ServiceError {
  const { code, status } = facts;
  if (code.startsWith("idempotency_")) return new IdempotencyError(facts);
  if (status === null) return new ConnectionError(facts);
  if (status < 400) return new ConnectionError(facts);
  const Chosen = BY_STATUS[status] ?? (status >= 500 ? ServerError : ServiceError);
  return new Chosen(facts);
}

/** Returns the JSON object in a text, or null. */
export function problemOf(text: string): Problem | null {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    return JSON.parse(text) as Problem;
  } catch {
    return null;
  }
}

export function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === "string" && value !== "" ? value : other;
}
