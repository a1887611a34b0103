import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../lib/lib.ts";
import { createHostsFile } from "./hosts-file.ts";
import { createResolver } from "./resolver.ts";
import { startNameServer } from "../../testing/name-server.ts";
import type { NameServer } from "../../testing/name-server.ts";

const NO_HOSTS = createHostsFile({ clock: systemClock, path: "/nowhere/hosts" });
const started: NameServer[] = [];

async function nameServer(): Promise<NameServer> {
  const server = await startNameServer();
  started.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map(async (server) => await server.close()));
});

test("finds the addresses of both families, IPv4 first", async () => {
  const dns = await nameServer();
  dns.set("both.test", ["2606:4700:0:0:0:0:0:1", "93.184.216.34", "93.184.216.35"]);
  const resolver = createResolver({ hostsFile: NO_HOSTS, servers: [dns.address] });
  expect(await resolver.resolve("both.test")).toEqual({
    addresses: ["93.184.216.34", "93.184.216.35", "2606:4700::1"],
    failure: null,
  });
});

test("concurrent lookups share one question, and nothing is cached afterwards", async () => {
  const dns = await nameServer();
  dns.set("shared.test", ["93.184.216.34"]);
  const resolver = createResolver({ hostsFile: NO_HOSTS, servers: [dns.address] });
  await Promise.all(Array.from({ length: 20 }, async () => await resolver.resolve("shared.test")));
  expect(dns.questions.toSorted()).toEqual(["A shared.test", "AAAA shared.test"]);

  dns.set("shared.test", ["93.184.216.35"]);
  expect((await resolver.resolve("shared.test")).addresses).toEqual(["93.184.216.35"]);
  expect(dns.questions).toHaveLength(4);
});

test("an unknown name fails as not found, like one without addresses", async () => {
  const dns = await nameServer();
  dns.set("empty.test", []);
  const resolver = createResolver({ hostsFile: NO_HOSTS, servers: [dns.address] });
  const notFound = { addresses: [], failure: "host not found" };
  expect(await resolver.resolve("unknown.test")).toEqual(notFound);
  expect(await resolver.resolve("empty.test")).toEqual(notFound);
});

test("the resolver stops waiting for a silent name server within the limit", async () => {
  const dns = await nameServer();
  dns.fallSilent();
  const resolver = createResolver({ hostsFile: NO_HOSTS, servers: [dns.address], queryTimeoutMs: 5000, totalMs: 200 });
  const before = performance.now();
  expect(await resolver.resolve("slow.test")).toEqual({ addresses: [], failure: "DNS lookup timed out" });
  expect(performance.now() - before).toBeLessThan(4000);
});

test("address literals and localhost need no name server", async () => {
  const dns = await nameServer();
  const resolver = createResolver({ hostsFile: NO_HOSTS, servers: [dns.address] });
  expect((await resolver.resolve("192.0.2.7")).addresses).toEqual(["192.0.2.7"]);
  expect((await resolver.resolve("2001:db8::7")).addresses).toEqual(["2001:db8::7"]);
  expect((await resolver.resolve("localhost")).addresses).toEqual(["127.0.0.1"]);
  expect((await resolver.resolve("app.localhost.")).addresses).toEqual(["127.0.0.1"]);
  expect(dns.questions).toEqual([]);
});

test("without its own servers, the resolver uses the system's and reports its failure", async () => {
  const resolver = createResolver({ hostsFile: NO_HOSTS, servers: null, queryTimeoutMs: 100, totalMs: 1000 });
  const resolution = await resolver.resolve("name-that-nobody-has.invalid");
  expect(resolution.addresses).toEqual([]);
  expect(resolution.failure).not.toBeNull();
});
