import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../lib/lib.ts";
import { createHostsFile, parseHosts } from "./hosts-file.ts";
import { createResolver } from "./resolver.ts";

const SHARED_LINES = `
127.0.0.1 localhost
10.1.2.3\tShop.Example  hooks.shop.example # both names
2001:db8::7 hooks.shop.example
10.1.2.4 hooks.shop.example
999.1.1.1 wrong.example
#10.9.9.9 commented.example
10.1.2.5 # no name
`;

async function hostsFile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "junction-hosts-"));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const path = join(folder, "hosts");
  await writeFile(path, text);
  return path;
}

test("parsing returns all addresses of a name, IPv4 first, and ignores other lines", () => {
  expect(Object.fromEntries(parseHosts(SHARED_LINES))).toEqual({
    localhost: ["127.0.0.1"],
    "shop.example": ["10.1.2.3"],
    "hooks.shop.example": ["10.1.2.3", "10.1.2.4", "2001:db8::7"],
  });
});

test("names are found in any case and with a trailing dot", async () => {
  const hosts = createHostsFile({ clock: systemClock, path: await hostsFile("10.1.2.3 shop.example") });
  expect(await hosts.addressesOf("SHOP.example.")).toEqual(["10.1.2.3"]);
});

test("a change of the file takes effect a second later, its removal too", async () => {
  const path = await hostsFile("10.1.2.3 shop.example");
  let now = 0;
  const hosts = createHostsFile({ clock: { ...systemClock, monotonicMs: () => now }, path });
  expect(await hosts.addressesOf("shop.example")).toEqual(["10.1.2.3"]);
  await writeFile(path, "10.1.2.44 shop.example");
  now = 1000;
  expect(await hosts.addressesOf("shop.example")).toEqual(["10.1.2.44"]);
  await rm(path);
  now = 2000;
  expect(await hosts.addressesOf("shop.example")).toEqual([]);
});

test("a name server of the operator's choice replaces the hosts file", async () => {
  const hosts = createHostsFile({ clock: systemClock, path: await hostsFile("10.1.2.3 shop.example") });
  const own = createResolver({ hostsFile: hosts, servers: ["127.0.0.1:9"], queryTimeoutMs: 100, totalMs: 500 });
  expect((await own.resolve("shop.example")).addresses).toEqual([]);
  const system = createResolver({ hostsFile: hosts, servers: null });
  expect(await system.resolve("shop.example")).toEqual({ addresses: ["10.1.2.3"], failure: null });
});
