import type { Signal } from "./calls.ts";
import { isApiKey } from "./api-key.ts";
import { createSigner } from "./signing.ts";
import type { Signer } from "./signing.ts";

export interface JunctionOptions {
  /** `jn_live_…` or `jn_test_…`. By default `JUNCTION_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** By default `JUNCTION_BASE_URL`, or a service on this machine: `http://127.0.0.1:4000`. `http:` is for loopback only. */
  readonly baseUrl?: string | undefined;
  /** Of a key that has one, in place of the key's own text. By default `JUNCTION_SIGNING_SECRET`. */
  readonly signingSecret?: string | undefined;
  /** In place of `apiKey`, for a key with a signing secret: then the key itself is never sent. */
  readonly keyId?: string | undefined;
  /** Whether requests are signed: true, unless told. */
  readonly sign?: boolean | undefined;
  /** Of each try: 30 000. */
  readonly timeoutMs?: number | undefined;
  /** Of each call, waits included; none, unless told. */
  readonly deadlineMs?: number | undefined;
  /** Tries beside the first: 2. With 0 there is one request. */
  readonly maxRetries?: number | undefined;
  /** The dated version of the API; by default the one this SDK was made for. */
  readonly apiVersion?: string | undefined;
  /** In place of the global one: for a proxy, or a mock. */
  readonly fetch?: Fetch | undefined;
  /** Told of each request when it ended. Never of a key, a signature or a body. */
  readonly onTry?: ((attempt: Try) => void) | undefined;
  /** For tests: how it sleeps, and its random numbers of [0, 1). */
  readonly timing?: Partial<Timing> | undefined;
}

export interface Try {
  readonly operation: string | null;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** 1 is the first. */
  readonly attempt: number;
  /** Null where no answer came. */
  readonly status: number | null;
  /** Null after a success. */
  readonly code: string | null;
  readonly requestId: string | null;
  readonly durationMs: number;
}

export interface Timing {
  /** Must end early, by throwing the signal's reason, when the signal aborts. */
  sleep(ms: number, signal: Signal | undefined): Promise<void>;
  random(): number;
}

/** The part of `fetch` that is used, as a method: so that every runtime's own fits. */
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
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** What proves who calls, on every request. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Undefined where requests are not signed. */
  readonly signer: Signer | undefined;
  /** What must appear nowhere. */
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
/** What a timer can hold; a longer one would end at once. */
const LONGEST_MS = 2_147_483_647;

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws a `TypeError` that says what is wrong, and never shows a secret. */
export function readSettings(options: JunctionOptions, env: Environment, apiVersion: string): Settings {
  const { onTry } = options;
  return {
    ...readProof(options, env),
    baseUrl: readBaseUrl(options.baseUrl ?? textIn(env, "JUNCTION_BASE_URL") ?? DEFAULT_BASE_URL),
    timeoutMs: readMs("timeoutMs", options.timeoutMs) ?? DEFAULT_TIMEOUT_MS,
    deadlineMs: readMs("deadlineMs", options.deadlineMs),
    maxRetries: readRetries(options.maxRetries) ?? DEFAULT_RETRIES,
    apiVersion: options.apiVersion ?? apiVersion,
    // Looked up at each call, so that what replaces the global one later is used.
    fetch: options.fetch ?? (async (url, init) => await fetch(url, init as RequestInit)),
    onTry,
    timing: { sleep, random: Math.random, ...options.timing },
  };
}

/** Milliseconds above 0, at most what a timer can hold. */
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
    throw new TypeError("No API key: give apiKey to new Junction({ apiKey }), or set JUNCTION_API_KEY.");
  if (signingSecret === undefined)
    throw new TypeError("A keyId alone proves nothing: give its signingSecret too, and leave signing on.");
  const credentials = { "x-service-key": keyId };
  return { credentials, signer: createSigner(signingSecret), secrets: [signingSecret] };
}

/** Refused here and by name: what a header cannot hold would be shown by the error of whoever tries. */
function refuseUnfit(texts: Readonly<Record<string, string | undefined>>): void {
  for (const [name, text] of Object.entries(texts)) {
    if (text !== undefined && (typeof text !== "string" || !/^[!-~]+$/.test(text)))
      throw new TypeError(
        `${name} must be visible ASCII characters without blanks or line ends. (It is not shown here.)`,
      );
  }
}

/** Found here, so that it is neither sent nor counted as a failed sign-in. */
function refuseMistyped(apiKey: string | undefined): void {
  if (apiKey === undefined) return;
  if (!/^jn_(?:live|test)_/.test(apiKey))
    throw new TypeError("An API key begins with jn_live_ or jn_test_; this one does not. (It is not shown here.)");
  if (!isApiKey(apiKey))
    throw new TypeError(
      "The API key is mistyped: its last six characters, a checksum, do not fit. Copy the key again.",
    );
}

function readBaseUrl(text: string): string {
  const url = parsed(text);
  if (url === undefined) throw new TypeError("baseUrl must be a URL such as https://junction.example.com.");
  if (url.username !== "" || url.password !== "")
    throw new TypeError("baseUrl must hold no user and password: the API key says who calls.");
  if (url.search !== "" || url.hash !== "") throw new TypeError("baseUrl must have no query and no fragment.");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname)))
    throw new TypeError(
      "baseUrl must begin with https://: a key that goes over http:// can be read on the way. (http:// is fine to localhost.)",
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
