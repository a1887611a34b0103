import type { ErrorCode } from "./generated/types.ts";

/** One value at fault; `pointer` is RFC 6901 into the body, or `/query/<name>`. */
export interface Violation {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** A problem document (RFC 9457) as it came; members that belong to one code, such as `reason`, are here. */
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
  /** Null where no answer came. */
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

/** Why a call did not succeed. Every error of a call is one; branch on the class or on `code`. */
export class ServiceError extends Error {
  /** What to branch on: the service's code, `http_<status>` for an answer without one, or `connection_failed`, `timeout` and the like. */
  readonly code: ErrorCode;
  /** Null where no answer came. */
  readonly status: number | null;
  /** What to give support. */
  readonly requestId: string | null;
  /** Of the answer, in lower case; empty where none came. */
  readonly headers: Readonly<Record<string, string>>;
  /** The answer's text as it came. */
  readonly raw: string;
  /** The parsed answer; null where it is no JSON object. */
  readonly problem: Problem | null;
  /** Whether the same call can succeed later. */
  readonly retryable: boolean;
  /** The dotted name of what was called; null for a path of your own. */
  readonly operation: string | null;
  /** Give it to the next call, and the work is done once even if this one did it. Null for a read. */
  readonly idempotencyKey: string | null;
  /** How many requests were sent. */
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
    this.retryable = facts.retryable;
    this.operation = facts.operation;
    this.idempotencyKey = facts.idempotencyKey;
    this.attempts = facts.attempts;
  }
}

/** 401: no credential, a wrong or expired one, a signature that does not match. */
export class AuthenticationError extends ServiceError {}

/** 403: the key may not do this, or the object is another workspace's. */
export class PermissionError extends ServiceError {}

/** 429. */
export class RateLimitError extends ServiceError {
  /** Seconds after which the call succeeds. */
  readonly retryAfter: number | null;

  constructor(facts: ErrorFacts) {
    super(facts);
    this.retryAfter = facts.retryAfter;
  }
}

/** The idempotency key is malformed, was used for another request, or its first request still runs. */
export class IdempotencyError extends ServiceError {}

/** 400, 413, 415, 422: the request is at fault. */
export class ValidationError extends ServiceError {
  /** All values at fault at once; empty where no single one is. */
  readonly errors: readonly Violation[];

  constructor(facts: ErrorFacts) {
    super(facts);
    const errors: unknown = facts.problem?.errors;
    this.errors = Array.isArray(errors) ? (errors as readonly Violation[]) : [];
  }
}

/** 404. */
export class NotFoundError extends ServiceError {}

/** 409: the object's state does not allow this. */
export class ConflictError extends ServiceError {}

/** 500 to 599. */
export class ServerError extends ServiceError {}

/** No answer came, or none that can be read: `connection_failed`, `response_unreadable`, `redirect_refused`. */
export class ConnectionError extends ServiceError {}

/** No answer in time: `timeout` of a try, `deadline_exceeded` of the call, or a 408. */
export class TimeoutError extends ServiceError {}

/** Why a delivery is refused; answer it with 401. */
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

/** The error of an answer that is no success. conformance/errors.json has the rule. */
export function errorOf(facts: ErrorFacts): ServiceError {
  const { code, status } = facts;
  if (code.startsWith("idempotency_")) return new IdempotencyError(facts);
  if (status === null) return new ConnectionError(facts);
  if (status < 400) return new ConnectionError(facts);
  const Chosen = BY_STATUS[status] ?? (status >= 500 ? ServerError : ServiceError);
  return new Chosen(facts);
}

/** The JSON object that a text holds; null where it holds none. */
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
