import { expect, test } from "vitest";
import { ConfigError, readConfig } from "./config.ts";
import type { Config } from "./config.ts";
import { SETTINGS } from "./config-settings.ts";

const NAMES = Object.keys(SETTINGS);

function faultsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

test("nothing set is the documented default of every setting", () => {
  expect(readConfig({})).toEqual({
    host: "127.0.0.1",
    port: 4000,
    baseUrl: "http://127.0.0.1:4000",
    dataDir: "./data",
    databaseUrl: null,
    masterKey: null,
    previousMasterKeys: [],
    bootstrapPath: null,
    roles: { api: true, worker: true },
    processes: 1,
    ladder: [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000],
    allowTargetsText: "",
    allowTargets: [],
    trustProxies: [],
    limits: expect.objectContaining({ "events.fire": 1000 }),
    stageWaitMs: 10_000,
    retentionDays: 30,
    connectorFolders: ["./connectors"],
    connectorTrust: [expect.any(Uint8Array)],
    dnsServers: null,
    mail: null,
    php: null,
    metricsToken: null,
    logLevel: "info",
    otlpEndpoint: null,
  } satisfies Config);
});

test.each(NAMES)("%s counts as not set when it is empty or blank", (name) => {
  const absent = readConfig({});
  for (const value of ["", " ", "\t\n"]) expect(readConfig({ [name]: value })).toEqual(absent);
});

test.each([
  "JUNCTION_DNS_SERVERS",
  "JUNCTION_CONNECTORS_DIR",
  "JUNCTION_CONNECTOR_TRUST",
  "JUNCTION_ROLES",
  "JUNCTION_RETRY_LADDER",
  "JUNCTION_MASTER_KEY_PREVIOUS",
  "JUNCTION_TRUST_PROXIES",
])("%s is refused when its list has no entry", (name) => {
  expect(faultsOf({ [name]: " , " })).toEqual([expect.stringContaining(`${name}: `)]);
});

test.each(["9.9.9.9", "9.9.9.9:5353", "2620:fe::fe", "[2620:fe::fe]:53"])("%s is a name server", (server) => {
  expect(readConfig({ JUNCTION_DNS_SERVERS: server }).dnsServers).toEqual([server]);
});

test.each(["banana", "9.9.9.9:0", "9.9.9.9:70000", "dns.example.com", "[9.9.9.9]:53", "2620:fe::fe:53:x", "9.9.9"])(
  "%s is not a name server",
  (server) => {
    expect(faultsOf({ JUNCTION_DNS_SERVERS: `9.9.9.9,${server}` })).toEqual([
      `JUNCTION_DNS_SERVERS: "${server}" is not an IP address, ip:port or [IPv6]:port`,
    ]);
  },
);

test("all faults are reported together", () => {
  const wrong = {
    JUNCTION_PORT: "http",
    JUNCTION_DNS_SERVERS: "banana",
    JUNCTION_TRUST_PROXIES: "banana",
    JUNCTION_RETENTION_DAYS: "99999999",
  };
  expect(faultsOf(wrong).map((fault) => fault.split(":")[0])).toEqual([
    "JUNCTION_PORT",
    "JUNCTION_TRUST_PROXIES",
    "JUNCTION_RETENTION_DAYS",
    "JUNCTION_DNS_SERVERS",
  ]);
});

test.each(["0.0.0.0/0", "::/0", "10.0.0.1:80"])("%s is refused as a trusted proxy", (proxy) => {
  expect(faultsOf({ JUNCTION_TRUST_PROXIES: `10.0.0.0/8,${proxy}` })).toHaveLength(1);
});
