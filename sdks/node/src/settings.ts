import type { Signal } from "./calls.ts";
import { isApiKey } from "./api-key.ts";
import { createSigner } from "./signing.ts";
import type { Signer } from "./signing.ts";

export interface JunctionOptions {
  /** The API key, `jn_live_…` or `jn_test_…`. Default: `JUNCTION_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** The service's URL. Default: `JUNCTION_BASE_URL`, or `http://127.0.0.1:4000`. `http:` is allowed only for loopback. */
  readonly baseUrl?: string | undefined;
  /** The signing secret of the key, if it has one. Default: `JUNCTION_SIGNING_SECRET`, or the key's own text. */
  readonly signingSecret?: string | undefined;
  /** The key's ID, instead of `apiKey`, for a key with a signing secret. The key itself is then never sent. */
  readonly keyId?: string | undefined;
  /** True if requests are signed. Default: true. */
  readonly sign?: boolean | undefined;
  /** Timeout per attempt in milliseconds. Default: 30000. */
  readonly timeoutMs?: number | undefined;
  /** Deadline per call in milliseconds, including waits. Default: none. */
  readonly deadlineMs?: number | undefined;
  /** Maximum number of retries. Default: 2. With 0, only one request is sent. */
  readonly maxRetries?: number | undefined;
  /** The dated version of the API. Default: the version that this SDK was built for. */
  readonly apiVersion?: string | undefined;
  /** Replaces the global `fetch`, for a proxy or a mock. */
  readonly fetch?: Fetch | undefined;
  /** Called after each request. Never receives a key, a signature or a body. */
  readonly onTry?: ((attempt: Try) => void) | undefined;
  /** For tests: the sleep function and the random numbers in [0, 1). */
  readonly timing?: Partial<Timing> | undefined;
}

export interface Try {
  readonly operation: string | null;
  readonly method: string;
  /** The path and query. */
  readonly path: string;
  /** The number of the attempt, counted from 1. */
  readonly attempt: number;
  /** The HTTP status. Null without a response. */
  readonly status: number | null;
  /** The error code. Null after a success. */
  readonly code: string | null;
  readonly requestId: string | null;
  readonly durationMs: number;
}

export interface Timing {
  /** Must end early, by throwing the signal's reason, when the signal aborts. */
  sleep(ms: number, signal: Signal | undefined): Promise<void>;
  random(): number;
}

/** The used part of `fetch`, declared as a method so that the `fetch` of every runtime is compatible. */
export type Fetch = { call(url: string, init: FetchInit): Promise<FetchResponse> }["call"];

export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly redirect: "manual";
  readonly signal: Signal;
}

export interface FetchResponse {
  readonly status: number;
  readonly headers: { forEach(each: (value: string, name: string) => void): void };
  text(): Promise<string>;
}

/** The options, checked and completed. */
export interface Settings {
  /** The base URL without a trailing slash. */
  readonly baseUrl: string;
  /** The headers that authenticate every request. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Undefined if requests are not signed. */
  readonly signer: Signer | undefined;
  /** Texts that must not appear in errors. */
  readonly secrets: readonly string[];
  readonly timeoutMs: number;
  readonly deadlineMs: number | undefined;
  readonly maxRetries: number;
  readonly apiVersion: string;
  readonly fetch: Fetch;
  readonly onTry: ((attempt: Try) => void) | undefined;
  readonly timing: Timing;
}

const DEFAULT_BASE_URL = "http://127.0.0.1:4000";
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 2;
const MOST_RETRIES = 100;
/** The maximum delay of a timer. A longer one would end at once. */
const LONGEST_MS = 2_147_483_647;

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws a `TypeError` with the problem, which never contains a secret. */
export function readSettings(options: JunctionOptions, env: Environment, apiVersion: string): Settings {
  const { onTry } = options;
  return {
    ...readProof(options, env),
    baseUrl: readBaseUrl(options.baseUrl ?? textIn(env, "JUNCTION_BASE_URL") ?? DEFAULT_BASE_URL),
    timeoutMs: readMs("timeoutMs", options.timeoutMs) ?? DEFAULT_TIMEOUT_MS,
    deadlineMs: readMs("deadlineMs", options.deadlineMs),
    maxRetries: readRetries(options.maxRetries) ?? DEFAULT_RETRIES,
    apiVersion: options.apiVersion ?? apiVersion,
    // The global `fetch` is looked up at each call, so that a later replacement is used.
    fetch: options.fetch ?? (async (url, init) => await fetch(url, init as RequestInit)),
    onTry,
    timing: { sleep, random: Math.random, ...options.timing },
  };
}

/** Returns milliseconds above 0, at most the maximum of a timer. */
export function readMs(name: string, value: number | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !(value > 0))
    throw new TypeError(`${name} must be a number of milliseconds above 0.`);
  return Math.min(value, LONGEST_MS);
}

export function readRetries(value: number | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!Number.isInteger(value) || value < 0 || value > MOST_RETRIES)
    throw new TypeError(`maxRetries must be a whole number from 0 to ${MOST_RETRIES}.`);
  return value;
}

type Proof = Pick<Settings, "credentials" | "signer" | "secrets">;

function readProof(options: JunctionOptions, env: Environment): Proof {
  const { keyId, sign = true } = options;
  const envKey = keyId === undefined ? textIn(env, "JUNCTION_API_KEY") : undefined;
  const apiKey = options.apiKey ?? envKey;
  const signingSecret = options.signingSecret ?? textIn(env, "JUNCTION_SIGNING_SECRET");
  refuseUnfit({ apiKey, signingSecret, keyId });
  refuseMistyped(apiKey);
  const secrets = [apiKey, signingSecret].filter((secret) => secret !== undefined);
  if (apiKey === undefined) return keyIdProof(keyId, sign ? signingSecret : undefined);
  const credentials = { authorization: `Bearer ${apiKey}` };
  return { credentials, signer: sign ? createSigner(signingSecret ?? apiKey) : undefined, secrets };
}

function keyIdProof(keyId: string | undefined, signingSecret: string | undefined): Proof {
  if (keyId === undefined)
    throw new TypeError("The API key is missing. Pass it to new Junction({ apiKey }), or set JUNCTION_API_KEY.");
  if (signingSecret === undefined)
    throw new TypeError("keyId requires a signature. Also set signingSecret, and do not turn off sign.");
  const credentials = { "x-service-key": keyId };
  return { credentials, signer: createSigner(signingSecret), secrets: [signingSecret] };
}

/** Refuses values that a header cannot contain. Otherwise the error of `fetch` would show them. */
function refuseUnfit(texts: Readonly<Record<string, string | undefined>>): void {
  for (const [name, text] of Object.entries(texts)) {
    if (text !== undefined && (typeof text !== "string" || !/^[!-~]+$/.test(text)))
      throw new TypeError(
        `${name} must be visible ASCII characters without spaces or line breaks. (The value is not shown here.)`,
      );
  }
}

/** Refuses a mistyped key, so that it is neither sent nor counted as a failed authentication. */
function refuseMistyped(apiKey: string | undefined): void {
  if (apiKey === undefined) return;
  if (!/^jn_(?:live|test)_/.test(apiKey))
    throw new TypeError("The API key must begin with jn_live_ or jn_test_. (The value is not shown here.)");
  if (!isApiKey(apiKey))
    throw new TypeError(
      "The API key is mistyped: its checksum, the last six characters, does not match. Copy the key again.",
    );
}

function readBaseUrl(text: string): string {
  const url = parsed(text);
  if (url === undefined) throw new TypeError("baseUrl must be a URL such as https://junction.example.com.");
  if (url.username !== "" || url.password !== "")
    throw new TypeError("baseUrl must not contain a user or password. The API key identifies the caller.");
  if (url.search !== "" || url.hash !== "") throw new TypeError("baseUrl must not have a query or a fragment.");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname)))
    throw new TypeError(
      "baseUrl must begin with https://, because http:// would send the key unencrypted. (http:// is allowed for localhost.)",
    );
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, "")}`;
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function textIn(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === "" ? undefined : text;
}

async function sleep(ms: number, signal: Signal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
