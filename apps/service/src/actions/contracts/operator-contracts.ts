import type { HotReader } from "../../platform/db/db.ts";
import { NIL_UUID } from "../../lib/lib.ts";
import { ADMIN_ROLES } from "../../accounts/accounts.ts";
import { contractOf } from "./contract.ts";
import { currentContracts, pinnedContract } from "./contracts.store.ts";
import type { ContractKey, CurrentContract } from "./contracts.store.ts";
import { definitionOf } from "./definition.ts";
import { OPERATOR_TOOLS } from "./operator-tools.ts";

/** The beginning of the keys of operator tools in proposals and runs. No registered contract has it. */
const PREFIX = "meta.ops.";
/** It changes if what an approved proposal does changes, so that an approval never covers another effect. */
const VERSION = 1;
const text = { type: "string", required: true } as const;

export function operatorKey(tool: string, action: string): string {
  return `${PREFIX}${tool}.${action}`;
}

export function isOperatorKey(key: string): boolean {
  return key.startsWith(PREFIX);
}

/**
 * Returns the contract of a writing operator tool, which exists in no registry: only proposals of `/mcp?toolset=operator` have
 * it. Undefined for all other keys. A repeat is safe, because the operation runs under an idempotency key of its run.
 */
export function operatorContract(key: string): CurrentContract | undefined {
  const [tool = "", action = ""] = isOperatorKey(key) ? key.slice(PREFIX.length).split(".") : [];
  const found = Object.hasOwn(OPERATOR_TOOLS, tool) ? OPERATOR_TOOLS[tool] : undefined;
  const one = found !== undefined && Object.hasOwn(found.actions, action) ? found.actions[action] : undefined;
  if (found === undefined || one === undefined || !found.write) return undefined;
  const definition = definitionOf({
    key,
    label: `${found.title}: ${action.replaceAll("_", " ")}`,
    description: found.description,
    surface: ["mcp"],
    roles: ["ai"],
    requires_confirmation: true,
    destructive: one.destructive === true,
    // An agent's change in production is a decision for which a workspace may ask for a repeated proof.
    risk: "high",
    idempotent: true,
    audit: true,
    params: { arguments: text, key_id: text },
    approval: { approver_roles: [...ADMIN_ROLES], four_eyes: false },
    endpoint: "junction://operator",
  });
  const facts = { id: NIL_UUID, version: VERSION, sha256: "", environment: "live", connectorKey: null } as const;
  return {
    ...contractOf({ ...facts, author: { kind: "key", id: NIL_UUID } }, definition),
    signing: { secret_sealed: Buffer.alloc(0), previous_secret_sealed: null, previous_expires_at: null },
    authSecretSealed: null,
    authHosts: { hosts: null, any_host: false },
  };
}

/** Returns the current contract of a proposal or a run. */
export async function contractToRun(reader: HotReader, place: ContractKey): Promise<CurrentContract | undefined> {
  return operatorContract(place.key) ?? (await currentContracts(reader, [place]))[0];
}

/** Returns the version of a contract that a run has, even of a deleted contract. */
export async function contractOfRun(
  reader: HotReader,
  place: ContractKey,
  version: number,
): Promise<CurrentContract | undefined> {
  return operatorContract(place.key) ?? (await pinnedContract(reader, place, version));
}
