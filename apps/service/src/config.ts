import { availableParallelism } from "node:os";
import { isAbsolute } from "node:path";
import { parseAllowTargets } from "./net/net.ts";
import type { AllowEntry } from "./net/net.ts";
import { readPublicKey, REPOSITORY_KEY } from "./connectors/connectors.ts";
import { DEFAULT_LIMITS } from "./gate/gate.ts";

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly dataDir: string;
  /** Null: the embedded database. */
  readonly databaseUrl: string | null;
  readonly masterKey: Buffer | null;
  /** These open what they sealed, and seal nothing: the key before a rotation, or the one that is to come. */
  readonly previousMasterKeys: readonly Buffer[];
  readonly bootstrapPath: string | null;
  readonly roles: { readonly api: boolean; readonly worker: boolean };
  /** Processes of this machine that take requests and deliver. */
  readonly processes: number;
  readonly ladder: readonly number[];
  readonly allowTargets: readonly AllowEntry[];
  readonly allowTargetsText: string;
  readonly trustProxies: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
  readonly stageWaitMs: number;
  readonly retentionDays: number;
  /** The folders whose folders are connectors. */
  readonly connectorFolders: readonly string[];
  /** Ed25519 public keys, 32 bytes each, whose signatures of connectors are accepted. */
  readonly connectorTrust: readonly Uint8Array[];
  /** A PHP of the machine that connectors in PHP run on; null: PHP.wasm. */
  readonly php: string | null;
  readonly dnsServers: readonly string[];
  /** Where connectors' mail goes, and in whose name; null: nowhere. */
  readonly mail: { readonly smtpUrl: string; readonly from: string } | null;
  readonly metricsToken: string | null;
  readonly logLevel: string;
  /** Where traces go (OTLP over HTTP); null: nowhere. */
  readonly otlpEndpoint: string | null;
}

/** Every fault of the environment at once; the process exits 78 with them. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}:\n${faults.map((fault) => `  - ${fault}`).join("\n")}`,
    );
    this.name = "ConfigError";
    this.faults = faults;
  }
}

/** A variable of the environment. `fallback` is read where it is not set; `shown` says it in words where it is none. */
export interface Setting {
  readonly fallback: string;
  readonly shown?: string;
  readonly meaning: string;
}

/** Every setting of the service; docs/reference/configuration.md is made of this. */
export const SETTINGS = {
  JUNCTION_PORT: { fallback: "4000", meaning: "The port it listens on." },
  JUNCTION_HOST: {
    fallback: "127.0.0.1",
    meaning: "The address it listens on. Another than loopback is refused until somebody owns the installation.",
  },
  JUNCTION_BASE_URL: {
    fallback: "",
    shown: "`http://127.0.0.1:<port>`",
    meaning: "The public address. Links, inbound addresses and problem types begin with it.",
  },
  JUNCTION_DATA_DIR: {
    fallback: "./data",
    meaning: "A folder for the embedded database, the generated master key and connectors' files.",
  },
  DATABASE_URL: {
    fallback: "",
    shown: "none: the embedded PostgreSQL",
    meaning:
      "A PostgreSQL of your own, 15 or later, as `postgres://…`. Its user needs `CREATEROLE` at the first start.",
  },
  JUNCTION_MASTER_KEY: {
    fallback: "",
    shown: "made in the data folder",
    meaning:
      "32 bytes in base64 (`openssl rand -base64 32`) that seal secrets in the database; the same on every node. Required with `DATABASE_URL`.",
  },
  JUNCTION_MASTER_KEY_PREVIOUS: {
    fallback: "",
    shown: "none",
    meaning:
      "Master keys, with commas between, that still open what they sealed: for the [rotation of the master key](../guide/master-key.md).",
  },
  JUNCTION_BOOTSTRAP: {
    fallback: "",
    shown: "none: the first start prints a one-time link",
    meaning:
      "A path: on an empty database a workspace, its owner and keys are made, and written there with mode 0600. On any other database it changes nothing.",
  },
  JUNCTION_ROLES: { fallback: "api,worker", meaning: "Which halves this process runs: `api`, `worker`, or both." },
  JUNCTION_PROCESSES: {
    fallback: "1",
    meaning: "Processes of this machine that take requests and deliver, to 64; `auto` is one a core.",
  },
  JUNCTION_RETRY_LADDER: {
    fallback: "1m,5m,30m,2h,12h",
    meaning: "The waits after failed attempts of a delivery. After the last a failure parks it.",
  },
  JUNCTION_ALLOW_TARGETS: {
    fallback: "",
    shown: "none",
    meaning:
      "Addresses that calls may reach besides the public internet, `http://` included: `CIDR` or `CIDR:port`, with commas between. Only what is yours.",
  },
  JUNCTION_TRUST_PROXIES: {
    fallback: "",
    shown: "none",
    meaning: "CIDRs of proxies whose `X-Forwarded-For` is believed, with commas between.",
  },
  JUNCTION_RATE_LIMITS: {
    fallback: "{}",
    shown: "the limits below",
    meaning: 'Other limits, as JSON: `{"events.fire": 6000}` is calls a minute and key.',
  },
  JUNCTION_STAGE_WAIT: {
    fallback: "10s",
    meaning: "How long one stage of an event's subscribers may hold back the next.",
  },
  JUNCTION_RETENTION_DAYS: {
    fallback: "30",
    meaning: "How many days the logs of deliveries and attempts, and the raw bodies of receipts, are kept.",
  },
  JUNCTION_CONNECTORS_DIR: {
    fallback: "./connectors",
    meaning: "Folders whose folders are connectors, with commas between.",
  },
  JUNCTION_CONNECTOR_TRUST: {
    fallback: REPOSITORY_KEY,
    shown: "the key of this repository",
    meaning: "Ed25519 public keys whose signatures of connectors are accepted, with commas between.",
  },
  JUNCTION_DNS_SERVERS: {
    fallback: "",
    shown: "the system's",
    meaning: "Resolvers for the names of targets: `ip` or `ip:port`, with commas between.",
  },
  JUNCTION_SMTP_URL: {
    fallback: "",
    shown: "none: no mail is sent",
    meaning: "Where connectors' mail goes: `smtp://user:password@host:port`, or `smtps://`.",
  },
  JUNCTION_MAIL_FROM: {
    fallback: "",
    shown: "none",
    meaning: "The sender of that mail. Required with `JUNCTION_SMTP_URL`.",
  },
  JUNCTION_PHP: {
    fallback: "",
    shown: "PHP.wasm, which comes with the service",
    meaning: "The absolute path of a PHP, 8.4 or later, that connectors in PHP run on.",
  },
  JUNCTION_METRICS_TOKEN: {
    fallback: "",
    shown: "none: from loopback only",
    meaning: "The Bearer token for `/metrics` from other machines.",
  },
  JUNCTION_LOG_LEVEL: {
    fallback: "info",
    meaning: "`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    fallback: "",
    shown: "none: no traces",
    meaning:
      "The collector that traces go to, OTLP over HTTP. `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` count too; `OTEL_SDK_DISABLED=true` ends it.",
  },
} as const satisfies Readonly<Record<string, Setting>>;

type SettingName = keyof typeof SETTINGS;
type Environment = Readonly<Record<string, string | undefined>>;

const MOST_PROCESSES = 64;
const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Reads the whole configuration. Nothing else in the service reads the environment. */
export function readConfig(environment: Environment = process.env): Config {
  const faults: string[] = [];
  const read = reader(environment, faults);
  const port = read("JUNCTION_PORT", portOf);
  const host = read("JUNCTION_HOST", (text) => text);
  const config = {
    host,
    port,
    baseUrl: read("JUNCTION_BASE_URL", baseUrlOf, `http://127.0.0.1:${port}`),
    dataDir: read("JUNCTION_DATA_DIR", (text) => text),
    databaseUrl: read("DATABASE_URL", databaseUrlOf),
    masterKey: read("JUNCTION_MASTER_KEY", masterKeyOf),
    previousMasterKeys: read("JUNCTION_MASTER_KEY_PREVIOUS", (text) => listOf(text).map(keyBytes)),
    bootstrapPath: read("JUNCTION_BOOTSTRAP", (text) => (text === "" ? null : text)),
    roles: read("JUNCTION_ROLES", rolesOf),
    processes: read("JUNCTION_PROCESSES", processesOf),
    ladder: read("JUNCTION_RETRY_LADDER", (text) => text.split(",").map(durationOf)),
    allowTargetsText: environment["JUNCTION_ALLOW_TARGETS"] ?? "",
    allowTargets: read("JUNCTION_ALLOW_TARGETS", parseAllowTargets),
    trustProxies: read("JUNCTION_TRUST_PROXIES", listOf),
    limits: read("JUNCTION_RATE_LIMITS", limitsOf),
    stageWaitMs: read("JUNCTION_STAGE_WAIT", durationOf),
    retentionDays: read("JUNCTION_RETENTION_DAYS", countOf),
    connectorFolders: read("JUNCTION_CONNECTORS_DIR", listOf),
    connectorTrust: read("JUNCTION_CONNECTOR_TRUST", (text) => listOf(text).map(readPublicKey)),
    dnsServers: read("JUNCTION_DNS_SERVERS", listOf),
    mail: mailOf(read("JUNCTION_SMTP_URL", smtpUrlOf), read("JUNCTION_MAIL_FROM", mailFromOf), faults),
    php: read("JUNCTION_PHP", programOf),
    metricsToken: read("JUNCTION_METRICS_TOKEN", (text) => (text === "" ? null : text)),
    logLevel: read("JUNCTION_LOG_LEVEL", levelOf),
    otlpEndpoint: environment["OTEL_SDK_DISABLED"] === "true" ? null : read("OTEL_EXPORTER_OTLP_ENDPOINT", otlpOf),
  };
  if (config.databaseUrl !== null && config.masterKey === null && faults.length === 0) {
    faults.push(
      "JUNCTION_MASTER_KEY is required with DATABASE_URL: 32 random bytes in base64, the same on every node (openssl rand -base64 32)",
    );
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** What the commands of a connector's author take from the environment. */
export function readAuthor(environment: Environment = process.env): {
  readonly php: string | null;
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
} {
  const faults: string[] = [];
  const read = reader(environment, faults);
  const author = {
    php: read("JUNCTION_PHP", programOf),
    baseUrl: environment["JUNCTION_BASE_URL"] ?? null,
    apiKey: environment["JUNCTION_API_KEY"] ?? null,
  };
  if (faults.length > 0) throw new ConfigError(faults);
  return author;
}

type Read = <Value>(name: SettingName, parse: (text: string) => Value, fallback?: string) => Value;

function reader(environment: Environment, faults: string[]): Read {
  return (name, parse, fallback = SETTINGS[name].fallback) => {
    const text = environment[name];
    try {
      return parse(text === undefined || text === "" ? fallback : text);
    } catch (error) {
      faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return parse(fallback);
    }
  };
}

function portOf(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`"${text}" is no port (0 to 65535)`);
  return port;
}

function baseUrlOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new Error(`"${text}" is no http(s) address`);
  return text.replace(/(?<!\/)\/+$/, "");
}

function databaseUrlOf(text: string): string | null {
  if (text === "") return null;
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol))
    throw new Error("must begin with postgres:// or postgresql://");
  return text;
}

function smtpUrlOf(text: string): string | null {
  if (text === "") return null;
  const url = URL.parse(text);
  // The address may hold a password: it is not repeated.
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "" || !/^\/?$/.test(url.pathname))
    throw new Error("must be smtp://user:password@host:port, or smtps://");
  return text;
}

function mailFromOf(text: string): string | null {
  if (text === "") return null;
  if (!/^[^\s<>@,;:]+@[A-Za-z0-9.-]+$/.test(text)) throw new Error("must be one address, such as alerts@example.com");
  return text;
}

function mailOf(smtpUrl: string | null, from: string | null, faults: string[]): Config["mail"] {
  if (smtpUrl !== null && from !== null) return { smtpUrl, from };
  if (smtpUrl !== null && faults.length === 0) faults.push("JUNCTION_MAIL_FROM is required with JUNCTION_SMTP_URL");
  return null;
}

function masterKeyOf(text: string): Buffer | null {
  return text === "" ? null : keyBytes(text);
}

function keyBytes(text: string): Buffer {
  const key = Buffer.from(text, "base64");
  if (key.length !== 32) throw new Error("must be 32 bytes in base64 (openssl rand -base64 32)");
  return key;
}

function rolesOf(text: string): { api: boolean; worker: boolean } {
  const roles = listOf(text);
  const unknown = roles.filter((role) => role !== "api" && role !== "worker");
  if (unknown.length > 0 || roles.length === 0) throw new Error(`"${text}" must be api, worker, or both with a comma`);
  return { api: roles.includes("api"), worker: roles.includes("worker") };
}

function processesOf(text: string): number {
  if (text === "auto") return availableParallelism();
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > MOST_PROCESSES)
    throw new Error(`"${text}" must be auto, or a whole number from 1 to ${MOST_PROCESSES}`);
  return count;
}

function programOf(text: string): string | null {
  if (text === "") return null;
  if (!isAbsolute(text)) throw new Error(`"${text}" is no absolute path of a program, such as /usr/bin/php8.4`);
  return text;
}

/** Its own paths begin behind it. */
function otlpOf(text: string): string | null {
  if (text === "") return null;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error(`"${text}" is no address of an OTLP collector over HTTP, such as http://127.0.0.1:4318`);
  return url.href.replace(/(?<!\/)\/+$/, "");
}

/** `90s`, `5m`, `2h`, `250ms`. */
function durationOf(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim());
  const unit = UNITS[match?.[2] ?? ""];
  if (match === null || unit === undefined) throw new Error(`"${text}" is no duration; write 250ms, 90s, 5m or 2h`);
  return Number(match[1]) * unit;
}

function limitsOf(text: string): Record<string, number> {
  const given: unknown = JSON.parse(text);
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new Error("must be a JSON object {operation: calls per minute}");
  for (const [name, limit] of Object.entries(given)) {
    if (!(name in DEFAULT_LIMITS))
      throw new Error(`"${name}" is no operation with a limit; known are ${Object.keys(DEFAULT_LIMITS).join(", ")}`);
    if (!Number.isInteger(limit) || limit < 1) throw new Error(`"${name}" must be a whole number of calls per minute`);
  }
  return { ...DEFAULT_LIMITS, ...given };
}

function countOf(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new Error(`"${text}" must be a whole number from 1`);
  return count;
}

function levelOf(text: string): string {
  if (!LEVELS.includes(text)) throw new Error(`"${text}" must be one of ${LEVELS.join(", ")}`);
  return text;
}

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
