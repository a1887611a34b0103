import { UsageError } from "../../../../../packages/command-line/src/command-line.ts";
import type { Audit } from "../../audit/audit.ts";
import type { Connectors } from "../../connectors/connectors.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Deliver } from "../../webhooks/webhooks.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { SealedColumn } from "../../lib/lib.ts";
import type { EgressSettings, NameServers } from "../../platform/outbound-http/outbound-http.ts";
import type { SmtpSettings } from "../../platform/mail/mail.ts";
import type { People, Workspaces } from "../../accounts/accounts.ts";

/** The services that the commands of an installation use. */
export interface InstallationServices {
  readonly db: Db;
  readonly people: People;
  readonly workspaces: Workspaces;
  readonly connectors: Connectors;
  readonly audit: Audit;
  readonly deliver: Deliver;
  /** Every column of the database whose values are encrypted with the master key. */
  readonly encryptedColumns: readonly SealedColumn[];
}

/** The database of an installation, with its data folder, keys and migrations. */
export interface DatabaseLocation {
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly baseUrl: string;
  /** The key of the environment. Null for that of the data folder. */
  readonly masterKey: Buffer | null;
  /** Earlier keys, which only decrypt. */
  readonly previousMasterKeys: readonly Uint8Array[];
  readonly migrations: URL;
  /** Runs `work` on a service that serves no requests, and stops it. The database must have this version's schema. */
  within<T>(masterKey: Uint8Array, work: (site: InstallationServices) => Promise<T>): Promise<T>;
}

/** Accesses a machine whose installation may be broken. */
export interface Host {
  /** Returns the settings. Throws if the environment is invalid. */
  settings(): MachineSettings;
  /** Returns the URL of the external database, or of the running embedded one. Returns undefined if neither exists. */
  runningDatabase(): Promise<string | undefined>;
  placeOn(databaseUrl: string): DatabaseLocation;
}

export interface MachineSettings {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly isExternal: boolean;
  readonly masterKey: Buffer | null;
  /** Null for the servers of the system. */
  readonly dnsServers: NameServers | null;
  /** The proxy of outbound requests; null for none. */
  readonly egress: EgressSettings | null;
  /** Null if no mail is sent. */
  readonly mail: SmtpSettings | null;
}

/** The printed text and the exit code. */
export interface CommandResult {
  /** JSON, or text for people. Secrets in it are shown only once. */
  readonly text: string;
  readonly exit: number;
}

/** A command on the installation, its database, its machine or files. */
export type Command =
  | { readonly on: "installation"; run(site: InstallationServices, place: DatabaseLocation): Promise<CommandResult> }
  | { readonly on: "database"; readonly createsDatabase?: true; run(place: DatabaseLocation): Promise<CommandResult> }
  | { readonly on: "machine"; run(machine: Host): Promise<CommandResult> }
  | { readonly on: "files"; run(author: ConnectorAuthorEnvironment): Promise<CommandResult> };

/** The settings of the environment that the commands for connector authors use. */
export interface ConnectorAuthorEnvironment {
  /** The program that runs PHP connectors. Null for PHP.wasm. */
  readonly php: string | null;
  /** The address of a running service. */
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
}

export function outcomeOf(answer: object, exit = 0): CommandResult {
  return { text: `${JSON.stringify(answer, null, 2)}\n`, exit };
}

/** Prints the result of `work` as JSON. Reports a ServiceError as a usage error. */
export async function printed(work: () => Promise<object>): Promise<CommandResult> {
  try {
    return outcomeOf(await work());
  } catch (error) {
    if (error instanceof ServiceError) throw new UsageError(error.details.detail ?? error.kind.title, error);
    throw error;
  }
}
