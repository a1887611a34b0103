import type { ConnectorContracts } from "../actions/actions.ts";
import type { Audit, SecretSource } from "../audit/audit.ts";
import type { Db } from "../platform/db/db.ts";
import { parseJson } from "../lib/lib.ts";
import type { Clock, IdMaker, Sealer } from "../lib/lib.ts";
import type { Net } from "../platform/outbound-http/outbound-http.ts";
import type { Log } from "../platform/telemetry/telemetry.ts";
import { createBlobs } from "./registry/blobs.ts";
import { sealedSettings } from "./registry/connectors.store.ts";
import type { Hosts } from "./sandbox/hosts.ts";
import type { Health } from "./registry/health.ts";
import { scopeOfToken } from "./registry/hook-token.ts";
import { createInventory } from "./registry/inventory.ts";
import type { Inventory } from "./registry/inventory.ts";
import { createKeyring } from "./registry/keyring.ts";
import type { Keyring } from "./registry/keyring.ts";
import { scan } from "./registry/scan.ts";
import type { ScanResult } from "./registry/scan.ts";
import { createPins } from "./registry/pins.ts";
import type { Pins } from "./registry/pins.ts";
import { createQuarantine } from "./registry/quarantine.ts";
import type { Quarantine } from "./registry/quarantine.ts";
import { settingsPlace } from "./registry/settings.ts";
import type { Scope } from "../accounts/workspaces/workspaces.ts";

export { archiveName, keygen, packFolder, signFolder, verifyFolder } from "./registry/author.ts";
export { connectorRoutes } from "./registry/connectors.routes.ts";
export { Refusal } from "./registry/refusal.ts";
export { REPOSITORY_KEY } from "./registry/repository-key.ts";
export { KEY_ID, readPublicKey } from "./registry/signing-key.ts";
export { CONNECTOR_KEY } from "./registry/manifest.ts";
export { judgeCode, programId, programOf } from "./registry/code.ts";
export { handledActions } from "./registry/connector-backend.ts";
export { readFolder } from "./registry/folder.ts";
export { readContents } from "./registry/package.ts";
export type { Contents } from "./registry/package.ts";
export type { Health } from "./registry/health.ts";
export type { Keyring } from "./registry/keyring.ts";
export type { Pin, Pinned, Pins } from "./registry/pins.ts";
export type { Quarantine } from "./registry/quarantine.ts";
export { sealedByConnectors } from "./registry/encrypted-columns.ts";
export { shownSettings } from "./registry/settings.ts";
export { isSecret, isUrl } from "./registry/settings-form.ts";
export type { SettingsForm, SettingValue } from "./registry/settings-form.ts";
export type { Values } from "./registry/settings.ts";
export type { Version } from "./registry/version.ts";

/** Signed folders that bring code, actions and settings (specification, "Connector"; contract, section 8), and who may run them. */
export interface Connectors {
  readonly inventory: Inventory;
  readonly keyring: Keyring;
  /** For whoever runs their code. */
  readonly pins: Pins;
  readonly quarantine: Quarantine;
  /** Whose webhook of a connector a token names; undefined for what names none. */
  scopeOfToken(key: string, token: string): Promise<Scope | undefined>;
  /** Looks through the folders anew. */
  rescan(): Promise<ScanResult>;
  /** The first scan. What fails is logged: a service without connectors serves on. */
  start(): Promise<void>;
  /** For redaction. */
  readonly secrets: SecretSource;
}

export interface ConnectorsDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly net: Pick<Net, "vet">;
  readonly log: Log;
  readonly dataDir: string;
  /** The folders whose folders are connectors. */
  readonly folders: readonly string[];
  /** Public keys that sign any connector, beside those of the keyring. */
  readonly trusted: readonly Uint8Array[];
  readonly contracts: ConnectorContracts;
  readonly hosts: Pick<Hosts, "call" | "end">;
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly audit: Pick<Audit, "record">;
  /** How those that are running are. */
  readonly healthOf: (scope: Scope, keys: readonly string[]) => Promise<ReadonlyMap<string, Health>>;
}

export function createConnectors(deps: ConnectorsDeps): Connectors {
  const parts = { ...deps, blobs: createBlobs(deps.dataDir) };
  return {
    inventory: createInventory(parts),
    keyring: createKeyring(parts),
    pins: createPins(parts),
    quarantine: createQuarantine(parts),
    scopeOfToken: async (key, token) => await scopeOfToken({ query: deps.db.query, sealer: deps.sealer }, key, token),
    rescan: async () => await scan(parts),
    async start() {
      try {
        const result = await scan(parts);
        deps.log.info({ ...result }, "connectors scanned");
      } catch (error) {
        deps.log.error({ err: error }, "the connectors' folders could not be looked through");
      }
    },
    async secrets(reader, home) {
      const rows = await sealedSettings(reader, home);
      return rows.map(({ key, secrets_sealed: sealed }) => ({
        sealed,
        place: settingsPlace(home.workspaceId, key),
        texts: (plain) => Object.values(parseJson(plain) as Record<string, string>),
      }));
    },
  };
}
