import { availableParallelism } from "node:os";
import { isAbsolute } from "node:path";
import { parseAllowTargets, parseNameServers } from "./net/net.ts";
import type { AllowEntry, NameServers } from "./net/net.ts";
import { readPublicKey } from "./connectors/connectors.ts";
import { DEFAULT_LIMITS } from "./gate/gate.ts";
import { commaList } from "./kernel/kernel.ts";
import { SETTINGS } from "./config-settings.ts";

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
  /** Name servers for target hosts, as `ip` or `ip:port`. Null: the system's resolver. */
  readonly dnsServers: NameServers | null;
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

type SettingName = keyof typeof SETTINGS;
type RequiredName = {
  [Name in SettingName]: (typeof SETTINGS)[Name] extends { readonly fallback: string } ? Name : never;
}[SettingName];
type OptionalName = Exclude<SettingName, RequiredName>;
type Environment = Readonly<Record<string, string | undefined>>;

const MOST_PROCESSES = 64;
const MOST_RETENTION_DAYS = 3650;
const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Reads the whole configuration. Nothing else in the service reads the environment. Throws ConfigError with every fault. */
export function readConfig(environment: Environment = process.env): Config {
  const faults: string[] = [];
  const { required, optional } = reader(environment, faults);
  const port = required("JUNCTION_PORT", portOf);
  const config = {
    host: required("JUNCTION_HOST", asText),
    port,
    baseUrl: optional("JUNCTION_BASE_URL", baseUrlOf, `http://127.0.0.1:${port}`),
    dataDir: required("JUNCTION_DATA_DIR", asText),
    databaseUrl: optional("DATABASE_URL", databaseUrlOf),
    masterKey: optional("JUNCTION_MASTER_KEY", keyBytes),
    previousMasterKeys: optional("JUNCTION_MASTER_KEY_PREVIOUS", (text) => listOf(text).map(keyBytes), []),
    bootstrapPath: optional("JUNCTION_BOOTSTRAP", asText),
    roles: required("JUNCTION_ROLES", rolesOf),
    processes: required("JUNCTION_PROCESSES", processesOf),
    ladder: required("JUNCTION_RETRY_LADDER", (text) => text.split(",").map(durationOf)),
    allowTargetsText: optional("JUNCTION_ALLOW_TARGETS", asText, ""),
    allowTargets: optional("JUNCTION_ALLOW_TARGETS", parseAllowTargets, []),
    trustProxies: optional("JUNCTION_TRUST_PROXIES", proxiesOf, []),
    limits: optional("JUNCTION_RATE_LIMITS", limitsOf, DEFAULT_LIMITS),
    stageWaitMs: required("JUNCTION_STAGE_WAIT", durationOf),
    retentionDays: required("JUNCTION_RETENTION_DAYS", retentionOf),
    connectorFolders: required("JUNCTION_CONNECTORS_DIR", listOf),
    connectorTrust: required("JUNCTION_CONNECTOR_TRUST", (text) => listOf(text).map(readPublicKey)),
    dnsServers: optional("JUNCTION_DNS_SERVERS", parseNameServers),
    mail: mailOf(optional("JUNCTION_SMTP_URL", smtpUrlOf), optional("JUNCTION_MAIL_FROM", mailFromOf), faults),
    php: optional("JUNCTION_PHP", programOf),
    metricsToken: optional("JUNCTION_METRICS_TOKEN", asText),
    logLevel: required("JUNCTION_LOG_LEVEL", levelOf),
    otlpEndpoint: environment["OTEL_SDK_DISABLED"] === "true" ? null : optional("OTEL_EXPORTER_OTLP_ENDPOINT", otlpOf),
  };
  if (config.databaseUrl !== null && config.masterKey === null && faults.length === 0) {
    faults.push(
      "JUNCTION_MASTER_KEY is required with DATABASE_URL: 32 random bytes in base64, the same on every node (openssl rand -base64 32)",
    );
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** Reads the part of the environment that the commands for connector authors use. Throws ConfigError. */
export function readAuthor(environment: Environment = process.env): {
  readonly php: string | null;
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
} {
  const faults: string[] = [];
  const { optional } = reader(environment, faults);
  const author = {
    php: optional("JUNCTION_PHP", programOf),
    baseUrl: optional("JUNCTION_BASE_URL", baseUrlOf),
    apiKey: valueOf(environment, "JUNCTION_API_KEY"),
  };
  if (faults.length > 0) throw new ConfigError(faults);
  return author;
}

interface Reader {
  /** A setting with a default: `parse` gets the value that is set, or the default. */
  required<Value>(name: RequiredName, parse: (text: string) => Value): Value;
  /** A setting without a default: `absent` (null) unless it is set. `parse` never gets an empty text. */
  optional<Value>(name: OptionalName, parse: (text: string) => Value): Value | null;
  optional<Value>(name: OptionalName, parse: (text: string) => Value, absent: Value): Value;
}

function reader(environment: Environment, faults: string[]): Reader {
  function tryParse<Value>(name: SettingName, text: string, parse: (text: string) => Value): Value | null {
    try {
      return parse(text);
    } catch (error) {
      faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    }
  }

  return {
    required(name, parse) {
      const { fallback } = SETTINGS[name];
      return tryParse(name, valueOf(environment, name) ?? fallback, parse) ?? parse(fallback);
    },
    optional<Value>(name: OptionalName, parse: (text: string) => Value, absent: Value | null = null) {
      const text = valueOf(environment, name);
      return (text === null ? null : tryParse(name, text, parse)) ?? absent;
    },
  };
}

/** A variable that is empty or blank counts as not set, as Docker Compose and systemd pass a variable without a value. */
function valueOf(environment: Environment, name: string): string | null {
  const text = environment[name]?.trim();
  return text === undefined || text === "" ? null : text;
}

function asText(text: string): string {
  return text;
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

function databaseUrlOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol))
    throw new Error("must begin with postgres:// or postgresql://");
  return text;
}

function smtpUrlOf(text: string): string {
  const url = URL.parse(text);
  // The address may hold a password: it is not repeated.
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "" || !/^\/?$/.test(url.pathname))
    throw new Error("must be smtp://user:password@host:port, or smtps://");
  return text;
}

function mailFromOf(text: string): string {
  if (!/^[^\s<>@,;:]+@[A-Za-z0-9.-]+$/.test(text)) throw new Error("must be one address, such as alerts@example.com");
  return text;
}

function mailOf(smtpUrl: string | null, from: string | null, faults: string[]): Config["mail"] {
  if (smtpUrl !== null && from !== null) return { smtpUrl, from };
  if (smtpUrl !== null && faults.length === 0) faults.push("JUNCTION_MAIL_FROM is required with JUNCTION_SMTP_URL");
  return null;
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

function programOf(text: string): string {
  if (!isAbsolute(text)) throw new Error(`"${text}" is no absolute path of a program, such as /usr/bin/php8.4`);
  return text;
}

/** Its own paths begin behind it. */
function otlpOf(text: string): string {
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

function retentionOf(text: string): number {
  const days = Number(text);
  if (!Number.isInteger(days) || days < 1 || days > MOST_RETENTION_DAYS)
    throw new Error(`must be an integer from 1 to ${MOST_RETENTION_DAYS} (got "${text}")`);
  return days;
}

function levelOf(text: string): string {
  if (!LEVELS.includes(text)) throw new Error(`"${text}" must be one of ${LEVELS.join(", ")}`);
  return text;
}

function proxiesOf(text: string): string[] {
  const proxies = listOf(text);
  for (const { network, prefix, port } of parseAllowTargets(text)) {
    if (port !== null) throw new Error(`${network}:${port} must be an address or a CIDR range, without a port`);
    if (prefix === 0) throw new Error(`"${network}/0" would trust every sender; name the addresses of your proxies`);
  }
  return proxies;
}

/** Throws where nothing is listed: an empty list would mean "none", which is not what an absent setting means. */
function listOf(text: string): string[] {
  const parts = commaList(text);
  if (parts.length === 0) throw new Error(`must list at least one value (got "${text}")`);
  return parts;
}
