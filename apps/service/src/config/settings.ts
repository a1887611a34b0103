import { LOG_LEVELS, MOST_METRICS_TENANTS, MOST_PROCESSES, MOST_RETENTION_DAYS } from "./values.ts";
import { REPOSITORY_KEY } from "../connectors/settings.ts";

/**
 * An environment variable. `fallback` is the default value, in the same notation. A setting without one is absent
 * unless it is set. `shown` then describes the default.
 */
export type Setting = {
  readonly meaning: string;
  /** The form of a value, which follows "must be". */
  readonly form: string;
  /**
   * Set if a value may contain a password or a key. It is never repeated, and can be in a file that `<NAME>_FILE`
   * names.
   */
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
    meaning: "The TCP port that the service listens on.",
  },
  JUNCTION_HOST: {
    form: "an IP address or a host name",
    fallback: "127.0.0.1",
    meaning:
      "The address that the service listens on. Non-loopback addresses are rejected until the installation has an owner, unless `JUNCTION_CLAIM` is `any`.",
  },
  JUNCTION_CLAIM: {
    form: "loopback or any",
    fallback: "loopback",
    meaning:
      "The addresses that the service can listen on before it has an owner: `loopback`, or `any` address. With `any`, everyone who has the one-time link from the log can claim the installation.",
  },
  JUNCTION_BASE_URL: {
    form: "an http:// or https:// address without a user, query or fragment",
    shown: "`http://<host>:<port>`, with 127.0.0.1 as the host if the service listens on all addresses",
    meaning: "The public URL of the service. Links, inbound URLs and problem types start with it.",
  },
  JUNCTION_DATA_DIR: {
    form: "the path of a folder",
    fallback: "./data",
    meaning:
      "The folder for the embedded database, the generated master key and connectors' files. If Junction runs as root and other users cannot access the folder's parents, the database is in `/var/lib/junction` and the folder stores only its path. Junction logs this at startup.",
  },
  DATABASE_URL: {
    form: "an address such as postgres://user:password@host:5432/database",
    isSecret: true,
    shown: "none (the embedded PostgreSQL)",
    meaning:
      "The URL of your own PostgreSQL database, version 15 or later, such as `postgres://…`. Its user needs `CREATEROLE` at the first start.",
  },
  JUNCTION_MASTER_KEY: {
    form: "32 random bytes in base64 (openssl rand -base64 32)",
    isSecret: true,
    shown: "generated in the data folder",
    meaning:
      "The base64-encoded 32-byte key that encrypts secrets at rest (`openssl rand -base64 32`). It must be the same on every node. Required with `DATABASE_URL`.",
  },
  JUNCTION_MASTER_KEY_PREVIOUS: {
    form: "a comma-separated list of keys of 32 bytes in base64",
    isSecret: true,
    shown: "none",
    meaning:
      "A comma-separated list of master keys that only decrypt, for the [rotation of the master key](../guide/master-key.md). Secrets that were encrypted with one of these keys can still be read.",
  },
  JUNCTION_BOOTSTRAP: {
    form: "the path of a file",
    shown: "none (the first start prints a one-time link)",
    meaning:
      "The path of a file. If the database is empty, Junction creates a workspace, its owner and keys, and writes them to this file with mode 0600. If the database is not empty, the setting has no effect.",
  },
  JUNCTION_ROLES: {
    form: "api, worker, or both, separated by a comma",
    fallback: "api,worker",
    meaning: "The parts of the service that this process runs: `api`, `worker`, or both.",
  },
  JUNCTION_PROCESSES: {
    form: `auto or an integer from 1 to ${MOST_PROCESSES}`,
    fallback: "1",
    meaning:
      "The number of processes on this machine that serve requests and send deliveries, at most 64. `auto` is one process per core.",
  },
  JUNCTION_RETRY_LADDER: {
    form: "a comma-separated list of durations such as 250ms, 90s, 5m or 2h, each up to 8760h",
    fallback: "1m,5m,30m,2h,12h",
    meaning:
      "The retry schedule: the wait after each failed attempt of a delivery. If the attempt after the last wait fails too, the delivery is marked as failed.",
  },
  JUNCTION_ALLOW_TARGETS: {
    form: "a comma-separated list of entries such as 10.0.0.0/8, 10.0.0.5:8080 or [fd00::/8]:443",
    shown: "none",
    meaning:
      "Addresses that outbound calls can reach in addition to the public internet, also over `http://`: a comma-separated list of `CIDR` or `CIDR:port`. List only networks that you control.",
  },
  JUNCTION_TRUST_PROXIES: {
    form: "a comma-separated list of IP addresses or CIDR ranges, without a port, that does not include every address",
    shown: "none",
    meaning:
      "CIDR ranges of trusted proxies, separated by commas. The service uses the `X-Forwarded-For` header of requests from these addresses.",
  },
  JUNCTION_RATE_LIMITS: {
    form: 'a JSON object of known operations and integers from 1, such as {"events.fire":6000}',
    shown: "the limits below",
    meaning:
      'Rate limits that replace the defaults, in calls per minute and key, as a JSON object such as `{"events.fire": 6000}`.',
  },
  JUNCTION_STAGE_WAIT: {
    form: "a duration such as 250ms, 90s, 5m or 2h, up to 8760h",
    fallback: "10s",
    meaning: "The longest time that one stage of an event's subscribers can delay the next stage.",
  },
  JUNCTION_RETENTION_DAYS: {
    form: `an integer from 1 to ${MOST_RETENTION_DAYS}`,
    fallback: "30",
    meaning:
      "The number of days for which the logs of deliveries and attempts, and the raw bodies of receipts, are kept.",
  },
  JUNCTION_CONNECTORS_DIR: {
    form: "a comma-separated list of folders",
    fallback: "./connectors",
    meaning: "Folders that contain connector folders, separated by commas.",
  },
  JUNCTION_CONNECTOR_TRUST: {
    form: "a comma-separated list of Ed25519 public keys, each as PEM or as 32 bytes in base64",
    isSecret: true,
    fallback: REPOSITORY_KEY,
    shown: "the key of this repository",
    meaning: "Trusted Ed25519 public keys for connector signatures, separated by commas.",
  },
  JUNCTION_DNS_SERVERS: {
    form: "a comma-separated list of IP addresses, each with an optional port, such as 9.9.9.9 or [2620:fe::fe]:53",
    shown: "the system's resolvers",
    meaning: "DNS resolvers for target host names: a comma-separated list of `ip` or `ip:port`.",
  },
  JUNCTION_EGRESS_PROXY: {
    form: "an address such as http://proxy.internal:3128 or https://user:password@proxy.internal:3128",
    isSecret: true,
    shown: "none (requests go directly)",
    meaning:
      "The HTTP proxy through which all outbound HTTP requests go, with `CONNECT` to the address that the target guard has checked. Requests that the proxy cannot forward are postponed. See [self-hosting](../guide/self-hosting.md#an-egress-proxy).",
  },
  JUNCTION_EGRESS_NO_PROXY: {
    form: "a comma-separated list of host names such as api.internal or *.internal, and of CIDRs such as 10.0.0.0/8",
    shown: "none",
    meaning:
      "The targets that requests reach directly, without `JUNCTION_EGRESS_PROXY`: a comma-separated list of host names, `*.` patterns, addresses and CIDRs.",
  },
  JUNCTION_SMTP_URL: {
    form: "an address such as smtp://user:password@host:port or smtps://user:password@host:port",
    isSecret: true,
    shown: "none (no mail is sent)",
    meaning:
      "The SMTP server that sends e-mail, such as invitations, password resets, notifications of rules, and connectors' mail: `smtp://user:password@host:port`, or `smtps://`. It may be in a private network.",
  },
  JUNCTION_SMTP_TLS: {
    form: "required or optional",
    fallback: "required",
    meaning:
      "`required` sends mail only through TLS (`smtps://`, or STARTTLS), except to a server on this machine. `optional` also uses a server without TLS: the password, and links such as those for a new password, are then readable in the network.",
  },
  JUNCTION_MAIL_FROM: {
    form: "one e-mail address such as alerts@example.com",
    shown:
      "the user of `JUNCTION_SMTP_URL` if it is an address; otherwise `junction@` and the host name of `JUNCTION_BASE_URL`",
    meaning:
      "The sender address of all e-mail. Required with `JUNCTION_SMTP_URL` if neither the SMTP user nor the base URL results in an address.",
  },
  JUNCTION_OIDC_ISSUER: {
    form: "the https:// address of an issuer, without a user, query or fragment; http:// only on this machine",
    shown: "none (people sign in with e-mail and password)",
    meaning:
      "The issuer of OpenID Connect by which people can [sign in](../guide/sign-in-with-oidc.md), exactly as its metadata contain it. It may be in a private network.",
  },
  JUNCTION_OIDC_CLIENT_ID: {
    form: "visible ASCII characters without spaces",
    shown: "none",
    meaning: "The client ID that the issuer has for this installation. Required with `JUNCTION_OIDC_ISSUER`.",
  },
  JUNCTION_OIDC_CLIENT_SECRET: {
    form: "visible ASCII characters without spaces",
    isSecret: true,
    shown: "none",
    meaning: "The client's secret at the issuer. Required with `JUNCTION_OIDC_ISSUER`.",
  },
  JUNCTION_OIDC_GROUPS: {
    form: 'a JSON object of groups and roles (owner, admin, developer, operator or viewer), such as {"ops":"admin"}',
    shown: "none (groups set no roles)",
    meaning:
      'The roles of the issuer\'s groups, as a JSON object such as `{"ops": "admin", "support": "operator"}`. A sign-in gives the person the highest role of their groups in the first workspace, and ends the membership of a person who lost all of them.',
  },
  JUNCTION_OIDC_GROUPS_CLAIM: {
    form: "the name of one claim, such as roles, cognito:groups or https://example.com/groups, and no path in a claim, such as realm_access.roles",
    fallback: "groups",
    meaning:
      "The claim in which the issuer sends the groups, in the ID token or userinfo. It must be a list of texts, or one text. Used with `JUNCTION_OIDC_GROUPS`.",
  },
  JUNCTION_SLACK_API_URL: {
    form: "an address such as https://slack.com/api",
    fallback: "https://slack.com/api",
    meaning:
      "The address of Slack's API, to which approvals are announced. Only Slack's government edition, or a proxy, needs another one.",
  },
  JUNCTION_PHP: {
    form: "the absolute path of a program such as /usr/bin/php8.4",
    shown: "the bundled PHP.wasm",
    meaning: "The absolute path of the PHP program, version 8.4 or later, that runs PHP connectors.",
  },
  JUNCTION_METRICS_TOKEN: {
    form: "visible ASCII characters without spaces",
    isSecret: true,
    shown: "none (`/metrics` accepts only requests from loopback)",
    meaning: "The bearer token for requests to `/metrics` from other machines.",
  },
  JUNCTION_METRICS_TENANTS: {
    form: `an integer from 0 to ${MOST_METRICS_TENANTS}`,
    fallback: "0",
    meaning:
      "The number of tenants for which each process has metrics of their own (`junction_tenant_events_total`, `junction_tenant_deliveries_total`): those that it saw most. Each is three series for each process.",
  },
  JUNCTION_LOG_LEVEL: {
    form: `one of ${LOG_LEVELS.join(", ")}`,
    fallback: "info",
    meaning: "The lowest level of messages in the log: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.",
  },
  JUNCTION_LOG_FORMAT: {
    form: "json or text",
    fallback: "json",
    meaning:
      "`json` writes one JSON object per line to standard output. `text` writes human-readable lines to standard error. `npm start` uses `text` unless this is set.",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    form: "the http:// or https:// address of an OTLP collector, such as http://127.0.0.1:4318",
    shown: "none (no traces)",
    meaning:
      "The collector that receives traces, as OTLP over HTTP. `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` are also supported. `OTEL_SDK_DISABLED=true` disables tracing.",
  },
} as const satisfies Readonly<Record<string, Setting>>;
