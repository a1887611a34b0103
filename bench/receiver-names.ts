import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNameServer } from "../apps/service/src/testing/name-server.ts";
import { createAuthority } from "../apps/service/src/testing/certificates.ts";
import type { Certificate } from "../apps/service/src/testing/certificates.ts";

/** Names of the receiver, and the certificate that it shows for all of them. */
export interface ReceiverNames {
  /** PEM of the certificate authority. */
  readonly ca: string;
  readonly certificate: Certificate;
  readonly names: readonly string[];
  /** Variables with which the service finds the names and trusts the authority. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const DOMAIN = "bench.test";

/** Starts a name server with `count` names, each of which is the loopback. */
export async function startReceiverNames(count: number): Promise<ReceiverNames> {
  const names = Array.from({ length: count }, (_, n) => `r${n}.${DOMAIN}`);
  const nameServer = await startNameServer();
  for (const name of names) nameServer.set(name, ["127.0.0.1"]);
  const authority = createAuthority();
  const folder = await mkdtemp(join(tmpdir(), "junction-bench-ca-"));
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, authority.cert);
  return {
    ca: authority.cert,
    certificate: authority.issue([`*.${DOMAIN}`]),
    names,
    environment: { JUNCTION_DNS_SERVERS: nameServer.address, NODE_EXTRA_CA_CERTS: caFile },
    async stop() {
      await nameServer.close();
      await rm(folder, { recursive: true });
    },
  };
}
