import {
  AuthenticationError,
  ConnectionError,
  PermissionError,
  RateLimitError,
  ServerError,
  ServiceError,
  TimeoutError,
  WebhookVerificationError,
} from "../../../sdks/node/src/index.ts";
import type { Violation } from "../../../sdks/node/src/index.ts";
import { CommandError } from "../../../packages/command-line/src/command-line.ts";
import { EXIT } from "./exit.ts";
import { redacted, visible } from "./text.ts";

/** The reason why a command failed, as it is reported. */
export interface Failure {
  readonly exit: number;
  readonly title: string;
  readonly detail: string | null;
  readonly code: string | null;
  readonly status: number | null;
  readonly requestId: string | null;
  /** The key of the request. A repetition of the command with this key has no second effect. */
  readonly idempotencyKey: string | null;
  readonly errors: readonly Violation[];
}

const NONE = { detail: null, code: null, status: null, requestId: null, idempotencyKey: null, errors: [] };

const STRANGE =
  "The response does not match the API. Check that JUNCTION_BASE_URL is a Junction service of this version.";

/** Returns true for an error of our own code at members that a response should have had. */
function isStumble(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  return error instanceof TypeError && /^Cannot |is not (?:a function|iterable|a constructor)/.test(error.message);
}

export function failureOf(error: unknown): Failure {
  if (error instanceof CommandError) return { ...NONE, exit: error.exit, title: error.message };
  if (error instanceof ServiceError) return refusalOf(error);
  if (error instanceof WebhookVerificationError)
    return { ...NONE, exit: EXIT.refused, title: error.message, code: error.reason };
  if (isAbort(error)) return { ...NONE, exit: EXIT.interrupted, title: "Interrupted." };
  if (isStumble(error)) return { ...NONE, exit: EXIT.unavailable, title: STRANGE };
  // The SDK refuses such a call before it sends anything: an empty id, or the form of an idempotency key.
  if (error instanceof TypeError) return { ...NONE, exit: EXIT.usage, title: error.message };
  return { ...NONE, exit: EXIT.refused, title: error instanceof Error ? error.message : String(error) };
}

/** Returns the text of a failure, without a key, a secret, or text that controls a terminal. */
export function failureText(failure: Failure): string {
  const { title, detail, errors, requestId, idempotencyKey } = failure;
  const lines = [
    `junction: ${plain(title)}`,
    ...(detail === null || detail === title ? [] : [`  ${plain(detail)}`]),
    ...errors.map(({ pointer, message }) => `  ${plain(`${pointer === "" ? "the body" : pointer} ${message}`)}`),
    ...(requestId === null ? [] : [`  request: ${visible(requestId)}`]),
    ...(idempotencyKey === null || failure.exit === EXIT.refused
      ? []
      : [`  to retry safely: --idempotency-key ${visible(idempotencyKey)}`]),
  ];
  return `${lines.join("\n")}\n`;
}

export function failureJson(failure: Failure): string {
  const { title, detail, code, status, requestId, idempotencyKey, errors, exit } = failure;
  const error = {
    title,
    detail,
    code,
    status,
    request_id: requestId,
    idempotency_key: idempotencyKey,
    errors,
    exit_code: exit,
  };
  return `${redacted(JSON.stringify({ error }))}\n`;
}

function plain(text: string): string {
  return text
    .split("\n")
    .map((line) => visible(line))
    .join("\n");
}

function refusalOf(error: ServiceError): Failure {
  const { problem, code, status, requestId, idempotencyKey, message } = error;
  const title = typeof problem?.title === "string" ? problem.title : message;
  // The message also names the first wrong value, and all of them follow.
  const detail = typeof problem?.detail === "string" ? problem.detail : message;
  const errors: unknown = problem?.errors;
  return {
    exit: exitOf(error),
    title,
    detail: detail === title ? null : detail,
    code,
    status,
    requestId,
    idempotencyKey,
    errors: Array.isArray(errors) ? errors.filter(isViolation) : [],
  };
}

function isViolation(value: unknown): value is Violation {
  const { pointer, message } = { ...(value as Partial<Violation> | null) };
  return typeof pointer === "string" && typeof message === "string";
}

function exitOf(error: ServiceError): number {
  if (error instanceof AuthenticationError || error instanceof PermissionError) return EXIT.denied;
  if (error instanceof RateLimitError) return EXIT.later;
  const isGone = error instanceof ServerError || error instanceof ConnectionError || error instanceof TimeoutError;
  return isGone ? EXIT.unavailable : EXIT.refused;
}

export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** Returns true if only the service's state is the cause: no response, a 5xx, a rate limit. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  const exit = exitOf(error);
  return exit === EXIT.unavailable || exit === EXIT.later;
}
