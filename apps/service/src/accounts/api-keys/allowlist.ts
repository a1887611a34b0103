import { BlockList, isIP } from "node:net";

interface Range {
  readonly address: string;
  readonly prefix: number;
  readonly family: "ipv4" | "ipv6";
}

/** Returns true if an entry of an allowlist is an IPv4 or IPv6 address or CIDR range. */
export function isRange(entry: string): boolean {
  return parseRange(entry) !== undefined;
}

/** Returns true if the address lies in one of the ranges. An IPv4 address in IPv6 notation counts as IPv4. */
export function isListed(allowlist: readonly string[], ip: string): boolean {
  const list = new BlockList();
  for (const entry of allowlist) {
    const range = parseRange(entry);
    if (range !== undefined) list.addSubnet(range.address, range.prefix, range.family);
  }
  return list.check(ip, isIP(ip) === 6 ? "ipv6" : "ipv4");
}

/** Returns true if the whole entry lies in one of the ranges. */
export function isWithin(allowlist: readonly string[], entry: string): boolean {
  const inner = parseRange(entry);
  if (inner === undefined) return false;
  return allowlist.some((outer) => {
    const range = parseRange(outer);
    if (range === undefined || range.family !== inner.family || range.prefix > inner.prefix) return false;
    return isListed([outer], inner.address);
  });
}

function parseRange(entry: string): Range | undefined {
  const match = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(entry);
  const address = match?.[1] ?? "";
  const version = isIP(address);
  const bits = version === 6 ? 128 : 32;
  const prefix = match?.[2] === undefined ? bits : Number(match[2]);
  if (version === 0 || prefix > bits) return undefined;
  return { address, prefix, family: version === 6 ? "ipv6" : "ipv4" };
}
