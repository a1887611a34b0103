import type { HotReader } from "../../platform/db/db.ts";
import { ADMIN_ROLES } from "../../accounts/accounts.ts";
import { CONFIGURATION_APPLY, CONFIGURATION_CONTRACT } from "./configuration-contract.ts";
import { currentContracts, pinnedContract } from "./contracts.store.ts";
import type { ContractKey, CurrentContract } from "./contracts.store.ts";
import { OPERATOR_TOOLS } from "./operator-tools.ts";
import { serviceContract } from "./service-contracts.ts";

/** The beginning of the keys of operator tools in proposals and runs. No registered contract has it. */
const PREFIX = "meta.ops.";
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
  return serviceContract({
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
}

/** Returns a contract of the service's own; undefined for all other keys. */
function ownContract(key: string): CurrentContract | undefined {
  return key === CONFIGURATION_APPLY ? CONFIGURATION_CONTRACT : operatorContract(key);
}

/** Returns the current contract of a proposal or a run. */
export async function contractToRun(reader: HotReader, place: ContractKey): Promise<CurrentContract | undefined> {
  return ownContract(place.key) ?? (await currentContracts(reader, [place]))[0];
}

/** Returns the version of a contract that a run has, even of a deleted contract. */
export async function contractOfRun(
  reader: HotReader,
  place: ContractKey,
  version: number,
): Promise<CurrentContract | undefined> {
  return ownContract(place.key) ?? (await pinnedContract(reader, place, version));
}
