import {
  hasFault,
  JsonError,
  locate,
  picked,
  readAnswerText,
  readMediaType,
  readPath,
  scanJson,
  scrub,
  scrubText,
} from "../../lib/lib.ts";
import type { ScannedJson } from "../../lib/lib.ts";
import type { Cut, Exchange } from "../../platform/outbound-http/outbound-http.ts";
import type { Contract } from "../contracts/contract.ts";
import { failedCall, successfulCall } from "./backend-call.ts";
import type { CallOutcome } from "./backend-call.ts";

type ResponseHandling = Contract["response"];

/** Statuses of proxies that do not know the outcome of the request that they forwarded. */
const UNKNOWING = new Set([502, 504]);
const PASSING = new Set([408, 425, 429]);
const MAX_SAID = 300;

/**
 * Reads a response according to the contract's `response`, and removes secrets that it repeats. `retryable`: the fault may
 * be temporary.
 */
export function readAnswer(exchange: Exchange, handling: ResponseHandling, secrets: readonly string[]): CallOutcome {
  const { status, errorClass } = exchange;
  if (status === null) return unanswered(exchange);
  if (errorClass === "redirect")
    return failedCall("action_endpoint_redirect", `The backend responded with a redirect (HTTP ${status}).`);
  if (errorClass !== null) return rejectionOf(exchange, handling, secrets);
  return exchange.cut === null ? accepted(exchange, handling, secrets) : cutOff(exchange.cut);
}

const EMPTY = "The backend's response is empty.";
const NO_JSON = "The backend's response is not JSON.";

/**
 * Reads a response with a success status. An empty body is enough. Any other body must be JSON, unless the contract
 * accepts any: the page of a proxy or a sign-in form does not show that the action was performed.
 */
function accepted(exchange: Exchange, handling: ResponseHandling, secrets: readonly string[]): CallOutcome {
  const scanned = bodyOf(exchange);
  if (typeof scanned !== "string") return readingOf(scanned, handling, secrets);
  const { json, success_when: successWhen, result_path: resultPath, expose } = handling;
  const isRead = successWhen !== null || resultPath !== null || expose !== null;
  const isEnough = !isRead && (scanned === EMPTY || (!json && scanned === NO_JSON));
  return isEnough ? successfulCall("null") : unknown(scanned);
}

/** Reads the result of a connector's code in the same way as a backend's response. */
export function readResult(scanned: ScannedJson, handling: ResponseHandling): CallOutcome {
  return readingOf(scanned, handling, []);
}

function readingOf(scanned: ScannedJson, handling: ResponseHandling, secrets: readonly string[]): CallOutcome {
  const { success_when: successWhen, result_path: resultPath, expose } = handling;
  if (successWhen !== null && at(scanned, successWhen.path)?.value !== successWhen.equals) {
    const said = saying(scanned, handling, secrets);
    return failedCall(
      "action_endpoint_failed",
      `The backend's response does not meet the contract's success condition.${said}`,
    );
  }
  const found = resultPath === null ? { at: [], value: scanned.value } : at(scanned, resultPath);
  if (found === undefined) return successfulCall("null");
  const result = { scanned, path: found.at, value: found.value };
  return successfulCall(expose === null ? scrub(result, secrets) : picked(result, expose, secrets));
}

/** The backend sent no status line. */
function unanswered({ errorClass, errorDetail, sent }: Exchange): CallOutcome {
  const why = errorDetail ?? "no answer";
  const more = { outcomeUnknown: sent, retryable: true };
  if (errorClass === "timeout")
    return failedCall("action_endpoint_timeout", `The backend did not respond in time (${why}).`, more);
  const detail = sent ? `The backend did not respond (${why}).` : `The backend could not be reached (${why}).`;
  return failedCall("action_endpoint_failed", detail, more);
}

/** The backend responded with an error. */
function rejectionOf(exchange: Exchange, handling: ResponseHandling, secrets: readonly string[]): CallOutcome {
  const status = exchange.status ?? 0;
  const scanned = exchange.cut === null ? bodyOf(exchange) : EMPTY;
  const said = typeof scanned === "string" ? "" : saying(scanned, handling, secrets);
  return failedCall("action_endpoint_failed", `The backend responded with HTTP ${status}.${said}`, {
    outcomeUnknown: UNKNOWING.has(status),
    retryable: status >= 500 || PASSING.has(status),
  });
}

/** The response has a success status, but it is incomplete. */
function cutOff(cut: Cut): CallOutcome {
  if (cut === "time") {
    const more = { outcomeUnknown: true, retryable: true };
    return failedCall("action_endpoint_timeout", "The backend's response did not end in time.", more);
  }
  return unknown(
    cut === "size"
      ? "The backend's response is larger than 256 KiB."
      : "The backend's response was interrupted, or its compression is invalid.",
  );
}

function unknown(detail: string): CallOutcome {
  return failedCall("action_endpoint_failed", detail, { outcomeUnknown: true });
}

/**
 * Returns the response as JSON, or else a description of the fault. JSON counts under any content type, because many
 * backends leave text/html.
 */
function bodyOf({ body, headers }: Exchange): ScannedJson | string {
  const sentType = headers["content-type"];
  const answer = readAnswerText(body, sentType);
  if (hasFault(answer)) return `The backend's response cannot be read: ${answer.reason}.`;
  if (answer.text === "") return EMPTY;
  const type = readMediaType(sentType ?? "application/json").essence;
  try {
    return scanJson(Buffer.from(answer.text));
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    if (!/^application\/(?:[a-z0-9.!#$&^_+-]+\+)?json$/.test(type)) return NO_JSON;
    return `The backend's response is not well-formed JSON: ${error.message}`;
  }
}

function at({ value }: ScannedJson, path: string): ReturnType<typeof locate> {
  const steps = readPath(path)?.steps;
  return steps === undefined ? undefined : locate(value, steps);
}

/** Returns the backend's own error message. */
function saying(scanned: ScannedJson, { error_path: errorPath }: ResponseHandling, secrets: readonly string[]): string {
  const found = errorPath === null ? undefined : at(scanned, errorPath);
  if (found === undefined || found.value === null) return "";
  const text = typeof found.value === "string" ? found.value : (scanned.slice(found.at) ?? "");
  const words = scrubText(text, secrets)
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim();
  return words === ""
    ? ""
    : ` It says: ${words.length > MAX_SAID ? `${words.slice(0, MAX_SAID)}…` : words}`.toWellFormed();
}
