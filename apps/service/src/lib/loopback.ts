import { isIPv4 } from "node:net";

/**
 * Returns true if a host is this machine: `localhost`, or an address of 127.0.0.0/8 or ::1. A name such as
 * `127.example.com` is another machine.
 */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "");
  const address = bare.startsWith("::ffff:") ? bare.slice("::ffff:".length) : bare;
  return bare === "localhost" || bare === "::1" || (isIPv4(address) && address.startsWith("127."));
}
