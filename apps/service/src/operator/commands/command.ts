import { UsageError } from "../../../../../packages/command-line/src/command-line.ts";
import type { Audit } from "../../audit/audit.ts";
import type { Connectors } from "../../connectors/connectors.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Deliver } from "../../webhooks/webhooks.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { SealedColumn } from "../../lib/lib.ts";
import type { NameServers } from "../../platform/outbound-http/outbound-http.ts";
import type { People, Workspaces } from "../../accounts/accounts.ts";

/** What commands of an installation work on. */
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

/** An installation's database, and what belongs to it. */
export interface DatabaseLocation {
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly baseUrl: string;
  /** Of the environment; null: the data folder's. */
  readonly masterKey: Buffer | null;
  /** What they sealed can be opened too. */
  readonly previousMasterKeys: readonly Uint8Array[];
  readonly migrations: URL;
  /** Works on the service, which serves nobody, and ends it. The database is as this version wants it. */
  within<T>(masterKey: Uint8Array, work: (site: InstallationServices) => Promise<T>): Promise<T>;
}

/** What is asked of a machine whose installation may be broken. */
export interface Host {
  /** Throws what is wrong with the environment. */
  settings(): MachineSettings;
  /** Of the external database, or of the embedded one that runs now; undefined when none does. */
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
  /** Null: the system's. */
  readonly dnsServers: NameServers | null;
}

/** What is printed, and how the process ends. */
export interface CommandResult {
  /** JSON, or what a person reads. Secrets in it are shown this once. */
  readonly text: string;
  readonly exit: number;
}

/** What an operator asks of the installation, its database or its machine, or an author of files. */
export type Command =
  | { readonly on: "installation"; run(site: InstallationServices, place: DatabaseLocation): Promise<CommandResult> }
  | { readonly on: "database"; readonly createsDatabase?: true; run(place: DatabaseLocation): Promise<CommandResult> }
  | { readonly on: "machine"; run(machine: Host): Promise<CommandResult> }
  | { readonly on: "files"; run(author: ConnectorAuthorEnvironment): Promise<CommandResult> };

/** What commands of a connector's author take from the environment. */
export interface ConnectorAuthorEnvironment {
  /** The program that runs connectors in PHP; null: PHP.wasm. */
  readonly php: string | null;
  /** Of a running service. */
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
}

export function outcomeOf(answer: object, exit = 0): CommandResult {
  return { text: `${JSON.stringify(answer, null, 2)}\n`, exit };
}

/** Returns what `work` answers as JSON. What a domain refuses is the fault of the command line. */
export async function printed(work: () => Promise<object>): Promise<CommandResult> {
  try {
    return outcomeOf(await work());
  } catch (error) {
    if (error instanceof ServiceError) throw new UsageError(error.details.detail ?? error.kind.title, error);
    throw error;
  }
}
