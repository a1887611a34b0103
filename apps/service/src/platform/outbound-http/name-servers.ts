import { isIP } from "node:net";
import { commaList } from "../../lib/lib.ts";

/**
 * Name servers as `ip`, `ip:port` or `[IPv6]:port`. The list is never empty, because no setting means "query no name
 * server".
 */
export type NameServers = readonly [string, ...string[]];

/** Reads JUNCTION_DNS_SERVERS, a comma-separated list. Throws an Error that names the first entry it cannot read. */
export function parseNameServers(text: string): NameServers {
  const entries = commaList(text);
  const wrong = entries.find((entry) => !isNameServer(entry));
  if (wrong !== undefined) throw new Error(`"${wrong}" is not an IP address, ip:port or [IPv6]:port`);
  const [first, ...rest] = entries;
  if (first === undefined) throw new Error(`must list at least one name server (got "${text}")`);
  return [first, ...rest];
}

function isNameServer(entry: string): boolean {
  if (isIP(entry) !== 0) return true;
  const [, inBrackets, bare = "", port] = /^(?:\[([\da-fA-F:.]+)\]|([\d.]+)):(\d{1,5})$/.exec(entry) ?? [];
  const isAddress = inBrackets === undefined ? isIP(bare) === 4 : isIP(inBrackets) === 6;
  return isAddress && Number(port) > 0 && Number(port) < 65_536;
}
