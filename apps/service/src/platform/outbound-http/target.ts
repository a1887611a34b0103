import { isIPv6 } from "node:net";
import { isMetadataName, classifyAddress } from "./address.ts";
import type { Allowlist } from "./allowlist.ts";

/** The `reason` of a 422 `url_blocked`. Contract section 4. */
export type BlockReason =
  | "not_https"
  | "private"
  | "loopback"
  | "link_local"
  | "metadata"
  | "reserved"
  | "credentials_in_url"
  | "dns_failed"
  | "malformed";

/** The destination of a URL, in the spelling of the WHATWG normalization: the checked URL is the one that is used. */
export interface Target {
  readonly url: URL;
  /** The host without brackets around IPv6. */
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
}

/**
 * Reads a URL as far as it can be checked without the network. Returns the reason instead if the URL is unsafe as
 * written.
 * If `plainAllowed` is true, plain HTTP passes here too, and its addresses decide.
 */
export function parseTarget(text: string, plainAllowed: boolean): Target | BlockReason {
  const url = readUrl(text);
  if (url === null) return zonedVerdict(text);
  const secure = url.protocol === "https:";
  if (!secure && (!plainAllowed || url.protocol !== "http:")) return "not_https";
  if (url.username !== "" || url.password !== "") return "credentials_in_url";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isMetadataName(host)) return "metadata";
  const port = url.port === "" ? defaultPort(secure) : Number(url.port);
  return port === 0 ? "malformed" : { url, host, port, secure };
}

/** Matches a URL with an IPv6 zone (RFC 6874), which a URL parser cannot represent. */
const ZONED = /^(https?):\/\/\[([\da-f:.]{2,45})%[\w.~%-]{1,64}\](?::\d{1,5})?(?:[/?#]|$)/i;

/** Returns the reason of the zone's address. A zone names an interface of this machine, so that no such URL is used. */
function zonedVerdict(text: string): BlockReason {
  const [, scheme, address] = ZONED.exec(text) ?? [];
  if (scheme === undefined || address === undefined || !isIPv6(address)) return "malformed";
  if (scheme.toLowerCase() === "http") return "not_https";
  const verdict = classifyAddress(address);
  return verdict === "ok" ? "reserved" : verdict;
}

/**
 * Returns why these addresses may not be used, or null. One forbidden address is enough to refuse, and so is an empty
 * list.
 */
export function blockReasonOf(target: Target, addresses: readonly string[], allowlist: Allowlist): BlockReason | null {
  for (const address of addresses) {
    if (allowlist.allows(address, target.port)) continue;
    if (!target.secure) return "not_https";
    const verdict = classifyAddress(address);
    if (verdict !== "ok") return verdict;
  }
  return addresses.length === 0 ? "dns_failed" : null;
}

/**
 * Reads a URL. The URL parser silently drops tabs, newlines and outer spaces, but the stored URL must be the one that
 * was typed.
 */
function readUrl(text: string): URL | null {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit <= 0x20 || unit === 0x7f) return null;
  }
  return URL.parse(text);
}

function defaultPort(secure: boolean): number {
  return secure ? 443 : 80;
}
