import { toJson } from "./json.ts";

/** What may be said of one call; it counts before what was said of the client. */
export interface CallOptions {
  /** 1 to 255 visible ASCII characters. A write without one gets a UUID; either way all its tries share it. */
  readonly idempotencyKey?: string | undefined;
  /** Of each try. */
  readonly timeoutMs?: number | undefined;
  /** Of the whole call, waits included. */
  readonly deadlineMs?: number | undefined;
  /** Tries beside the first. */
  readonly maxRetries?: number | undefined;
  /** Ends the call: it throws the signal's reason. */
  readonly signal?: Signal | undefined;
  /** Sent beside the SDK's own, which they cannot replace. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An `AbortSignal`, told by its shape so that these types need no DOM. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** How an answer came about. */
export interface ResponseFacts {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The service's id of this exchange. */
  readonly requestId: string | null;
  /** The key that all tries carried; null for a read. */
  readonly idempotencyKey: string | null;
  /** Whether the service gave the answer of an earlier request with the key. */
  readonly replayed: boolean;
  /** How many requests were sent. */
  readonly attempts: number;
}

/** An answer as the service gave it. `$response` is no part of it: it is neither printed nor copied. */
export type Answered<Body> = Body & { readonly $response: ResponseFacts };

/** There is nothing to answer. */
export type NoContent = Answered<{ [member: string]: never }>;

/** An answer that is no JSON, such as CSV. */
export type TextAnswer = Answered<{ text: string }>;

export interface Call {
  /** The dotted name; undefined for a path of the caller's own. */
  readonly operation?: string;
  readonly method: string;
  /** Escaped, with its query. */
  readonly path: string;
  readonly body?: unknown;
  /** Whether it carries an Idempotency-Key. */
  readonly write: boolean;
  /** What a success must hold. `any`: whatever JSON there is. */
  readonly answer: "json" | "text" | "none" | "any";
}

/** Sends calls, tries again, and throws a `ServiceError` where there is no success. */
export interface Transport {
  send<Body>(call: Call, options: CallOptions): Promise<Answered<Body>>;
}

/** What stands in a path. An empty one would name another route, and dots would climb. */
export function escape(value: string, name: string): string {
  if (typeof value !== "string" || value === "" || value === "." || value === "..") {
    throw new TypeError(`${name} must be a text that is not empty${value === "" ? "" : ", and no dots alone"}.`);
  }
  return encodeURIComponent(value);
}

/** `?a=1&b=2`, or "". What is undefined or null is left out; a list is repeated. */
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
