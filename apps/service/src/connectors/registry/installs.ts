import type { Query, Tx } from "../../platform/db/db.ts";
import { orNotFound, ServiceError } from "../../lib/lib.ts";
import type { Environment, Sealer } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import * as store from "./connectors.store.ts";
import type { ConnectorRow, InstallRow } from "./connectors.store.ts";
import { hookPlace, openSeed } from "./hook-token.ts";
import { openValues, sealValues } from "./connector-settings.ts";
import type { Values } from "./connector-settings.ts";
import { ownInstall, storedKey } from "./stored-install.ts";

const EMPTY = {
  digest: null,
  enabled: false,
  quarantine: null,
  settings: "{}",
  secret_names: [],
  secrets_sealed: null,
  hook_seed_sealed: null,
};

export const NO_VALUES: Values = { shown: {}, secrets: {} };

/**
 * Throws 404 for an unknown key. A connector whose folder no longer exists is visible only to workspaces that installed
 * it.
 */
export async function existing(query: Query, scope: Scope, key: string): Promise<ConnectorRow> {
  const row = orNotFound(await store.findConnector(query, key));
  if (row.state === "absent" && (await store.installsOf(query, scope, [key])).length === 0)
    throw new ServiceError("not_found");
  return row;
}

/** Returns the installation of one environment, or undefined. */
export async function installIn(
  query: Query,
  scope: Scope,
  key: string,
  environment: Environment = scope.environment,
): Promise<InstallRow | undefined> {
  return ownInstall(await store.installsOf(query, scope, [key]), key, environment);
}

/** Locks the installation of the caller's environment until the transaction ends, and creates it if there is none. */
export async function holdOwn(sealer: Sealer, tx: Tx, scope: Scope, key: string): Promise<InstallRow> {
  const { environment } = scope;
  const stored = storedKey(key, environment);
  const earlier = await store.heldEarlierSandbox(tx, scope, key);
  const isMoved = (await store.installsOf(tx.query, scope, [key])).some((row) => row.key === storedKey(key, "sandbox"));
  if (earlier !== undefined) {
    if (environment === "sandbox" && !isMoved) return earlier;
    if (environment === "live") await freeKey(sealer, tx, earlier, isMoved);
  }
  const install = await store.holdInstall(tx, scope, stored, { ...EMPTY, environment });
  if (install.environment === environment) return install;
  throw new ServiceError("conflict", {
    detail: "The connector was set up for the sandbox at the same time. Try again.",
  });
}

/**
 * Frees the connector's key for a live installation. An earlier version of the service stored a sandbox one under it,
 * which is moved to the sandbox's own rows.
 */
async function freeKey(sealer: Sealer, tx: Tx, earlier: InstallRow, isMoved: boolean): Promise<void> {
  await store.forgetCrashes(tx, earlier);
  if (isMoved) {
    await store.deleteInstall(tx, earlier);
    return;
  }
  const moved = { workspace_id: earlier.workspace_id, key: storedKey(earlier.key, "sandbox") };
  const { secrets_sealed } = sealValues(sealer, moved, openValues(sealer, earlier));
  const seed = openSeed(sealer, earlier);
  const hook_seed_sealed = seed === null ? null : sealer.seal(seed, hookPlace(moved.workspace_id, moved.key));
  await store.moveInstall(tx, earlier, { key: moved.key, secrets_sealed, hook_seed_sealed });
}

/**
 * Returns the installation to disable, locked until the transaction ends. A live credential can also disable the
 * sandbox's, if live has none. Throws 403 for the live one with a sandbox credential, and 409 if there is none.
 */
export async function holdEnabled(tx: Tx, scope: Scope, key: string): Promise<InstallRow> {
  const rows = await store.heldInstalls(tx, scope, key);
  const live = ownInstall(rows, key, "live");
  const sandbox = ownInstall(rows, key, "sandbox");
  const found = scope.environment === "sandbox" ? sandbox : (live ?? sandbox);
  if (found?.digest != null) return found;
  if (scope.environment === "sandbox" && live?.digest != null)
    throw new ServiceError("environment_mismatch", {
      detail:
        "This connector was enabled with a live credential and is used in production. Use a live credential, or enable it for the sandbox alone first.",
    });
  throw new ServiceError("conflict", { detail: `The connector ${key} was never enabled.` });
}

/** Returns the sandbox's own installation, locked until the transaction ends. Throws 404 if there is none. */
export async function holdSandbox(tx: Tx, scope: Scope, key: string): Promise<InstallRow> {
  const found = ownInstall(await store.heldInstalls(tx, scope, key), key, "sandbox");
  if (found === undefined)
    throw new ServiceError("not_found", { detail: `The sandbox has no installation of ${key} of its own.` });
  return found;
}
