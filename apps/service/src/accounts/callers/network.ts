import { isIPv6 } from "node:net";

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Returns what a limit by address counts: the address, or the /64 of an IPv6 address, because one customer of a
 * provider has all of it.
 */
export function networkOf(ip: string): string {
  return shortened(ip, 4);
}

/** Returns the /48 of an IPv6 address, which is what many providers give to one site. Other addresses stay. */
export function siteOf(ip: string): string {
  return shortened(ip, 3);
}

function shortened(ip: string, length: number): string {
  const mapped = MAPPED.exec(ip)?.[1];
  if (mapped !== undefined) return mapped;
  return !isIPv6(ip) || ip.includes(".") ? ip : `${groupsOf(ip).slice(0, length).join(":")}::/${length * 16}`;
}

/** Returns the eight groups of an IPv6 address, without leading zeros. */
function groupsOf(ip: string): string[] {
  const [head = "", tail] = ip.split("%")[0]?.split("::") ?? [];
  const [before, behind] = [partsOf(head), partsOf(tail ?? "")];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - behind.length }, () => "0");
  return [...before, ...zeros, ...behind].map((group) => Number.parseInt(group, 16).toString(16));
}

function partsOf(text: string): string[] {
  return text === "" ? [] : text.split(":");
}
