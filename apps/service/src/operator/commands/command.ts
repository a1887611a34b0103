import type { Audit } from "../../audit/audit.ts";
import type { Connectors } from "../../connectors/connectors.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Deliver } from "../../webhooks/deliveries/deliver.ts";
import type { NameServers } from "../../platform/outbound-http/outbound-http.ts";
import type { People, Workspaces } from "../../accounts/workspaces/workspaces.ts";

/** What commands of an installation work on. */
export interface Site {
  readonly db: Db;
  readonly people: People;
  readonly workspaces: Workspaces;
  readonly connectors: Connectors;
  readonly audit: Audit;
  readonly deliver: Deliver;
}

/** An installation's database, and what belongs to it. */
export interface Place {
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly baseUrl: string;
  /** Of the environment; null: the data folder's. */
  readonly masterKey: Buffer | null;
  /** What they sealed can be opened too. */
  readonly previousMasterKeys: readonly Uint8Array[];
  readonly migrations: URL;
  /** Works on the service, which serves nobody, and ends it. The database is as this version wants it. */
  within<T>(masterKey: Uint8Array, work: (site: Site) => Promise<T>): Promise<T>;
}

/** What is asked of a machine whose installation may be broken. */
export interface Machine {
  /** Throws what is wrong with the environment. */
  settings(): MachineSettings;
  /** Of the external database, or of the embedded one that runs now; undefined when none does. */
  runningDatabase(): Promise<string | undefined>;
  placeOn(databaseUrl: string): Place;
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
export interface Outcome {
  /** JSON, or what a person reads. Secrets in it are shown this once. */
  readonly text: string;
  readonly exit: number;
}

/** What an operator asks of the installation, its database or its machine, or an author of files. */
export type Command =
  | { readonly on: "installation"; run(site: Site, place: Place): Promise<Outcome> }
  | { readonly on: "database"; readonly createsDatabase?: true; run(place: Place): Promise<Outcome> }
  | { readonly on: "machine"; run(machine: Machine): Promise<Outcome> }
  | { readonly on: "files"; run(author: Author): Promise<Outcome> };

/** What commands of a connector's author take from the environment. */
export interface Author {
  /** The program that runs connectors in PHP; null: PHP.wasm. */
  readonly php: string | null;
  /** Of a running service. */
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
}

export function outcomeOf(answer: object, exit = 0): Outcome {
  return { text: `${JSON.stringify(answer, null, 2)}\n`, exit };
}
