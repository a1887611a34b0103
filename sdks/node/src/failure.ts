import { errorOf, problemOf, textOr, TimeoutError } from "./errors.ts";
import type { ErrorFacts, Problem, ServiceError, Violation } from "./errors.ts";
import { isRetried, retryAfterSeconds } from "./retry.ts";

/** A completely read response. */
export interface Received {
  readonly status: number;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The error of a failed attempt, and whether it can be retried. */
export interface Failed {
  readonly error: ServiceError;
  readonly again: boolean;
}

/** The facts that all errors of one attempt share. */
export interface TryFacts {
  readonly operation: string | null;
  readonly idempotencyKey: string | null;
  readonly attempts: number;
  readonly timeoutMs: number;
  readonly origin: string;
  /** Secrets that must not appear in an error. A proxy can echo a request. */
  readonly secrets: readonly string[];
}

/** Returns the failure for an unsuccessful status. */
export function refusedBy(answer: Received, facts: TryFacts): Failed {
  const { status, text } = answer;
  if (status < 400) {
    const message = `The service responded with ${status}, a redirect. Redirects are not followed, because they would forward the key. Check baseUrl.`;
    return { error: errorFor(facts, { code: "redirect_refused", message, answer }), again: false };
  }
  const problem = problemOf(text);
  const code = textOr(problem?.code, `http_${status}`);
  const said = textOr(problem?.detail, textOr(problem?.title, describe(answer)));
  const message = [said, ...faultsOf(problem)].join(" ");
  return { error: errorFor(facts, { code, message, answer }), again: isRetried(status, code, problem?.retryable) };
}

/** Returns the first invalid value and the number of others, for logs that show only the message, or []. */
function faultsOf(problem: Problem | null): string[] {
  const errors: unknown = problem?.errors;
  const faults = Array.isArray(errors) ? errors.flatMap(faultText) : [];
  const [first] = faults;
  if (first === undefined) return [];
  return faults.length === 1 ? [first] : [`${first} (and ${faults.length - 1} more)`];
}

function faultText(violation: unknown): string[] {
  const { pointer, message } = { ...(violation as Partial<Violation> | null) };
  const text = textOr(message, null);
  return text === null ? [] : [`${textOr(pointer, "the body")} ${text}`];
}

/** Returns the failure for an incomplete success, such as half of its JSON. The idempotency key makes a retry safe. */
export function unreadable(answer: Received, facts: TryFacts): Failed {
  const what = answer.text === "" ? "an empty body" : "a body that is not the expected JSON";
  const message = `The service responded with ${answer.status} and ${what}.`;
  return { error: errorFor(facts, { code: "response_unreadable", message, answer }), again: true };
}

export function outOfTime(code: "timeout" | "deadline_exceeded", facts: TryFacts): Failed {
  const isTry = code === "timeout";
  const message = isTry ? `No response within ${facts.timeoutMs} ms.` : "The call did not end before its deadline.";
  return { error: errorFor(facts, { code, message }), again: isTry };
}

export function disconnected(cause: unknown, facts: TryFacts): Failed {
  const message = `No response from ${facts.origin}: ${reasonOf(cause)}.`;
  return { error: errorFor(facts, { code: "connection_failed", message, cause }), again: true };
}

interface Found {
  readonly code: string;
  readonly message: string;
  readonly answer?: Received;
  readonly cause?: unknown;
}

const NOTHING: Received = { status: 0, headers: {}, text: "" };

function errorFor({ secrets, operation, idempotencyKey, attempts }: TryFacts, found: Found): ServiceError {
  const { headers, text, status } = found.answer ?? NOTHING;
  const raw = cleaned(text, secrets);
  const problem = problemOf(raw);
  const facts: ErrorFacts = {
    code: cleaned(found.code, secrets),
    message: cleaned(found.message, secrets),
    status: found.answer === undefined ? null : status,
    headers: cleanedHeaders(headers, secrets),
    raw,
    problem,
    retryable: isRetryable(status, found.code, problem),
    operation,
    idempotencyKey,
    attempts,
    retryAfter: retryAfterSeconds(headers["retry-after"], Date.now()) ?? null,
    cause: cleanedCause(found.cause, secrets),
  };
  return isOutOfTime(found.code) ? new TimeoutError(facts) : errorOf(facts);
}

/**
 * Returns true if the call can be retried. The service's own `retryable` takes precedence. Interrupted exchanges and
 * some statuses can be retried.
 */
function isRetryable(status: number, code: string, problem: Problem | null): boolean {
  if (typeof problem?.retryable === "boolean") return problem.retryable;
  return status < 300 || isRetried(status, code, undefined);
}

function isOutOfTime(code: string): boolean {
  return code === "timeout" || code === "deadline_exceeded";
}

function describe({ status, text, headers }: Received): string {
  const type = headers["content-type"]?.split(";")[0];
  const what = type === undefined ? "" : ` and ${type}`;
  return `The service responded with ${status}${text === "" ? " and an empty body" : what}.`;
}

/** Returns the code, such as `ECONNREFUSED`, which `fetch` hides in `cause`, or the message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { cause?: { code?: unknown; message?: unknown } };
  return textOr(cause?.code, textOr(cause?.message, error.message));
}

function cleaned(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, "[redacted]"), text);
}

function cleanedHeaders(headers: Received["headers"], secrets: readonly string[]): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]) => [name, cleaned(value, secrets)]);
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** Returns a copy that can be printed. The original can contain the request with its headers. */
function cleanedCause(cause: unknown, secrets: readonly string[], depth = 0): Error | undefined {
  if (!(cause instanceof Error) || depth > 2) return undefined;
  const inner = cleanedCause(cause.cause, secrets, depth + 1);
  const copy = new Error(cleaned(cause.message, secrets), inner === undefined ? undefined : { cause: inner });
  const { code } = cause as { code?: unknown };
  copy.name = cause.name;
  copy.stack = cleaned(cause.stack ?? "", secrets);
  return typeof code === "string" ? Object.assign(copy, { code }) : copy;
}
