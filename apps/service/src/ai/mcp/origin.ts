import { ServiceError } from "../../lib/lib.ts";

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Refuses requests of a web page of another origin. Without this, a page whose own name resolves to this machine could call a local
 * service (DNS rebinding). Programs send no Origin.
 */
export function createOriginCheck(baseUrl: string): (origin: string | undefined) => void {
  const own = new URL(baseUrl);
  const hosts = LOOPBACK.includes(own.hostname) ? LOOPBACK : [own.hostname];
  const allowed = new Set(hosts.map((host) => new URL(`${own.protocol}//${host}:${own.port}`).origin));
  return (origin) => {
    if (origin === undefined || allowed.has(origin)) return;
    throw new ServiceError("origin_not_allowed", {
      detail: "MCP clients in web pages of other origins are not allowed.",
    });
  };
}
