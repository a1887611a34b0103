import { isRecord } from "../../lib/lib.ts";

/** A client repeats the same few requests with other arguments. Requests beyond these limits are judged each time. */
const MOST_KEPT = 500;
const MOST_LENGTH = 2000;

/** The methods that clients send all day. */
const FREQUENT: ReadonlySet<unknown> = new Set(["tools/call", "tools/list"]);

/**
 * Returns all that the judgement of a request by the protocol library depends on: its headers, and its message without the value of its
 * id and the arguments of its tool, which the library only requires to be an object. Undefined for a request that is judged each time.
 */
export function shapeOf(message: unknown, headers: Readonly<Record<string, string>>): string | undefined {
  if (!isRecord(message) || !FREQUENT.has(message["method"])) return undefined;
  const { id, params, ...others } = message;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return undefined;
  const given = isRecord(params) && isRecord(params["arguments"]) ? { ...params, arguments: {} } : params;
  const text = JSON.stringify([headers, typeof id, others, given]);
  return text.length > MOST_LENGTH ? undefined : text;
}

/** Keeps values by the shapes of their requests, the newest ones. */
export function createKept<Value>() {
  const values = new Map<string, Value>();
  return {
    get: (shape: string | undefined): Value | undefined => (shape === undefined ? undefined : values.get(shape)),
    set(shape: string | undefined, value: Value): void {
      if (shape === undefined || values.has(shape)) return;
      const [oldest] = values.size < MOST_KEPT ? [] : values.keys();
      if (oldest !== undefined) values.delete(oldest);
      values.set(shape, value);
    },
  };
}
