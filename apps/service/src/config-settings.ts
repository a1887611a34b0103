import { REPOSITORY_KEY } from "./connectors/connectors.ts";

/**
 * An environment variable. `fallback` is the default value, in the same notation. A setting without one is absent unless it is set;
 * `shown` then says in words what applies.
 */
export type Setting = { readonly meaning: string } & (
  | { readonly fallback: string; readonly shown?: undefined }
  | { readonly fallback?: string; readonly shown: string }
);

/** Every setting of the service. docs/reference/configuration.md is generated from this list. */
export const SETTINGS = {
  JUNCTION_PORT: { fallback: "4000", meaning: "The port it listens on." },
  JUNCTION_HOST: {
    fallback: "127.0.0.1",
    meaning: "The address it listens on. Another than loopback is refused until somebody owns the installation.",
  },
  JUNCTION_BASE_URL: {
    shown: "`http://127.0.0.1:<port>`",
    meaning: "The public address. Links, inbound addresses and problem types begin with it.",
  },
  JUNCTION_DATA_DIR: {
    fallback: "./data",
    meaning: "A folder for the embedded database, the generated master key and connectors' files.",
  },
  DATABASE_URL: {
    shown: "none: the embedded PostgreSQL",
    meaning:
      "A PostgreSQL of your own, 15 or later, as `postgres://…`. Its user needs `CREATEROLE` at the first start.",
  },
  JUNCTION_MASTER_KEY: {
    shown: "made in the data folder",
    meaning:
      "32 bytes in base64 (`openssl rand -base64 32`) that seal secrets in the database; the same on every node. Required with `DATABASE_URL`.",
  },
  JUNCTION_MASTER_KEY_PREVIOUS: {
    shown: "none",
    meaning:
      "Master keys, with commas between, that still open what they sealed: for the [rotation of the master key](../guide/master-key.md).",
  },
  JUNCTION_BOOTSTRAP: {
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
    shown: "none",
    meaning:
      "Addresses that calls may reach besides the public internet, `http://` included: `CIDR` or `CIDR:port`, with commas between. Only what is yours.",
  },
  JUNCTION_TRUST_PROXIES: {
    shown: "none",
    meaning: "CIDRs of proxies whose `X-Forwarded-For` is believed, with commas between.",
  },
  JUNCTION_RATE_LIMITS: {
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
    shown: "the system's",
    meaning: "Resolvers for the names of targets: `ip` or `ip:port`, with commas between.",
  },
  JUNCTION_SMTP_URL: {
    shown: "none: no mail is sent",
    meaning: "Where connectors' mail goes: `smtp://user:password@host:port`, or `smtps://`.",
  },
  JUNCTION_MAIL_FROM: {
    shown: "none",
    meaning: "The sender of that mail. Required with `JUNCTION_SMTP_URL`.",
  },
  JUNCTION_PHP: {
    shown: "PHP.wasm, which comes with the service",
    meaning: "The absolute path of a PHP, 8.4 or later, that connectors in PHP run on.",
  },
  JUNCTION_METRICS_TOKEN: {
    shown: "none: from loopback only",
    meaning: "The Bearer token for `/metrics` from other machines.",
  },
  JUNCTION_LOG_LEVEL: {
    fallback: "info",
    meaning: "`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    shown: "none: no traces",
    meaning:
      "The collector that traces go to, OTLP over HTTP. `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` count too; `OTEL_SDK_DISABLED=true` ends it.",
  },
} as const satisfies Readonly<Record<string, Setting>>;
