import { UsageError } from "../../../../packages/command-line/src/command-line.ts";

/** The timeout for the program is longer than the one that the service gives a receiver. */
const FORWARD_MS = 30_000;

/** Returns the target of a command that forwards. A URL without a scheme is http. */
export function readUrl(command: string, text: string | undefined): string {
  if (text === undefined)
    throw new UsageError(
      `The target URL is missing. Example: junction ${command} --forward-to http://localhost:3000/webhooks`,
    );
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError("--forward-to must be an http or https URL.");
  return url.href;
}

/** Headers of one connection, not of the message. `fetch` sets those that it needs. */
const HOP = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Sends a message as it would be delivered, and returns the status of the response. */
export async function forwardOnce(
  url: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  signal: AbortSignal,
): Promise<number> {
  const own = Object.entries(headers).filter(([name]) => !HOP.has(name.toLowerCase()));
  const response = await fetch(url, {
    method: "POST",
    headers: Object.fromEntries(own),
    body,
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(FORWARD_MS)]),
  });
  await response.body?.cancel();
  return response.status;
}
