import { toJson } from "./json.ts";

/** The options of one call. They take precedence over the options of the client. */
export interface CallOptions {
  /** 1 to 255 visible ASCII characters. Default for a write: a UUID. All attempts of a call use the same key. */
  readonly idempotencyKey?: string | undefined;
  /** Timeout per attempt in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Deadline of the call in milliseconds, including waits. */
  readonly deadlineMs?: number | undefined;
  /** Maximum number of retries. */
  readonly maxRetries?: number | undefined;
  /** Aborts the call, which then throws the signal's reason. */
  readonly signal?: Signal | undefined;
  /** Sent in addition to the SDK's own headers, which they cannot replace. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The shape of an `AbortSignal`, so that these types do not require the DOM. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Details of a response. */
export interface ResponseFacts {
  readonly status: number;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The id of the request in the service's logs. */
  readonly requestId: string | null;
  /** The idempotency key of all attempts. Null for a read. */
  readonly idempotencyKey: string | null;
  /** True if this is the stored response of an earlier request with the same key. */
  readonly replayed: boolean;
  /** The number of requests that were sent. */
  readonly attempts: number;
}

/** A response as the service sent it. `$response` is hidden: it is neither printed nor copied. */
export type Answered<Body> = Body & { readonly $response: ResponseFacts };

/** A response without a body. */
export type NoContent = Answered<{ [member: string]: never }>;

/** A response that is not JSON, such as CSV. */
export type TextAnswer = Answered<{ text: string }>;

export interface Call {
  /** The dotted name. Undefined for a custom path. */
  readonly operation?: string;
  readonly method: string;
  /** The escaped path, including the query. */
  readonly path: string;
  readonly body?: unknown;
  /** True if the request has an Idempotency-Key. */
  readonly write: boolean;
  /** The required content of a success. `any`: any JSON. */
  readonly answer: "json" | "text" | "none" | "any";
}

/** Sends calls and retries them. Throws a `ServiceError` if a call fails. */
export interface Transport {
  send<Body>(call: Call, options: CallOptions): Promise<Answered<Body>>;
}

/** Escapes a path parameter. Empty texts and dots are refused, because they would lead to another route. */
export function escape(value: string, name: string): string {
  if (typeof value !== "string" || value === "" || value === "." || value === "..") {
    throw new TypeError(`${name} must be a non-empty string${value === "" ? "" : " that does not consist of dots"}.`);
  }
  return encodeURIComponent(value);
}

/** Returns `?a=1&b=2`, or "". Undefined and null values are omitted. A list repeats its parameter. */
export function queryText(query: object): string {
  const pairs = Object.entries(query).flatMap(([name, value]: [string, unknown]) =>
    (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((one) =>
      one === undefined || one === null ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(textOf(one))}`],
    ),
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "string" ? value : toJson(value);
}
