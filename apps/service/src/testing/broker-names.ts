import { startNameServer } from "./name-server.ts";

/** Starts a name server for which `bootstrap.test` and `kafka-<n>.test` are this machine, and `metadata.test` is an address that no one may use. */
export async function startBrokerNames(): ReturnType<typeof startNameServer> {
  const names = await startNameServer();
  for (const name of ["bootstrap.test", "kafka-1.test", "kafka-2.test"]) names.set(name, ["127.0.0.1"]);
  names.set("metadata.test", ["169.254.169.254"]);
  return names;
}
