import { isRecord, parseJson, pointerOf } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";

const INVALID_PARAMS = -32602;
/** The text of the library's validator for a value of another type. */
const OTHER_TYPE = /Invalid input: expected (\w+), received (\w+)/g;

const REQUIRED = "is required";

/** Returns a response of the protocol library with our own words in place of those of its validator. */
export function inOwnWords(method: string, body: string): string {
  if (!body.includes("Invalid input") && !body.includes('\\"code\\"')) return body;
  const answer = parseJson(body);
  if (!isRecord(answer) || !isRecord(answer["error"]) || typeof answer["error"]["message"] !== "string") return body;
  const { message } = answer["error"];
  const issues = issuesOf(message);
  if (issues === undefined) return body.replaceAll(OTHER_TYPE, wordsFor);
  const errors = issues.map(violationOf);
  const words = errors.map((one) => `${one.pointer || "params"} ${one.message}`).join(", ");
  const error = {
    code: INVALID_PARAMS,
    message: `${method} cannot be read: ${words}.`,
    data: { code: "validation_failed", errors },
  };
  return JSON.stringify({ ...answer, error });
}

/** Returns the issues that the validator wrote into a message as JSON; undefined if there are none. */
function issuesOf(message: string): Record<string, unknown>[] | undefined {
  const start = message.indexOf("[");
  if (start === -1) return undefined;
  try {
    const issues = parseJson(message.slice(start));
    return Array.isArray(issues) && issues.length > 0 && issues.every(isRecord) ? issues : undefined;
  } catch {
    return undefined;
  }
}

function violationOf({ path, message }: Record<string, unknown>): Violation {
  // Pointers are relative to the params, as in our own refusals.
  const pointer = pointerOf(Array.isArray(path) ? path.slice(1).map(String) : []);
  const words = String(message).replaceAll(OTHER_TYPE, wordsFor);
  if (words === message) return { pointer, code: "invalid", message: "is not valid" };
  return { pointer, code: words === REQUIRED ? "required" : "type", message: words };
}

function wordsFor(_text: string, expected: string, received: string): string {
  if (received === "undefined") return REQUIRED;
  const type = expected === "record" ? "object" : expected;
  return `must be ${/^[aio]/.test(type) ? "an" : "a"} ${type}`;
}
