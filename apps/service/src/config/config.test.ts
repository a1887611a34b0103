import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "./config.ts";
import type { Config } from "./config.ts";
import { SETTINGS } from "./settings.ts";
import type { Setting } from "./settings.ts";
import { ConfigError } from "../operator/operator.ts";

const NAMES = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "junction-config-"));
});
afterAll(async () => await rm(folder, { recursive: true }));

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
    claimFromAnywhere: false,
    baseUrl: "http://127.0.0.1:4000",
    dataDir: "./data",
    databaseUrl: null,
    masterKey: null,
    previousMasterKeys: [],
    bootstrapPath: null,
    roles: { api: true, worker: true },
    processes: 1,
    retrySchedule: [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000],
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
    egress: null,
    slackApiUrl: "https://slack.com/api",
    php: null,
    oidc: null,
    metricsToken: null,
    metricsTenants: 0,
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

/** Values that a setting does not accept. A setting without an entry does not compile. */
const WRONG: { readonly [Name in keyof typeof SETTINGS]: readonly [string, string, ...string[]] } = {
  JUNCTION_PORT: ["http", "-1", "65536", "4000.0", "0x10", "1e3"],
  JUNCTION_HOST: ["http://127.0.0.1", "127.0.0.1:4000", "256.1.1.1", "127.1", "a b", "[127.0.0.1", "-host..name"],
  JUNCTION_CLAIM: ["yes", "Any"],
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
  JUNCTION_EGRESS_PROXY: ["proxy.internal:3128", "socks5://proxy:1080", "http://proxy/path", "http://"],
  JUNCTION_EGRESS_NO_PROXY: [EMPTY_LIST, "https://api.internal", "10.0.0.0/40", "api.internal,a b"],
  JUNCTION_SMTP_URL: ["localhost:25", "http://mail.example", "smtp://mail.example/path", "smtp://"],
  JUNCTION_SMTP_TLS: ["yes", "Required"],
  JUNCTION_MAIL_FROM: ["banana", "Ada <ada@example.com>", "a@b.example,c@d.example"],
  JUNCTION_OIDC_ISSUER: [
    "login.example.com",
    "http://login.example.com",
    "https://a.example/?b",
    "https://u:p@a.example",
  ],
  JUNCTION_OIDC_CLIENT_ID: ["two words", "grün"],
  JUNCTION_OIDC_CLIENT_SECRET: ["two words", "grün"],
  JUNCTION_OIDC_GROUPS: ["banana", "[]", "{}", '{"ops":"god"}', '{"ops":["admin"]}', '{"":"admin"}'],
  JUNCTION_OIDC_GROUPS_CLAIM: ["realm_access.roles", "two words", "/groups", "groups[0]", "a".repeat(201)],
  JUNCTION_SLACK_API_URL: ["slack.com/api", "ftp://slack.com/api", "https://slack.com/api?a"],
  JUNCTION_PHP: ["php", "/does/not/exist", "/", FILE],
  JUNCTION_METRICS_TOKEN: ["two words", "grün"],
  JUNCTION_METRICS_TENANTS: ["-1", "1001", "all", "1.5"],
  JUNCTION_LOG_LEVEL: ["verbose", "INFO", "30"],
  JUNCTION_LOG_FORMAT: ["pretty", "JSON"],
  OTEL_EXPORTER_OTLP_ENDPOINT: ["localhost:4318", "grpc://localhost:4317", "http://"],
};
const ROUNDS = Math.max(...Object.values(WRONG).map((values) => values.length));

test.each(NAMES.flatMap((name) => WRONG[name].map((value) => [name, value] as const)))(
  "%s is refused when it is %j",
  (name, value) => {
    const { form, isSecret }: Setting = SETTINGS[name];
    const faults = faultsOf({ [name]: value }).filter((fault) => !/together|for sign-in/.test(fault));
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

test("sign-in by OpenID Connect needs the issuer, the client and its secret", () => {
  const all = {
    JUNCTION_OIDC_ISSUER: "https://login.example.com/",
    JUNCTION_OIDC_CLIENT_ID: "junction",
    JUNCTION_OIDC_CLIENT_SECRET: "secret",
  };
  expect(readConfig({ ...all, JUNCTION_OIDC_GROUPS: '{"ops":"admin"}' }).oidc).toEqual({
    issuer: "https://login.example.com/",
    clientId: "junction",
    clientSecret: "secret",
    groups: { ops: "admin" },
    groupsClaim: "groups",
  });
  for (const claim of ["roles", "cognito:groups", "https://example.com/groups"]) {
    const groups = { JUNCTION_OIDC_GROUPS: '{"ops":"admin"}', JUNCTION_OIDC_GROUPS_CLAIM: claim };
    expect(readConfig({ ...all, ...groups }).oidc).toMatchObject({ groupsClaim: claim });
  }
  expect(faultsOf({ ...all, JUNCTION_OIDC_GROUPS_CLAIM: "roles" })).toEqual([
    expect.stringMatching(/^`JUNCTION_OIDC_GROUPS` must be set together with `JUNCTION_OIDC_GROUPS_CLAIM`: /),
  ]);
  expect(readConfig({ ...all, JUNCTION_OIDC_ISSUER: "http://127.0.0.1:8080/realms/a" }).oidc).toMatchObject({
    issuer: "http://127.0.0.1:8080/realms/a",
    groups: null,
  });
  for (const name of Object.keys(all)) {
    expect(faultsOf({ ...all, [name]: "" })).toEqual([
      expect.stringMatching(new RegExp(`^\`${name}\` must be set for sign-in by OpenID Connect: `)),
    ]);
  }
  expect(faultsOf({ JUNCTION_OIDC_GROUPS: '{"ops":"admin"}' })).toHaveLength(3);
});

test("the sender address follows from the SMTP user or the base URL", () => {
  const from = (smtp: string, base = ""): string | undefined =>
    readConfig({ JUNCTION_SMTP_URL: smtp, JUNCTION_BASE_URL: base }).mail?.from;
  expect(from("smtp://post%40example.com:secret@mail.example.com")).toBe("post@example.com");
  expect(from("smtp://user:secret@mail.example.com", "https://junction.example.com")).toBe(
    "junction@junction.example.com",
  );
  for (const base of ["http://localhost:4000", "http://192.0.2.7", "http://[2001:db8::1]:4000"])
    expect(faultsOf({ JUNCTION_SMTP_URL: "smtp://mail.example.com", JUNCTION_BASE_URL: base })).toHaveLength(1);
});

test("a secret is read from the file that its setting with _FILE names", async () => {
  const files = {
    DATABASE_URL: "postgres://junction:secret@db.example.com/junction",
    JUNCTION_MASTER_KEY: KEY,
    JUNCTION_MASTER_KEY_PREVIOUS: `${KEY},${KEY}`,
    JUNCTION_CONNECTOR_TRUST: KEY,
    JUNCTION_EGRESS_PROXY: "http://junction:secret@proxy.internal:3128",
    JUNCTION_SMTP_URL: "smtp://user:secret@mail.example.com:587",
    JUNCTION_OIDC_CLIENT_SECRET: "client secret of the issuer".replaceAll(" ", "-"),
    JUNCTION_METRICS_TOKEN: "token",
  };
  expect(Object.keys(files)).toEqual(NAMES.filter((name) => (SETTINGS[name] as Setting).isSecret === true));
  const plain = {
    JUNCTION_MAIL_FROM: "alerts@example.com",
    JUNCTION_OIDC_ISSUER: "https://login.example.com",
    JUNCTION_OIDC_CLIENT_ID: "junction",
  };
  const environment: Record<string, string> = { ...plain };
  for (const [name, text] of Object.entries(files)) {
    environment[`${name}_FILE`] = join(folder, name);
    await writeFile(join(folder, name), `${text}\n`);
  }
  expect(readConfig(environment)).toEqual(readConfig({ ...files, ...plain }));
  expect(readConfig(environment)).toMatchObject({ masterKey: Buffer.from(KEY, "base64"), metricsToken: "token" });
});

test("a missing, empty or wrong file or a folder is a fault without content", async () => {
  await writeFile(join(folder, "empty"), " \n");
  await writeFile(join(folder, "wrong"), "hunter2\n");
  const faultOf = (name: string): readonly string[] =>
    faultsOf({ DATABASE_URL: "postgres://db.example.com/junction", JUNCTION_MASTER_KEY_FILE: join(folder, name) });
  const must = "`JUNCTION_MASTER_KEY_FILE` must be the path of a file that holds the value; ";
  expect(faultOf("missing")).toEqual([`${must}${folder}/missing does not exist.`]);
  expect(faultOf("empty")).toEqual([`${must}${folder}/empty is empty.`]);
  expect(faultOf("")).toEqual([`${must}${folder} is a folder.`]);
  expect(faultOf("wrong")).toEqual([
    expect.stringMatching(/^`JUNCTION_MASTER_KEY` must be 32 random bytes .*; its value is not shown here\.$/),
  ]);
});

test("a secret and its file together are refused; only secrets have files", async () => {
  await writeFile(join(folder, "token"), "token\n");
  const path = join(folder, "token");
  expect(faultsOf({ JUNCTION_METRICS_TOKEN: "other", JUNCTION_METRICS_TOKEN_FILE: path })).toEqual([
    "`JUNCTION_METRICS_TOKEN` and `JUNCTION_METRICS_TOKEN_FILE` must not both be set. Set one of them.",
  ]);
  expect(readConfig({ JUNCTION_PORT_FILE: path })).toEqual(readConfig({}));
});
