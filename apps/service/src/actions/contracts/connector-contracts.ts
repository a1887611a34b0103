import type { Tx } from "../../platform/db/db.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import type { Caller, Scope } from "../../accounts/accounts.ts";
import { definitionOf, urlsOf } from "./definition.ts";
import type { ContractInput } from "./contracts.schemas.ts";
import { assertNoFaults, assertToolNameFree, isTaken, newContract, versionOf, vetAll } from "./contract-checks.ts";
import type { RegistryDeps } from "./contract-checks.ts";
import * as store from "./registry.store.ts";
import type { RegistryRow } from "./registry.store.ts";
import { contractKey } from "../storage/stored-key.ts";

/** The address prefix of a contract that a connector's own code performs. It exists on no network. */
export const HANDLED = "connector://";
/** The suffix that connectors add to the name of an action for its undo. */
export const UNDO = ":undo";

export type ConnectorContracts = ReturnType<typeof createConnectorContracts>;

/**
 * Creates the contracts of a workspace's connectors. They exist while their connector is enabled in the environment, and
 * cannot be edited by hand.
 */
export function createConnectorContracts(deps: RegistryDeps) {
  return {
    /**
     * Runs before the transaction, because it uses the network. Throws 422 as a registration does, with pointers that
     * begin with the action's position.
     */
    async vet(caller: Caller, inputs: readonly ContractInput[]): Promise<void> {
      for (const [at, input] of inputs.entries())
        await within(`/actions/${at}`, async () => {
          const definition = definitionOf(input);
          assertNoFaults(deps, caller, definition);
          // An action that the connector's own code performs has no network address.
          await vetAll(
            deps,
            caller,
            urlsOf(definition).filter(([, url]) => !url.startsWith(HANDLED)),
          );
        });
    },
    /** Replaces all contracts of the connector in the caller's environment. Throws 409 with every key that is taken. */
    async replace(
      tx: Tx,
      caller: Caller,
      { connector, inputs }: { readonly connector: string; readonly inputs: readonly ContractInput[] },
    ): Promise<void> {
      await store.lockRegistrations(tx, caller.scope);
      const held = await store.holdBrought(tx, caller.scope, connector);
      const before = new Map(held.map((row) => [contractKey(row.key), row]));
      const taken: string[] = [];
      // Contracts are locked in the order of their keys, to prevent deadlocks.
      for (const input of inputs.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
        const row = before.get(input.key);
        before.delete(input.key);
        if (row !== undefined) await changeBrought(tx, caller, row, input);
        else if (!(await add(deps, tx, caller, { connector, input }))) taken.push(input.key);
      }
      if (taken.length > 0) throw alreadyThere(taken);
      for (const row of before.values()) await store.deleteContract(tx, row);
    },
    async withdraw(
      tx: Tx,
      home: Pick<Scope, "bucket" | "workspaceId" | "environment">,
      connector: string,
    ): Promise<void> {
      for (const row of await store.holdBrought(tx, home, connector)) await store.deleteContract(tx, row);
    },
  };
}

async function add(
  deps: RegistryDeps,
  tx: Tx,
  caller: Caller,
  { connector, input }: { readonly connector: string; readonly input: ContractInput },
): Promise<boolean> {
  const { scope } = caller;
  const definition = definitionOf(input);
  if (await isTaken(tx, scope, definition.key)) return false;
  await assertToolNameFree(tx, scope, definition.key);
  const contract = newContract(deps, scope, definition, { connector });
  return (await store.insertContract(tx, contract, versionOf(caller, definition))) !== undefined;
}

async function changeBrought(tx: Tx, caller: Caller, row: RegistryRow, input: ContractInput): Promise<void> {
  const definition = definitionOf(input);
  const version = versionOf(caller, definition);
  if (!version.sha256.equals(row.sha256)) await store.changeContract(tx, row, definition.auth.secret_ref, version);
}

function alreadyThere(keys: readonly string[]): ServiceError {
  return new ServiceError("conflict", {
    detail: `Contracts with these keys already exist: ${keys.join(", ")}. Delete them, or keep the connector disabled.`,
    extra: { reason: "action_taken" },
  });
}

/** Adds the position of the contract to the pointers of a refusal. */
async function within(pointer: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const errors = error.details.errors?.map((one): Violation => ({ ...one, pointer: pointer + one.pointer }));
    throw new ServiceError(error.code, { ...error.details, ...(errors !== undefined && { errors }) });
  }
}
