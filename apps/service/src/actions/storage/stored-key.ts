import type { Environment } from "../../lib/lib.ts";

/** A contract's key has no colon, so that the stored key of a sandbox contract is never the key of a live one. */
export const SANDBOX_PREFIX = "sandbox:";

/**
 * Returns the key under which a contract's row is stored. The sandbox has its own rows, so that its keys do not collide
 * with live ones. The versions of both are stored under the contract's key, and are counted together: a key and a
 * version number always name one definition.
 */
export function storedKey(key: string, environment: Environment): string {
  return environment === "sandbox" ? SANDBOX_PREFIX + key : key;
}

/**
 * Returns the stored keys in which a call of an environment looks for a contract, in this order. The sandbox also uses
 * the live contract of a key that it has no contract for. A live call never looks at the sandbox's rows.
 */
export function callableKeys(key: string, environment: Environment): string[] {
  return environment === "sandbox" ? [storedKey(key, "sandbox"), key] : [key];
}

/** Returns the key of the contract that is stored under this key. */
export function contractKey(stored: string): string {
  return stored.startsWith(SANDBOX_PREFIX) ? stored.slice(SANDBOX_PREFIX.length) : stored;
}
