import { HANDLED, UNDO } from "../../actions/actions.ts";
import type { ContractInput } from "../../actions/actions.ts";
import { isRecord } from "../../lib/lib.ts";

/** Returns a contract of actions.json with the address that the file omits: the connector's own code. */
export function addressed(key: string, contract: unknown): unknown {
  if (!isRecord(contract) || typeof contract["key"] !== "string") return contract;
  const own = `${HANDLED}${key}/${contract["key"]}`;
  const { endpoint = own, undo, ...rest } = contract;
  const taken = isRecord(undo) && undo["endpoint"] === undefined && endpoint === own;
  return {
    ...rest,
    endpoint,
    ...(undo === undefined ? {} : { undo: taken ? { ...undo, endpoint: own + UNDO } : undo }),
  };
}

/**
 * Returns the names that `registerActions()` must have: the actions without a backend of their own, and their undo
 * actions.
 */
export function handledActions(actions: readonly ContractInput[]): string[] {
  return actions.flatMap(({ key, endpoint, undo }) => [
    ...(endpoint.startsWith(HANDLED) ? [key] : []),
    ...(undo?.endpoint.startsWith(HANDLED) === true ? [key + UNDO] : []),
  ]);
}
