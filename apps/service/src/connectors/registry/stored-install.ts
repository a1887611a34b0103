import type { Environment } from "../../lib/lib.ts";

/** A connector's key has no colon, so that the stored key of a sandbox installation is never another connector's key. */
export const SANDBOX_PREFIX = "sandbox:";

/**
 * Returns the key under which an installation's row is stored. The sandbox has its own rows. A node of an earlier
 * version finds only the row under the connector's own key: the live installation, or a sandbox one of that version.
 */
export function storedKey(key: string, environment: Environment): string {
  return environment === "sandbox" ? SANDBOX_PREFIX + key : key;
}

/** Returns the key of the connector whose installation is stored under this key. */
export function connectorKey(stored: string): string {
  return stored.startsWith(SANDBOX_PREFIX) ? stored.slice(SANDBOX_PREFIX.length) : stored;
}

interface InstallKey {
  /** The stored key. */
  readonly key: string;
  readonly environment: string;
}

interface Used extends InstallKey {
  /** Null if it was never enabled. */
  readonly digest: string | null;
}

/** Returns the environment's own installation of a connector, or undefined. */
export function ownInstall<Row extends InstallKey>(
  rows: readonly Row[],
  key: string,
  environment: Environment,
): Row | undefined {
  const plain = rows.find((row) => row.key === key);
  const own = environment === "live" ? undefined : rows.find((row) => row.key === storedKey(key, environment));
  // An earlier version stored the only installation under the connector's key, also that of the sandbox.
  return own ?? (plain?.environment === environment ? plain : undefined);
}

/**
 * Returns the installation that an environment uses. The sandbox uses its own one as soon as that was enabled once,
 * also while it is disabled or stopped, and the live one before.
 */
export function usedInstall<Row extends Used>(
  rows: readonly Row[],
  key: string,
  environment: Environment,
): Row | undefined {
  const own = ownInstall(rows, key, environment);
  if (environment === "live" || (own !== undefined && own.digest !== null)) return own;
  return ownInstall(rows, key, "live");
}

/** Returns the environment's own installation, or else that of the other one. */
export function shownInstall<Row extends InstallKey>(
  rows: readonly Row[],
  key: string,
  environment: Environment,
): Row | undefined {
  return ownInstall(rows, key, environment) ?? ownInstall(rows, key, environment === "live" ? "sandbox" : "live");
}

/** Returns the environments that use the installation. Empty if it was never enabled. */
export function usersOf<Row extends Used>(rows: readonly Row[], install: Row | undefined): Environment[] {
  if (install === undefined || install.digest === null) return [];
  const key = connectorKey(install.key);
  return (["live", "sandbox"] as const).filter((environment) => usedInstall(rows, key, environment) === install);
}
