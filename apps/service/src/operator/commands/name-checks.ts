import { checkName } from "../../platform/outbound-http/outbound-http.ts";
import type { ResolutionFailure } from "../../platform/outbound-http/outbound-http.ts";
import { ok, skipped, warning } from "./checks.ts";
import type { Check } from "./checks.ts";
import type { MachineSettings } from "./command.ts";

/** A name that RFC 2606 reserves, so that it exists permanently and its owner expects such queries. */
export const PUBLIC_NAME = "example.com";
/** The value instead of a name for a machine without internet access, which is not a fault. */
export const NO_NAME = "none";

const CAUSES: Readonly<Record<ResolutionFailure, string>> = {
  "DNS lookup timed out":
    "No name server responded in time: a firewall drops the queries, or the servers are down or have no connection.",
  "the name server is unreachable":
    "No name server listens at this address: none is configured, or its address is wrong.",
  "the name server refused": "The name server rejects queries from this machine.",
  "the name server failed": "The name server could not get a response from the servers that it queries.",
  "host not found":
    "The name server does not know this name: it does not resolve public names, or the name is misspelled.",
};
const FIX = `Correct /etc/resolv.conf, or set JUNCTION_DNS_SERVERS to name servers that accept queries from this machine. On a machine without internet access, use \`--public-name ${NO_NAME}\`.`;

/**
 * Checks that deliveries can resolve host names: resolves a public name in the same way. A failure is only a warning,
 * because an installation may deliver only inside its own network. The check `egress` connects to the receivers.
 */
export async function publicNameCheck({ dnsServers }: MachineSettings, name: string): Promise<Check> {
  if (name === NO_NAME) return skipped("public_name", "Not resolved: this machine has no internet access.");
  const { resolution, servers, notPublic } = await checkName(name, dnsServers);
  const asked = `Name servers: ${servers.join(", ") || "none"} (${dnsServers === null ? "the system's" : "JUNCTION_DNS_SERVERS"}).`;
  if (resolution.failure !== null)
    return warning("public_name", {
      detail: `${name}: ${resolution.failure}. ${asked}`,
      cause: `Deliveries to host names fail with \`dns\`. ${CAUSES[resolution.failure]}`,
      fix: FIX,
    });
  if (notPublic.length > 0)
    return warning("public_name", {
      detail: `${name} resolves to ${notPublic.join(", ")}, which is not public. ${asked}`,
      cause:
        "A hosts file or a name server of this network overrides the public name. Deliveries to this address are rejected.",
      fix: FIX,
    });
  return ok("public_name", `${name} resolves to ${resolution.addresses.join(", ")}. ${asked}`);
}
