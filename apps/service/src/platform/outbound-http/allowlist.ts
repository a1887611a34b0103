import { BlockList, isIP, isIPv6 } from "node:net";
import { commaList } from "../../lib/lib.ts";

/** One exemption from the guard, for every port if `port` is null. Contract section 1, JUNCTION_ALLOW_TARGETS. */
export interface AllowEntry {
  readonly network: string;
  readonly prefix: number;
  readonly port: number | null;
}

export type Allowlist = ReturnType<typeof createAllowlist>;

export function createAllowlist(entries: readonly AllowEntry[]) {
  const anyPort = blockListOf(entries.filter((entry) => entry.port === null));
  const byPort = new Map<number, BlockList>();
  for (const { port } of entries) {
    if (port !== null) byPort.set(port, blockListOf(entries.filter((other) => other.port === port)));
  }

  return {
    allows(ip: string, port: number): boolean {
      if (entries.length === 0) return false;
      // A BlockList matches IPv4-mapped addresses against its IPv4 entries.
      const family = isIPv6(ip) ? "ipv6" : "ipv4";
      return anyPort.check(ip, family) || (byPort.get(port)?.check(ip, family) ?? false);
    },
  };
}

/**
 * Reads JUNCTION_ALLOW_TARGETS: a comma-separated list of `CIDR`, `CIDR:port`, `[IPv6 CIDR]` or `[IPv6 CIDR]:port`. An
 * address without a prefix means only itself. Throws an Error that names the first entry it cannot read.
 */
export function parseAllowTargets(text: string): AllowEntry[] {
  return commaList(text).map(parseAllowEntry);
}

function parseAllowEntry(entry: string): AllowEntry {
  const { block, port } = splitPort(entry);
  const [, network = "", prefixText] = /^([\da-fA-F:.]+)(?:\/(\d{1,3}))?$/.exec(block) ?? [];
  const version = isIP(network);
  const widest = version === 4 ? 32 : 128;
  const prefix = prefixText === undefined ? widest : Number(prefixText);
  if (version === 0 || prefix > widest || !isPort(port)) {
    throw new Error(`"${entry}" is not a CIDR, CIDR:port or [IPv6 CIDR]:port`);
  }
  return { network, prefix, port };
}

/**
 * Separates the port, which follows an IPv4 block or a bracketed one. An IPv6 block without brackets cannot have a
 * port.
 */
function splitPort(entry: string): { readonly block: string; readonly port: number | null } {
  const match = /^(?:\[([^\]]+)\]|([\d./]+))(?::(\d{1,5}))?$/.exec(entry);
  if (match === null) return { block: entry, port: null };
  return { block: match[1] ?? match[2] ?? "", port: match[3] === undefined ? null : Number(match[3]) };
}

function isPort(port: number | null): boolean {
  return port === null || (port > 0 && port < 65_536);
}

function blockListOf(entries: readonly AllowEntry[]): BlockList {
  const list = new BlockList();
  for (const { network, prefix } of entries) list.addSubnet(network, prefix, isIPv6(network) ? "ipv6" : "ipv4");
  return list;
}
