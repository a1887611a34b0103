import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readConfig } from "./config.ts";
import type { Config } from "./config.ts";
import { SETTINGS } from "./config-settings.ts";
import type { Setting } from "./config-settings.ts";
import { ConfigError } from "./setup/setup.ts";

const NAMES = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[];

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
    logFormat: "json",
    otlpEndpoint: null,
  } satisfies Config);
});

test.each(NAMES)("%s counts as not set when it is empty or blank", (name) => {
  const absent = readConfig({});
  for (const value of ["", " ", "\t\n"]) expect(readConfig({ [name]: value })).toEqual(absent);
});

test.each(["9.9.9.9", "9.9.9.9:5353", "2620:fe::fe", "[2620:fe::fe]:53"])("%s is a name server", (server) => {
  expect(readConfig({ JUNCTION_DNS_SERVERS: server }).dnsServers).toEqual([server]);
});

test.each([
  [{ JUNCTION_HOST: "::1" }, "http://[::1]:4000"],
  [{ JUNCTION_HOST: "[::1]" }, "http://[::1]:4000"],
  [{ JUNCTION_HOST: "10.1.2.3", JUNCTION_PORT: "80" }, "http://10.1.2.3:80"],
  [{ JUNCTION_HOST: "localhost" }, "http://localhost:4000"],
  [{ JUNCTION_HOST: "0.0.0.0" }, "http://127.0.0.1:4000"],
  [{ JUNCTION_HOST: "::" }, "http://127.0.0.1:4000"],
])("%j has a base URL that is valid on this machine", (environment, baseUrl) => {
  expect(readConfig(environment)).toMatchObject({ baseUrl });
  expect(new URL(baseUrl).port).not.toBe("0");
});

const EMPTY_LIST = " , ";
const KEY = Buffer.alloc(32, 1).toString("base64");
const FILE = fileURLToPath(import.meta.url);

/** Values that a setting does not take: a setting without any does not compile. */
const WRONG: { readonly [Name in keyof typeof SETTINGS]: readonly [string, string, ...string[]] } = {
  JUNCTION_PORT: ["http", "-1", "65536", "4000.0", "0x10", "1e3"],
  JUNCTION_HOST: ["http://127.0.0.1", "127.0.0.1:4000", "256.1.1.1", "127.1", "a b", "[127.0.0.1", "-host..name"],
  JUNCTION_BASE_URL: ["localhost:4000", "ftp://a.example", "https://a.example/?b", "https://u:p@a.example", "http://"],
  JUNCTION_DATA_DIR: [FILE, `${FILE}/data`],
  DATABASE_URL: ["localhost:5432", "mysql://localhost/a", "postgres://host:99999/a", "postgres://user:pa ss@[/a"],
  JUNCTION_MASTER_KEY: ["short", KEY.slice(2), `${KEY}AAAA`, `${"!".repeat(12)}${KEY}`],
  JUNCTION_MASTER_KEY_PREVIOUS: [EMPTY_LIST, "short", `${KEY},short`],
  JUNCTION_BOOTSTRAP: ["/", `${FILE}/keys.json`],
  JUNCTION_ROLES: [EMPTY_LIST, "web", "api,web", "API"],
  JUNCTION_PROCESSES: ["0", "65", "1.5", "all"],
  JUNCTION_RETRY_LADDER: [EMPTY_LIST, "1", "1m,5", "-1m", "1d", "8761h", `${"9".repeat(400)}h`],
  JUNCTION_ALLOW_TARGETS: [EMPTY_LIST, "banana", "10.0.0.0/33", "10.0.0.0/8,hooks.example", "127.0.0.1:0"],
  JUNCTION_TRUST_PROXIES: [EMPTY_LIST, "banana", "0.0.0.0/0", "::/0", "10.0.0.0/8,10.0.0.1:80"],
  JUNCTION_RATE_LIMITS: ["banana", "[]", "null", '{"events.fire":0}', '{"events.fire":"1"}', '{"toString":1}'],
  JUNCTION_STAGE_WAIT: ["10", "soon", "-1s", "9000h"],
  JUNCTION_RETENTION_DAYS: ["0", "3651", "99999999", "1.5", "forever"],
  JUNCTION_CONNECTORS_DIR: [EMPTY_LIST, FILE, `./connectors,${FILE}`],
  JUNCTION_CONNECTOR_TRUST: [EMPTY_LIST, "banana", "-----BEGIN PRIVATE KEY-----"],
  JUNCTION_DNS_SERVERS: [EMPTY_LIST, "banana", "9.9.9.9:0", "9.9.9.9:70000", "[9.9.9.9]:53", "9.9.9", "9.9.9.9,banana"],
  JUNCTION_SMTP_URL: ["localhost:25", "http://mail.example", "smtp://mail.example/path", "smtp://"],
  JUNCTION_MAIL_FROM: ["banana", "Ada <ada@example.com>", "a@b.example,c@d.example"],
  JUNCTION_PHP: ["php", "/does/not/exist", "/", FILE],
  JUNCTION_METRICS_TOKEN: ["two words", "grün"],
  JUNCTION_LOG_LEVEL: ["verbose", "INFO", "30"],
  JUNCTION_LOG_FORMAT: ["pretty", "JSON"],
  OTEL_EXPORTER_OTLP_ENDPOINT: ["localhost:4318", "grpc://localhost:4317", "http://"],
};
const ROUNDS = Math.max(...Object.values(WRONG).map((values) => values.length));

test.each(NAMES.flatMap((name) => WRONG[name].map((value) => [name, value] as const)))(
  "%s is refused when it is %j",
  (name, value) => {
    const { form, isSecret }: Setting = SETTINGS[name];
    const faults = faultsOf({ [name]: value }).filter((fault) => !fault.includes("together"));
    expect(faults).toEqual([expect.stringMatching(/; (?:got ".*"|its value is not shown here)\.$/)]);
    expect(faults[0]).toContain(`\`${name}\` must be ${form}; `);
    if (isSecret === true) expect(faults[0]).toMatch(/; its value is not shown here\.$/);
  },
);

test.each(Array.from({ length: ROUNDS }, (_, round) => round))(
  "wrong values of all settings are reported together, a line each (round %i)",
  (round) => {
    const environment = Object.fromEntries(NAMES.map((name) => [name, WRONG[name][round % WRONG[name].length] ?? ""]));
    const named = faultsOf(environment).map((fault) => /^`(\w+)` must be /.exec(fault)?.[1]);
    expect(named.toSorted()).toEqual(NAMES.toSorted());
  },
);

test("a value with a password in it is not repeated", () => {
  const [fault = ""] = faultsOf({ JUNCTION_BASE_URL: "https://ada:hunter2@shop.example" });
  expect(fault).not.toContain("hunter2");
});

test("a setting that another one requires is reported together with wrong values", () => {
  const faults = faultsOf({ DATABASE_URL: "banana", JUNCTION_SMTP_URL: "smtp://mail.example", JUNCTION_PORT: "http" });
  expect(faults).toEqual([
    expect.stringMatching(/^`JUNCTION_PORT` must be/),
    expect.stringMatching(/^`DATABASE_URL` must be/),
    expect.stringMatching(/^`JUNCTION_MASTER_KEY` must be set together with `DATABASE_URL`/),
    expect.stringMatching(/^`JUNCTION_MAIL_FROM` must be set together with `JUNCTION_SMTP_URL`/),
  ]);
});
