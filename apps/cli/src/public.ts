import { CommandError, EXIT } from "./exit.ts";

const TIMEOUT_MS = 10_000;

export interface PublicAnswer {
  readonly status: number;
  readonly text: string;
  /** Of the answer's `Date`, in milliseconds; null without one. */
  readonly serverTime: number | null;
}

/** Asks a route that needs no key, and sends none. Throws `CommandError` where no answer comes. */
export async function askPublic(baseUrl: string, path: string): Promise<PublicAnswer> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(baseUrl + path, { redirect: "manual", signal });
    const date = Date.parse(response.headers.get("date") ?? "");
    return { status: response.status, text: await response.text(), serverTime: Number.isNaN(date) ? null : date };
  } catch (error) {
    throw new CommandError(`No answer from ${baseUrl}: ${reasonOf(error)}.`, EXIT.unavailable);
  }
}

/** The JSON object of an answer; undefined where it is none. */
export function objectOf({ text }: PublicAnswer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** `ECONNREFUSED`, which `fetch` hides one level down, or what was said. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `none within ${TIMEOUT_MS / 1000} s`;
  const { code } = { ...(error.cause as { code?: unknown } | undefined) };
  return typeof code === "string" ? code : error.message;
}
