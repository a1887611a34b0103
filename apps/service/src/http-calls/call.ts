import { ANSWER_ROOTS } from "./template.ts";
import { factsOf, holds, readCondition, sourceOfText } from "../events/events.ts";
import { parseJson, scanJson, UNITS_PER_MS, WorkBudget } from "../lib/lib.ts";
import type { Method } from "../platform/outbound-http/outbound-http.ts";

/** How a call proves who makes it. The secret is the one that `secret_ref` names in the call's environment. */
export interface CallAuth {
  readonly type: "bearer" | "basic" | "api_key" | "oauth2_client_credentials";
  readonly secret_ref: string;
  /** The place of an API key. Default: a header. */
  readonly in?: "header" | "query";
  /** The name of the header or of the query parameter. */
  readonly name?: string;
  /** The earlier spelling of `name`. */
  readonly header?: string;
  readonly token_url?: string;
  readonly client_id?: string;
  readonly scope?: string;
}

/** A call whose values are filled in, as it is stored. It contains no secret. */
export interface HttpCall {
  readonly method: Method;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly content_type: string | null;
  readonly auth: CallAuth | null;
  readonly timeout_ms: number | null;
  readonly retries: number | null;
  /** The members of the response's body that are kept. Null: all. */
  readonly expose: readonly string[] | null;
  /** A condition over the response. Null: a status from 200 to 299. */
  readonly success_when: object | null;
  /** Undefined in calls of earlier versions. */
  readonly sign?: boolean | null;
}

export const DEFAULT_TIMEOUT_MS = 10_000;
export const DEFAULT_RETRIES = 3;

/** Reads a stored call. */
export function readCall(text: string): HttpCall {
  return parseJson(text) as HttpCall;
}

/** The work for the condition of one answer, which has at most 64 KiB. Many answers can arrive at the same moment. */
const ANSWER_UNITS = 5 * UNITS_PER_MS;

/** Returns whether a response is a success. `answer` returns it as JSON text. Throws `TooExpensiveError`. */
export function isSuccess(callText: string, status: number, answer: () => string): boolean {
  const { success_when: condition } = readCall(callText);
  if (condition === null) return status >= 200 && status <= 299;
  const scan = scanJson(Buffer.from(callText));
  const { condition: compiled } = readCondition({ scan, place: ["success_when"], roots: ANSWER_ROOTS });
  const source = sourceOfText(answer());
  const facts = factsOf(Object.fromEntries(ANSWER_ROOTS.map((root) => [root, (steps) => source([root, ...steps])])));
  return holds(compiled, facts, new WorkBudget(ANSWER_UNITS));
}
