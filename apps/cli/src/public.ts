import { isIPv4 } from "node:net";
import { CommandError } from "../../../packages/command-line/src/command-line.ts";
import { EXIT } from "./exit.ts";

const TIMEOUT_MS = 10_000;

export interface PublicAnswer {
  readonly status: number;
  readonly text: string;
  /** The time of the response's `Date`, in milliseconds; null without one. */
  readonly serverTime: number | null;
}

/**
 * Requests a route that needs no key, and sends none. Uses POST if there is a body. Throws `CommandError` if there is
 * no response.
 */
export async function askPublic(
  baseUrl: string,
  path: string,
  { body, timeoutMs = TIMEOUT_MS }: { readonly body?: object; readonly timeoutMs?: number } = {},
): Promise<PublicAnswer> {
  if (body !== undefined) requireSafe(baseUrl);
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const sent =
      body === undefined
        ? {}
        : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(baseUrl + path, { ...sent, redirect: "manual", signal });
    const date = Date.parse(response.headers.get("date") ?? "");
    return { status: response.status, text: await response.text(), serverTime: Number.isNaN(date) ? null : date };
  } catch (error) {
    throw new CommandError(`No response from ${baseUrl}: ${reasonOf(error, timeoutMs)}.`, EXIT.unavailable);
  }
}

/** Throws unless the connection is private, because the body may be a secret. */
function requireSafe(baseUrl: string): void {
  const { protocol, hostname } = URL.parse(baseUrl) ?? { protocol: "", hostname: "" };
  const isLoopback = hostname === "localhost" || hostname === "[::1]" || isLoopbackAddress(hostname);
  if (protocol === "https:" || (protocol === "http:" && isLoopback)) return;
  throw new CommandError(`${baseUrl} must start with https://. http:// is allowed only for this machine.`, EXIT.config);
}

/** Returns false for names that only begin like an address, such as `127.example.com`. */
function isLoopbackAddress(hostname: string): boolean {
  return isIPv4(hostname) && hostname.startsWith("127.");
}

/** Returns the JSON object of a response; undefined if it is not one. */
export function objectOf({ text }: PublicAnswer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns `ECONNREFUSED`, which `fetch` hides one level down, or the error's message. */
function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `none within ${timeoutMs / 1000} s`;
  const { code } = { ...(error.cause as { code?: unknown } | undefined) };
  return typeof code === "string" ? code : error.message;
}
