import { isIP, isIPv6 } from "node:net";
import type { BlockReason } from "./target.ts";

const SENTENCES: Readonly<Record<BlockReason, string>> = {
  not_https: "Use a URL that begins with https://.",
  private: "The URL leads to a private network.",
  loopback: "The URL leads back to the service's own machine.",
  link_local: "The URL leads to a link-local address.",
  metadata: "The URL leads to a cloud's metadata service.",
  reserved: "The URL leads to an address that is not public.",
  credentials_in_url: "Remove the user name and password from the URL. Use a header instead.",
  dns_failed: "The URL's host name does not resolve.",
  malformed: "The value is not a URL.",
};

/**
 * Reasons that an operator may override: the address, or plain HTTP. No advice opens a metadata service, because it
 * hands out credentials.
 */
const ALLOWABLE: ReadonlySet<BlockReason> = new Set<BlockReason>([
  "not_https",
  "private",
  "loopback",
  "link_local",
  "reserved",
]);

/**
 * Returns the `detail` of a 422 `url_blocked`: the problem, and the entry of JUNCTION_ALLOW_TARGETS that allows the
 * URL. The address of a name is not shown, because a caller could map the internal network with it.
 */
export function blockAdvice(reason: BlockReason, text: string): string {
  const url = ALLOWABLE.has(reason) ? URL.parse(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return SENTENCES[reason];
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  const address = addressOf(url.hostname);
  return address === undefined
    ? `${SENTENCES[reason]} On your own installation, JUNCTION_ALLOW_TARGETS allows it: add <address>:${port} with the address that the name resolves to on the service's machine.`
    : `${SENTENCES[reason]} On your own installation, JUNCTION_ALLOW_TARGETS=${entryOf(address, port)} allows it.`;
}

/** Returns the address that a caller wrote, or that is common knowledge. */
function addressOf(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, "");
  if (bare === "localhost") return "127.0.0.1";
  return isIP(bare) === 0 ? undefined : bare;
}

function entryOf(address: string, port: string): string {
  return isIPv6(address) ? `[${address}/128]:${port}` : `${address}/32:${port}`;
}
