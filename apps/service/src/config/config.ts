import { isIPv4, isIPv6 } from "node:net";
import { DEFAULT_LIMITS } from "../access/settings.ts";
import type { AllowEntry, EgressProxy, EgressSettings, NameServers } from "../platform/outbound-http/outbound-http.ts";
import type { SmtpSettings } from "../platform/mail/mail.ts";
import type { OidcSettings } from "../accounts/accounts.ts";
import { ConfigError } from "../operator/operator.ts";
import { withSecretFiles } from "./files.ts";
import { SETTINGS } from "./settings.ts";
import type { Setting } from "./settings.ts";
import * as value from "./values.ts";

export interface Config {
  readonly host: string;
  readonly port: number;
  /** If true, non-loopback hosts are accepted before the installation has an owner. */
  readonly claimFromAnywhere: boolean;
  /** The public URL, without a slash at the end. */
  readonly baseUrl: string;
  readonly dataDir: string;
  /** Null for the embedded database. */
  readonly databaseUrl: string | null;
  readonly masterKey: Buffer | null;
  /** Keys that only decrypt: the key before a rotation, or the next one. */
  readonly previousMasterKeys: readonly Buffer[];
  readonly bootstrapPath: string | null;
  readonly roles: { readonly api: boolean; readonly worker: boolean };
  /** The number of processes on this machine that serve requests and send deliveries. */
  readonly processes: number;
  readonly retrySchedule: readonly number[];
  readonly allowTargets: readonly AllowEntry[];
  readonly allowTargetsText: string;
  readonly trustProxies: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
  readonly stageWaitMs: number;
  readonly retentionDays: number;
  /** Folders that contain connector folders. */
  readonly connectorFolders: readonly string[];
  /** Ed25519 public keys, 32 bytes each, whose signatures of connectors are accepted. */
  readonly connectorTrust: readonly Uint8Array[];
  /** The PHP program that runs PHP connectors. Null for PHP.wasm. */
  readonly php: string | null;
  /** The proxy of outbound requests. Null: they go directly. */
  readonly egress: EgressSettings | null;
  /** Name servers for target hosts, as `ip` or `ip:port`. Null: the system's resolver. */
  readonly dnsServers: NameServers | null;
  /** The mail server and the sender address. Null if no mail is sent. */
  readonly mail: SmtpSettings | null;
  /** The issuer of OpenID Connect by which people sign in. Null if there is none. */
  readonly oidc: OidcSettings | null;
  /** The address of Slack's API, without a slash at the end. */
  readonly slackApiUrl: string;
  readonly metricsToken: string | null;
  /** The number of tenants with metrics of their own in each process. */
  readonly metricsTenants: number;
  readonly logLevel: string;
  /** `text` is for a person at a terminal. */
  readonly logFormat: "json" | "text";
  /** The collector of traces (OTLP over HTTP). Null if there are no traces. */
  readonly otlpEndpoint: string | null;
}

type SettingName = keyof typeof SETTINGS;
type RequiredName = {
  [Name in SettingName]: (typeof SETTINGS)[Name] extends { readonly fallback: string } ? Name : never;
}[SettingName];
type OptionalName = Exclude<SettingName, RequiredName>;
type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the whole configuration. Nothing else in the service reads the environment. Throws ConfigError with every fault. */
export function readConfig(variables: Environment = process.env): Config {
  const faults: string[] = [];
  const environment = withSecretFiles(variables, faults);
  const { required, optional } = reader(environment, faults);
  const host = required("JUNCTION_HOST", value.hostOf);
  const port = required("JUNCTION_PORT", value.portOf);
  const config = {
    host,
    port,
    claimFromAnywhere: required("JUNCTION_CLAIM", value.claimOf) === "any",
    baseUrl: optional("JUNCTION_BASE_URL", value.baseUrlOf, localUrl(host, port)),
    dataDir: required("JUNCTION_DATA_DIR", value.folderOf),
    databaseUrl: optional("DATABASE_URL", value.databaseUrlOf),
    masterKey: optional("JUNCTION_MASTER_KEY", value.keyOf),
    previousMasterKeys: optional("JUNCTION_MASTER_KEY_PREVIOUS", value.keysOf, []),
    bootstrapPath: optional("JUNCTION_BOOTSTRAP", value.fileOf),
    roles: required("JUNCTION_ROLES", value.rolesOf),
    processes: required("JUNCTION_PROCESSES", value.processesOf),
    retrySchedule: required("JUNCTION_RETRY_LADDER", value.durationsOf),
    allowTargetsText: optional("JUNCTION_ALLOW_TARGETS", value.settingText, ""),
    allowTargets: optional("JUNCTION_ALLOW_TARGETS", value.allowTargetsOf, []),
    trustProxies: optional("JUNCTION_TRUST_PROXIES", value.proxiesOf, []),
    limits: optional("JUNCTION_RATE_LIMITS", value.limitsOf, DEFAULT_LIMITS),
    stageWaitMs: required("JUNCTION_STAGE_WAIT", value.durationOf),
    retentionDays: required("JUNCTION_RETENTION_DAYS", value.retentionOf),
    connectorFolders: required("JUNCTION_CONNECTORS_DIR", value.foldersOf),
    connectorTrust: required("JUNCTION_CONNECTOR_TRUST", value.trustOf),
    egress: egressOf(
      optional("JUNCTION_EGRESS_PROXY", value.egressProxyOf),
      optional("JUNCTION_EGRESS_NO_PROXY", value.noProxyOf, []),
    ),
    dnsServers: optional("JUNCTION_DNS_SERVERS", value.nameServersOf),
    mail: mailOf({
      smtpUrl: optional("JUNCTION_SMTP_URL", value.smtpUrlOf),
      from: optional("JUNCTION_MAIL_FROM", value.mailFromOf) ?? senderOf(environment),
      requiresTls: required("JUNCTION_SMTP_TLS", value.tlsOf) === "required",
    }),
    slackApiUrl: required("JUNCTION_SLACK_API_URL", value.baseUrlOf),
    php: optional("JUNCTION_PHP", value.programOf),
    oidc: oidcOf({
      issuer: optional("JUNCTION_OIDC_ISSUER", value.issuerOf),
      clientId: optional("JUNCTION_OIDC_CLIENT_ID", value.tokenOf),
      clientSecret: optional("JUNCTION_OIDC_CLIENT_SECRET", value.tokenOf),
      groups: optional("JUNCTION_OIDC_GROUPS", value.groupRolesOf),
      groupsClaim: required("JUNCTION_OIDC_GROUPS_CLAIM", value.claimNameOf),
    }),
    metricsToken: optional("JUNCTION_METRICS_TOKEN", value.tokenOf),
    metricsTenants: required("JUNCTION_METRICS_TENANTS", value.metricsTenantsOf),
    logLevel: required("JUNCTION_LOG_LEVEL", value.levelOf),
    logFormat: required("JUNCTION_LOG_FORMAT", value.formatOf),
    otlpEndpoint:
      environment["OTEL_SDK_DISABLED"] === "true" ? null : optional("OTEL_EXPORTER_OTLP_ENDPOINT", value.collectorOf),
  };
  faults.push(...missing(environment));
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

function egressOf(proxy: EgressProxy | null, direct: readonly string[]): EgressSettings | null {
  return proxy === null ? null : { proxy, direct };
}

/** Returns a fault for each missing setting that another one requires. */
function missing(environment: Environment): string[] {
  const isSet = (name: SettingName): boolean =>
    (valueOf(environment, name) ?? valueOf(environment, `${name}_FILE`)) !== null;
  const faults: string[] = [];
  if (isSet("DATABASE_URL") && !isSet("JUNCTION_MASTER_KEY"))
    faults.push(
      `\`JUNCTION_MASTER_KEY\` must be set together with \`DATABASE_URL\`, to the same value on every node: ${SETTINGS.JUNCTION_MASTER_KEY.form}.`,
    );
  if (isSet("JUNCTION_SMTP_URL") && !isSet("JUNCTION_MAIL_FROM") && senderOf(environment) === null)
    faults.push(
      `\`JUNCTION_MAIL_FROM\` must be set together with \`JUNCTION_SMTP_URL\`: ${SETTINGS.JUNCTION_MAIL_FROM.form}.`,
    );
  return [...faults, ...missingOfOidc(isSet)];
}

function missingOfOidc(isSet: (name: SettingName) => boolean): string[] {
  const faults: string[] = [];
  if (isSet("JUNCTION_OIDC_GROUPS_CLAIM") && !isSet("JUNCTION_OIDC_GROUPS"))
    faults.push(
      `\`JUNCTION_OIDC_GROUPS\` must be set together with \`JUNCTION_OIDC_GROUPS_CLAIM\`: ${SETTINGS.JUNCTION_OIDC_GROUPS.form}.`,
    );
  const oidc = ["JUNCTION_OIDC_ISSUER", "JUNCTION_OIDC_CLIENT_ID", "JUNCTION_OIDC_CLIENT_SECRET"] as const;
  const absent = oidc.filter((name) => !isSet(name));
  if (absent.length > 0 && (absent.length < oidc.length || isSet("JUNCTION_OIDC_GROUPS")))
    for (const name of absent)
      faults.push(`\`${name}\` must be set for sign-in by OpenID Connect: ${SETTINGS[name].form}.`);
  return faults;
}

interface OidcParts {
  readonly issuer: string | null;
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  readonly groups: OidcSettings["groups"];
  readonly groupsClaim: string;
}

function oidcOf({ issuer, clientId, clientSecret, ...groups }: OidcParts): Config["oidc"] {
  if (issuer === null || clientId === null || clientSecret === null) return null;
  return { issuer, clientId, clientSecret, ...groups };
}

/** Returns the URL at which this machine reaches a service that listens on `host`. */
function localUrl(host: string, port: number): string {
  if (host === "0.0.0.0" || host === "::") return `http://127.0.0.1:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

interface MailParts {
  readonly smtpUrl: string | null;
  readonly from: string | null;
  readonly requiresTls: boolean;
}

function mailOf({ smtpUrl, from, requiresTls }: MailParts): Config["mail"] {
  return smtpUrl === null || from === null ? null : { smtpUrl, from, requiresTls };
}

/** Returns the sender address if none is set: the SMTP user, or one at the host of the base URL. Null if neither is one. */
function senderOf(environment: Environment): string | null {
  const user = userOf(environment);
  if (value.isSender(user)) return user;
  const base = valueOf(environment, "JUNCTION_BASE_URL") ?? "";
  const host = URL.canParse(base) ? new URL(base).hostname : "";
  const isName = host.includes(".") && !isIPv4(host) && !host.startsWith("[");
  return isName ? `junction@${host}` : null;
}

function userOf(environment: Environment): string {
  const url = valueOf(environment, "JUNCTION_SMTP_URL") ?? "";
  try {
    return decodeURIComponent(new URL(url).username);
  } catch {
    return "";
  }
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
    php: optional("JUNCTION_PHP", value.programOf),
    baseUrl: optional("JUNCTION_BASE_URL", value.baseUrlOf),
    apiKey: valueOf(environment, "JUNCTION_API_KEY"),
  };
  if (faults.length > 0) throw new ConfigError(faults);
  return author;
}

interface Reader {
  /** Reads a setting with a default. `parse` gets the value that is set, or the default. */
  required<Value>(name: RequiredName, parse: (text: string) => Value): Value;
  /** Reads a setting without a default. Returns `absent` (null) unless it is set. `parse` never gets an empty text. */
  optional<Value>(name: OptionalName, parse: (text: string) => Value): Value | null;
  optional<Value>(name: OptionalName, parse: (text: string) => Value, absent: Value): Value;
}

function reader(environment: Environment, faults: string[]): Reader {
  function tryParse<Value>(name: SettingName, text: string, parse: (text: string) => Value): Value | null {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof value.WrongValue)) throw error;
      // A setting that is read twice has one fault.
      const fault = settingFault(name, error.part);
      if (!faults.includes(fault)) faults.push(fault);
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

/**
 * Returns a variable. An empty or blank one counts as not set, because Docker Compose and systemd pass variables
 * without a value so.
 */
function valueOf(environment: Environment, name: string): string | null {
  const text = environment[name]?.trim();
  return text === undefined || text === "" ? null : text;
}

const MOST_SHOWN = 120;

/**
 * Returns one line with the wrong value and the correct form. Never repeats a value that may contain a password or a
 * key.
 */
function settingFault(name: SettingName, part: string): string {
  const { form, isSecret }: Setting = SETTINGS[name];
  const isShown = isSecret !== true && !/:\/\/[^/]*@/.test(part);
  const cut = part.length > MOST_SHOWN ? `${part.slice(0, MOST_SHOWN)}…` : part;
  return `\`${name}\` must be ${form}; ${isShown ? `got ${JSON.stringify(cut)}` : "its value is not shown here"}.`;
}
