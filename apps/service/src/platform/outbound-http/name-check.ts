import { promises as dns } from "node:dns";
import { systemClock } from "../../lib/lib.ts";
import { classifyAddress } from "./address.ts";
import { createHostsFile } from "./hosts-file.ts";
import type { NameServers } from "./name-servers.ts";
import { createResolver } from "./resolver.ts";
import type { Resolution } from "./resolver.ts";

/** The result of resolving a name exactly as deliveries resolve it. */
export interface NameCheck {
  readonly resolution: Resolution;
  /** The name servers in use. */
  readonly servers: readonly string[];
  /** The addresses that the target guard refuses, because they are not public. */
  readonly notPublic: readonly string[];
}

/** Resolves a name with the service's own resolver. `servers` null: the system's. Never throws. */
export async function checkName(host: string, servers: NameServers | null): Promise<NameCheck> {
  const resolver = createResolver({ servers, hostsFile: createHostsFile({ clock: systemClock }) });
  const resolution = await resolver.resolve(host);
  return {
    resolution,
    servers: servers ?? new dns.Resolver().getServers(),
    notPublic: resolution.addresses.filter((address) => classifyAddress(address) !== "ok"),
  };
}
