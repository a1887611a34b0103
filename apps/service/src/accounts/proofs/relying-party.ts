import { isIP } from "node:net";
import { ServiceError } from "../../lib/lib.ts";

/** The site that passkeys of this installation are bound to. A browser uses them for no other site. */
export interface RelyingParty {
  /** The host of the base URL. */
  readonly id: string;
  readonly origin: string;
}

/**
 * Returns undefined if browsers have no passkeys for the base URL: it names an IP address, or is not secure. An
 * installation on the own machine has them at localhost, which browsers count as secure.
 */
export function relyingPartyOf(baseUrl: string): RelyingParty | undefined {
  const url = new URL(baseUrl);
  if (LOOPBACK.has(url.hostname)) url.hostname = "localhost";
  const { protocol, hostname, origin } = url;
  const isAddress = hostname.startsWith("[") || isIP(hostname) !== 0;
  const isSecure = protocol === "https:" || hostname === "localhost" || hostname.endsWith(".localhost");
  return isAddress || !isSecure ? undefined : { id: hostname, origin };
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]"]);

/** Throws 409 if browsers have no passkeys for the base URL. */
export function requireRelyingParty(baseUrl: string): RelyingParty {
  const party = relyingPartyOf(baseUrl);
  if (party !== undefined) return party;
  throw new ServiceError("conflict", {
    detail: `This installation cannot have passkeys: browsers require a domain name with https, or localhost, and its base URL is ${new URL(baseUrl).origin}. Use an authenticator app, or ask the operator to change JUNCTION_BASE_URL.`,
  });
}
