import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

export type AddressVerdict = "ok" | "private" | "loopback" | "link_local" | "metadata" | "reserved";

/**
 * Returns `ok` for an IP address that anyone on the Internet could own, and otherwise the reason against it. IPv6 forms
 * that contain an IPv4 address are classified by that address, because a router or a NAT64 on the way would unwrap
 * them.
 * Text that is not an address in canonical spelling is `reserved`. Contract section 5, target guard.
 */
export function classifyAddress(ip: string): AddressVerdict {
  const zoneAt = ip.indexOf("%");
  const bare = zoneAt === -1 ? ip : ip.slice(0, zoneAt);
  const version = isIP(bare);
  if (version === 0) return "reserved";
  const verdict = version === 4 ? classifyV4(bare) : classifyV6(ipaddr.IPv6.parse(bare));
  // A zone names an interface of this machine. No global address has one.
  return verdict === "ok" && zoneAt !== -1 ? "reserved" : verdict;
}

/** Returns true if a host name is that of a cloud's metadata service, regardless of its addresses here. */
export function isMetadataName(host: string): boolean {
  return METADATA_NAMES.has(host.toLowerCase().replace(/(?<!\.)\.+$/, ""));
}

const METADATA_NAMES = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "instance-data",
  "instance-data.ec2.internal",
  "metadata.azure.com",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
  "metadata.packet.net",
  "metadata.platformequinix.com",
]);

const METADATA_V4 = new Set([
  "169.254.169.254",
  "169.254.170.2", // ECS task credentials
  "169.254.170.23", // EKS pod identity
  "169.254.169.253", // EC2's resolver
  "169.254.42.42", // Scaleway
  "169.254.0.23", // Tencent
  "168.63.129.16", // Azure's wire server: a public address that only a guest can reach
  "100.100.100.200", // Alibaba
  "192.0.0.192", // Oracle
]);

const METADATA_V6 = new Set([
  "fd00:ec2::254",
  "fd00:ec2::253",
  "fd00:ec2::23",
  "fd20:ce::254", // Google
  "fe80::a9fe:a9fe", // OpenStack
  "fd00:42::42", // Scaleway
]);

const V4_RANGES: Readonly<Record<string, AddressVerdict>> = {
  unicast: "ok",
  private: "private",
  loopback: "loopback",
  linkLocal: "link_local",
};

const V6_RANGES: Readonly<Record<string, AddressVerdict>> = {
  unicast: "ok",
  loopback: "loopback",
  linkLocal: "link_local",
  uniqueLocal: "private",
  deprecatedSiteLocal: "private",
};

function classifyV4(ip: string): AddressVerdict {
  if (METADATA_V4.has(ip)) return "metadata";
  return V4_RANGES[ipaddr.IPv4.parse(ip).range()] ?? "reserved";
}

function classifyV6(address: ipaddr.IPv6): AddressVerdict {
  if (METADATA_V6.has(address.toString())) return "metadata";
  const bytes = address.toByteArray();
  const range = address.range();
  if (range === "loopback") return "loopback";

  const carried = carriedAddresses(range, bytes);
  if (carried !== null) return firstBad([...carried.map(classifyV4), isatapVerdict(bytes)]);
  return firstBad([globalUnicastOnly(V6_RANGES[range] ?? "reserved", bytes), isatapVerdict(bytes)]);
}

/**
 * Returns the IPv4 addresses that a transition form contains, the most relevant first; null for an address of no such
 * form.
 */
function carriedAddresses(range: string, bytes: readonly number[]): string[] | null {
  if (range === "ipv4Mapped" || isZero(bytes, 0, 12)) return [v4At(bytes, 12)];
  if (range === "6to4") return [v4At(bytes, 2)];
  // Teredo stores the client inverted, and the server as it is.
  if (range === "teredo")
    return [
      v4At(
        bytes.map((byte) => byte ^ 0xff),
        12,
      ),
      v4At(bytes, 4),
    ];
  if (range === "rfc6052") return nat64(bytes);
  return null;
}

/**
 * Returns the possible IPv4 addresses of a NAT64 address. 64:ff9b::/96 contains the last 32 bits. An operator can
 * divide 64:ff9b:1::/48 (RFC 8215): if more than the last 32 bits are in use, each prefix length of RFC 6052 is
 * possible, and one forbidden address is enough to refuse.
 */
function nat64(bytes: readonly number[]): string[] {
  if (isZero(bytes, 6, 12)) return [v4At(bytes, 12)];
  const withoutReserved = [...bytes.slice(0, 8), ...bytes.slice(9)];
  return [v4At(withoutReserved, 6), v4At(withoutReserved, 7), v4At(withoutReserved, 8), v4At(bytes, 12)];
}

/**
 * Classifies ISATAP addresses, which hide an IPv4 address in the interface part under any prefix:
 * …:[02]00:5efe:a.b.c.d.
 */
function isatapVerdict(bytes: readonly number[]): AddressVerdict {
  const isatap = ((bytes[8] ?? 0) & 0xfc) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
  return isatap ? classifyV4(v4At(bytes, 12)) : "ok";
}

function globalUnicastOnly(verdict: AddressVerdict, bytes: readonly number[]): AddressVerdict {
  const inGlobalUnicast = ((bytes[0] ?? 0) & 0xe0) === 0x20;
  return verdict === "ok" && !inGlobalUnicast ? "reserved" : verdict;
}

function firstBad(verdicts: readonly AddressVerdict[]): AddressVerdict {
  return verdicts.find((verdict) => verdict !== "ok") ?? "ok";
}

function v4At(bytes: readonly number[], offset: number): string {
  return bytes.slice(offset, offset + 4).join(".");
}

function isZero(bytes: readonly number[], from: number, to: number): boolean {
  return bytes.slice(from, to).every((byte) => byte === 0);
}
