import type { Audit, SecretSource } from "../../audit/audit.ts";
import { parseJson } from "../../lib/lib.ts";
import { createBlobs } from "./blobs.ts";
import { sealedSettings } from "./connectors.store.ts";
import type { Health } from "./health.ts";
import { scopeOfToken } from "./hook-token.ts";
import { createInventory } from "./inventory.ts";
import type { Inventory } from "./inventory.ts";
import { createKeyring } from "./keyring.ts";
import type { Keyring } from "./keyring.ts";
import { scan } from "./scan-folders.ts";
import type { ScanDeps, ScanResult } from "./scan-folders.ts";
import { createPins } from "./pins.ts";
import type { Pins } from "./pins.ts";
import { createQuarantine } from "./quarantine.ts";
import type { Quarantine } from "./quarantine.ts";
import { settingsPlace } from "./connector-settings.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { EnablingDeps } from "./enabling.ts";

export { keygen, signFolder, verifyFolder } from "./author.ts";
export { ConnectorRefusedError } from "./version-refusal.ts";
export { readPublicKey } from "./signing-key.ts";
export { CONNECTOR_KEY } from "./manifest.ts";
export { describeCode, programId, programOf } from "./code.ts";
export { handledActions } from "./connector-backend.ts";
export { readFolder } from "./folder.ts";
export { readContents } from "./package.ts";
export type { Contents } from "./package.ts";
export type { Health } from "./health.ts";
export type { Keyring } from "./keyring.ts";
export type { Pin, Pinned, Pins } from "./pins.ts";
export type { Quarantine } from "./quarantine.ts";
export { sealedByConnectors } from "./encrypted-columns.ts";
export { SANDBOX_PREFIX, storedKey } from "./stored-install.ts";
export { shownSettings } from "./connector-settings.ts";
export { isSecret, isUrl } from "./settings-form.ts";
export type { SettingsForm, SettingValue } from "./settings-form.ts";
export type { Values } from "./connector-settings.ts";
export type { Version } from "./version.ts";

/**
 * Signed folders that bring code, actions and settings (specification, "Connector"; contract, section 8), and the
 * checks of who may run them.
 */
export interface Connectors {
  readonly inventory: Inventory;
  readonly keyring: Keyring;
  /** The connectors that may run, for the code that runs them. */
  readonly pins: Pins;
  readonly quarantine: Quarantine;
  /** Returns the scope whose webhook URL contains the token, or undefined for an invalid token. */
  scopeOfToken(key: string, token: string): Promise<Scope | undefined>;
  /** Scans the folders again. */
  rescan(): Promise<ScanResult>;
  /** Runs the first scan. An error is logged, and the service continues without connectors. */
  start(): Promise<void>;
  /** The encrypted settings, for redaction. */
  readonly secrets: SecretSource;
}

export interface ConnectorsDeps extends Omit<EnablingDeps, "blobs">, Omit<ScanDeps, "blobs"> {
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly audit: Pick<Audit, "record">;
  /** Returns the health of running connectors. */
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
        deps.log.error({ err: error }, "failed to scan the connectors' folders");
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
