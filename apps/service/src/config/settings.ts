import { LOG_LEVELS, MOST_PROCESSES, MOST_RETENTION_DAYS } from "./values.ts";
import { REPOSITORY_KEY } from "../connectors/connectors.ts";

/**
 * An environment variable. `fallback` is the default value, in the same notation. A setting without one is absent unless it is set;
 * `shown` then says in words what applies.
 */
export type Setting = {
  readonly meaning: string;
  /** What a value must be, to follow "must be". */
  readonly form: string;
  /** A value may hold a password or a key: it is never repeated, and can be in a file that `<NAME>_FILE` names. */
  readonly isSecret?: true;
} & (
  | { readonly fallback: string; readonly shown?: undefined }
  | { readonly fallback?: string; readonly shown: string }
);

/** Every setting of the service. docs/reference/configuration.md is generated from this list. */
export const SETTINGS = {
  JUNCTION_PORT: {
    form: "an integer from 0 to 65535",
    fallback: "4000",
    meaning: "The port it listens on.",
  },
  JUNCTION_HOST: {
    form: "an IP address or a host name",
    fallback: "127.0.0.1",
    meaning:
      "The address it listens on. A host other than loopback is refused until the installation has an owner, unless `JUNCTION_CLAIM` is `any`.",
  },
  JUNCTION_CLAIM: {
    form: "loopback or any",
    fallback: "loopback",
    meaning:
      "Where the service may listen before it has an owner: `loopback`, or `any` host. With `any`, everyone who has the one-time link from the log can claim the installation.",
  },
  JUNCTION_BASE_URL: {
    form: "an http:// or https:// address without a user, query or fragment",
    shown: "`http://<host>:<port>`, with 127.0.0.1 where the service listens on every address",
    meaning: "The public address. Links, inbound addresses and problem types begin with it.",
  },
  JUNCTION_DATA_DIR: {
    form: "the path of a folder",
    fallback: "./data",
    meaning:
      "A folder for the embedded database, the generated master key and connectors' files. If Junction runs as root and the folder's parents are closed to other users, the database is in `/var/lib/junction` and the folder holds only its place; the start says so.",
  },
  DATABASE_URL: {
    form: "an address such as postgres://user:password@host:5432/database",
    isSecret: true,
    shown: "none: the embedded PostgreSQL",
    meaning:
      "A PostgreSQL of your own, 15 or later, as `postgres://…`. Its user needs `CREATEROLE` at the first start.",
  },
  JUNCTION_MASTER_KEY: {
    form: "32 random bytes in base64 (openssl rand -base64 32)",
    isSecret: true,
    shown: "made in the data folder",
    meaning:
      "32 bytes in base64 (`openssl rand -base64 32`) that seal secrets in the database; the same on every node. Required with `DATABASE_URL`.",
  },
  JUNCTION_MASTER_KEY_PREVIOUS: {
    form: "a comma-separated list of keys of 32 bytes in base64",
    isSecret: true,
    shown: "none",
    meaning:
      "Master keys, with commas between, that still open what they sealed: for the [rotation of the master key](../guide/master-key.md).",
  },
  JUNCTION_BOOTSTRAP: {
    form: "the path of a file",
    shown: "none: the first start prints a one-time link",
    meaning:
      "A path: on an empty database a workspace, its owner and keys are made, and written there with mode 0600. On any other database it changes nothing.",
  },
  JUNCTION_ROLES: {
    form: "api, worker, or both with a comma between them",
    fallback: "api,worker",
    meaning: "Which halves this process runs: `api`, `worker`, or both.",
  },
  JUNCTION_PROCESSES: {
    form: `auto or an integer from 1 to ${MOST_PROCESSES}`,
    fallback: "1",
    meaning: "Processes of this machine that take requests and deliver, to 64; `auto` is one a core.",
  },
  JUNCTION_RETRY_LADDER: {
    form: "a comma-separated list of durations such as 250ms, 90s, 5m or 2h, each up to 8760h",
    fallback: "1m,5m,30m,2h,12h",
    meaning: "The waits after failed attempts of a delivery. After the last a failure parks it.",
  },
  JUNCTION_ALLOW_TARGETS: {
    form: "a comma-separated list of entries such as 10.0.0.0/8, 10.0.0.5:8080 or [fd00::/8]:443",
    shown: "none",
    meaning:
      "Addresses that calls may reach besides the public internet, `http://` included: `CIDR` or `CIDR:port`, with commas between. Only what is yours.",
  },
  JUNCTION_TRUST_PROXIES: {
    form: "a comma-separated list of IP addresses or CIDR ranges, without a port, that does not include every address",
    shown: "none",
    meaning: "CIDRs of proxies whose `X-Forwarded-For` is believed, with commas between.",
  },
  JUNCTION_RATE_LIMITS: {
    form: 'a JSON object of known operations and integers from 1, such as {"events.fire":6000}',
    shown: "the limits below",
    meaning: 'Other limits, as JSON: `{"events.fire": 6000}` is calls a minute and key.',
  },
  JUNCTION_STAGE_WAIT: {
    form: "a duration such as 250ms, 90s, 5m or 2h, up to 8760h",
    fallback: "10s",
    meaning: "How long one stage of an event's subscribers may hold back the next.",
  },
  JUNCTION_RETENTION_DAYS: {
    form: `an integer from 1 to ${MOST_RETENTION_DAYS}`,
    fallback: "30",
    meaning: "How many days the logs of deliveries and attempts, and the raw bodies of receipts, are kept.",
  },
  JUNCTION_CONNECTORS_DIR: {
    form: "a comma-separated list of folders",
    fallback: "./connectors",
    meaning: "Folders whose folders are connectors, with commas between.",
  },
  JUNCTION_CONNECTOR_TRUST: {
    form: "a comma-separated list of Ed25519 public keys, each as PEM or as 32 bytes in base64",
    isSecret: true,
    fallback: REPOSITORY_KEY,
    shown: "the key of this repository",
    meaning: "Ed25519 public keys whose signatures of connectors are accepted, with commas between.",
  },
  JUNCTION_DNS_SERVERS: {
    form: "a comma-separated list of IP addresses, each with an optional port, such as 9.9.9.9 or [2620:fe::fe]:53",
    shown: "the system's",
    meaning: "Resolvers for the names of targets: `ip` or `ip:port`, with commas between.",
  },
  JUNCTION_SMTP_URL: {
    form: "an address such as smtp://user:password@host:port or smtps://user:password@host:port",
    isSecret: true,
    shown: "none: no mail is sent",
    meaning: "Where connectors' mail goes: `smtp://user:password@host:port`, or `smtps://`.",
  },
  JUNCTION_MAIL_FROM: {
    form: "one e-mail address such as alerts@example.com",
    shown: "none",
    meaning: "The sender of that mail. Required with `JUNCTION_SMTP_URL`.",
  },
  JUNCTION_PHP: {
    form: "the absolute path of a program such as /usr/bin/php8.4",
    shown: "PHP.wasm, which comes with the service",
    meaning: "The absolute path of a PHP, 8.4 or later, that connectors in PHP run on.",
  },
  JUNCTION_METRICS_TOKEN: {
    form: "visible ASCII characters without spaces",
    isSecret: true,
    shown: "none: from loopback only",
    meaning: "The Bearer token for `/metrics` from other machines.",
  },
  JUNCTION_LOG_LEVEL: {
    form: `one of ${LOG_LEVELS.join(", ")}`,
    fallback: "info",
    meaning: "`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.",
  },
  JUNCTION_LOG_FORMAT: {
    form: "json or text",
    fallback: "json",
    meaning:
      "`json` is one JSON object a line on standard output; `text` is lines for a person on standard error. `npm start` uses `text` unless this is set.",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    form: "the http:// or https:// address of an OTLP collector, such as http://127.0.0.1:4318",
    shown: "none: no traces",
    meaning:
      "The collector that traces go to, OTLP over HTTP. `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` count too; `OTEL_SDK_DISABLED=true` ends it.",
  },
} as const satisfies Readonly<Record<string, Setting>>;
