import { HANDLED, UNDO } from "../../actions/actions.ts";
import type { ContractInput } from "../../actions/actions.ts";
import { isRecord } from "../../lib/lib.ts";

/** A contract as it stands in actions.json, with the address that it leaves out: its connector's code. */
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

/** What `registerActions()` must name: the actions that have no backend of their own, and their undoing. */
export function handledActions(actions: readonly ContractInput[]): string[] {
  return actions.flatMap(({ key, endpoint, undo }) => [
    ...(endpoint.startsWith(HANDLED) ? [key] : []),
    ...(undo?.endpoint.startsWith(HANDLED) === true ? [key + UNDO] : []),
  ]);
}
