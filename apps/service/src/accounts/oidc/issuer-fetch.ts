import { createNet } from "../../platform/outbound-http/outbound-http.ts";
import type { Exchange, Net, NetDeps } from "../../platform/outbound-http/outbound-http.ts";

/** The issuer did not answer, or not with a complete response. */
export class IssuerUnreachable extends Error {}

/** The part of `fetch` that the libraries for OpenID Connect use. */
export type IssuerFetch = (url: string, options: FetchOptions) => Promise<Response>;

interface FetchOptions {
  readonly method: string;
  readonly headers: Record<string, string> | Headers;
  readonly body?: unknown;
}

const TIMEOUT_MS = 8000;
const MAX_BODY_BYTES = 256 * 1024;
const EVERYWHERE = [
  { network: "0.0.0.0", prefix: 0, port: null },
  { network: "::", prefix: 0, port: null },
] as const;

/**
 * Creates the `fetch` to an issuer. The operator set the issuer's own address, so that it can be private, as that of the
 * mail server. The addresses that its metadata contain are checked like a customer's.
 */
export function createIssuerFetch(
  issuer: string,
  others: Pick<Net, "send">,
  deps: Pick<NetDeps, "clock" | "dnsServers" | "egress">,
): { readonly fetch: IssuerFetch; close(): Promise<void> } {
  const { origin } = new URL(issuer);
  const own = createNet({ ...deps, allow: EVERYWHERE, inbox: null });
  return {
    close: own.close,
    async fetch(url, { method, headers, body }) {
      const net = URL.parse(url)?.origin === origin ? own : others;
      const exchange = await net.send({
        url,
        method: method === "POST" ? "POST" : "GET",
        headers: Object.fromEntries(new Headers(headers)),
        body: bodyOf(body),
        totalTimeoutMs: TIMEOUT_MS,
        maxBodyBytes: MAX_BODY_BYTES,
      });
      return responseOf(exchange, url);
    },
  };
}

function responseOf({ status, truncated, errorDetail, headers, body }: Exchange, url: string): Response {
  if (status === null || status >= 500 || truncated)
    throw new IssuerUnreachable(`${new URL(url).host}: ${errorDetail ?? "the response is too large"}`);
  const contentType = headers["content-type"];
  return new Response(status === 204 || status === 304 ? null : new Uint8Array(body), {
    status,
    headers: contentType === undefined ? {} : { "Content-Type": contentType },
  });
}

function bodyOf(body: unknown): string | null {
  if (body instanceof URLSearchParams) return body.toString();
  return typeof body === "string" ? body : null;
}
