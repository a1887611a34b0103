import { liveOnly, routes } from "./generated/operations.ts";
import type { Operations } from "./generated/operations.ts";
import { parseExact } from "./exact-json.ts";
import { ApiProblem, isProblem, isSessionEnd, networkProblem, problemFrom } from "./problem.ts";
import { currentCredential, currentCsrfToken, currentScope, setCsrfToken } from "./scope.ts";
import type { Scope } from "./scope.ts";

export type { Operations };
/** The dotted name of an operation, as the audit and restricted keys write it. */
export type OperationName = keyof Operations;
export type Answer<Name extends OperationName> = Operations[Name]["answer"];
/** An item of a list operation. */
export type Item<Name extends OperationName> = Operations[Name]["item"];

type Part<Key extends "path" | "query" | "body", Value> = [Value] extends [undefined]
  ? { readonly [K in Key]?: never }
  : undefined extends Value
    ? { readonly [K in Key]?: Value }
    : Record<string, never> extends Value
      ? { readonly [K in Key]?: Value }
      : { readonly [K in Key]: Value };

/** Path, query and body of an operation. Each is required only where the operation has it. */
export type Input<Name extends OperationName> = Part<"path", Operations[Name]["path"]> &
  Part<"query", Operations[Name]["query"]> &
  Part<"body", Operations[Name]["body"]>;

/** True if the operation can be called without input. */
export type NoInput<Name extends OperationName> = Record<string, never> extends Input<Name> ? true : false;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Keeps the digits of numbers that JavaScript would round, see `isExactNumber`. Use it for values that are edited and sent back. */
  readonly exact?: boolean | undefined;
  /** Default: the scope that the console shows. */
  readonly scope?: Scope;
}

interface AnyInput {
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Default: the scope that the console shows. */
  readonly scope?: Scope;
  readonly signal?: AbortSignal | undefined;
  readonly exact?: boolean | undefined;
}

const WAITS_MS = [300, 1200];
let onSessionEnd: () => void = () => {};

/** Sets the listener for a response that says that the session has ended. */
export function whenSessionEnds(listener: () => void): void {
  onSessionEnd = listener;
}

/** Calls an operation. Throws ApiProblem for any response that is not a success. A write is retried with its own idempotency key. */
export async function call<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  options: CallOptions = {},
): Promise<Answer<Name>> {
  const { method, path } = target(name, input as AnyInput);
  const scope = liveOnly.has(name) ? ({ ...currentScope(), environment: "live" } as const) : currentScope();
  return (await send({ method, path, body: (input as AnyInput).body, scope, ...options })) as Answer<Name>;
}

/** Returns method and path of a call, with its query. */
export function target(name: OperationName, { path, query }: AnyInput): { method: string; path: string } {
  const [method = "GET", template = "/"] = routes[name].split(" ");
  const filled = template.replaceAll(/\{(\w+)\}/g, (_match, key: string) => encodeURIComponent(path?.[key] ?? ""));
  return { method, path: filled + queryText(query ?? {}) };
}

/** Calls by method and path, for the routes without a dotted name, such as signing in. */
export async function send(request: RawRequest): Promise<unknown> {
  const writes = request.method !== "GET";
  const idempotencyKey = writes ? randomKey() : null;
  for (let tried = 0; ; tried += 1) {
    try {
      return await once(request, idempotencyKey);
    } catch (error) {
      const renewed = await mayRenew(error, tried);
      if (!renewed && !(writes && mayTryAgain(error, tried))) throw error;
      if (!renewed) await wait(WAITS_MS[tried] ?? 0);
    }
  }
}

/** Returns the headers that name the workspace and the environment. The event stream needs them too. */
export function scopeHeaders({ workspaceId, environment }: Scope = currentScope()): Record<string, string> {
  return {
    "X-Service-Environment": environment,
    ...(workspaceId === null ? {} : { "X-Service-Workspace": workspaceId }),
  };
}

/** Notifies the listener if the problem says that the session has ended. */
export function sessionMayHaveEnded(problem: ApiProblem): void {
  if (isSessionEnd(problem) || (problem.status === 401 && currentCredential() !== null)) onSessionEnd();
}

async function once(request: RawRequest, idempotencyKey: string | null): Promise<unknown> {
  const response = await answered(request, idempotencyKey);
  if (!response.ok) {
    const problem = await problemFrom(response);
    sessionMayHaveEnded(problem);
    throw problem;
  }
  if (response.status === 204) return null;
  const text = await response.text();
  if (!(response.headers.get("content-type") ?? "").includes("json")) return text;
  return request.exact === true ? parseExact(text) : JSON.parse(text);
}

async function answered({ method, path, body, scope, signal }: RawRequest, key: string | null): Promise<Response> {
  const credential = currentCredential();
  try {
    return await fetch(path, {
      method,
      credentials: credential === null ? "same-origin" : "omit",
      cache: "no-store",
      headers: {
        Accept: "application/json, application/problem+json",
        ...(credential === null ? sessionHeaders(scope, key !== null) : bearer(credential)),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(key === null ? {} : { "Idempotency-Key": key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw networkProblem();
  }
}

/** Without a session, the portal sends nothing: a cookie of the console, if the browser has one, is not for it. */
function bearer(credential: string): Record<string, string> {
  return credential === "" ? {} : { Authorization: `Bearer ${credential}` };
}

function sessionHeaders(scope: Scope | undefined, writes: boolean): Record<string, string> {
  const csrf = currentCsrfToken();
  return { ...scopeHeaders(scope), ...(writes && csrf !== null ? { "X-CSRF-Token": csrf } : {}) };
}

/** Renews the CSRF token after another tab signed in again: the cookie is valid, but the token here belongs to the earlier session. */
async function mayRenew(error: unknown, tried: number): Promise<boolean> {
  if (tried > 0 || !isProblem(error, "csrf_token_invalid")) return false;
  const session = (await once({ method: "GET", path: "/v1/auth/session" }, null)) as { csrf_token: string };
  setCsrfToken(session.csrf_token);
  return true;
}

function mayTryAgain(error: unknown, tried: number): boolean {
  if (!(error instanceof ApiProblem) || tried >= WAITS_MS.length) return false;
  return isProblem(error, "network", "service_unavailable", "idempotency_in_progress");
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, memberText(value)])).toString();
  return text === "" ? "" : `?${text}`;
}

function memberText(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

/** `crypto.randomUUID` needs https; this does not. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(18)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function wait(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
