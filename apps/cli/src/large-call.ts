import { CommandError } from "../../../packages/command-line/src/command-line.ts";
import type { Context } from "./command.ts";
import { EXIT } from "./exit.ts";
import { withoutTrailingSlashes } from "./settings.ts";

interface Problem {
  readonly detail?: string;
  readonly title?: string;
  readonly errors?: readonly { readonly pointer: string; readonly message: string }[];
}

interface LargeCall {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** JSON text, which is sent unchanged. */
  readonly body?: string;
  /** The first sentence of the message if the service refuses. */
  readonly failed: string;
  /** The exit code of a 422. */
  readonly invalid: number;
}

const TIMEOUT_MS = 120_000;

/**
 * Makes a call that is larger than others and takes longer, and returns the text of its response. A refusal ends the command with every
 * place that the service names.
 */
export async function largeCall(context: Context, { method, path, body, failed, invalid }: LargeCall): Promise<string> {
  const { apiKey, baseUrl } = await context.account();
  const response = await fetch(`${withoutTrailingSlashes(baseUrl)}${path}`, {
    method,
    headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body }),
    redirect: "manual",
    signal: AbortSignal.any([context.io.signal, AbortSignal.timeout(TIMEOUT_MS)]),
  }).catch((error: unknown) => {
    throw new CommandError(`No response from ${baseUrl}: ${(error as Error).message}.`, EXIT.unavailable);
  });
  const text = await response.text();
  if (response.ok) return text;
  throw new CommandError(`${failed} ${refusal(text)}`, exitOf(response.status, invalid));
}

function refusal(text: string): string {
  const { title, detail, errors = [] } = problemIn(text);
  const places = errors.map(({ pointer, message }) => `\n  ${pointer} ${message}`).join("");
  return `${detail ?? title ?? "The service refused the call."}${places}`;
}

function problemIn(text: string): Problem {
  try {
    return JSON.parse(text) as Problem;
  } catch {
    return {};
  }
}

function exitOf(status: number, invalid: number): number {
  if (status === 401 || status === 403) return EXIT.denied;
  if (status === 422 || status === 400) return invalid;
  if (status === 429) return EXIT.later;
  return status >= 500 ? EXIT.unavailable : EXIT.refused;
}
