import type { Tx } from "../../platform/db/db.ts";
import { after, canonicalJson, isTimeZone, parseTimestamp, ServiceError, sha256, toDate } from "../../lib/lib.ts";
import type { Instant, Uuid, Violation } from "../../lib/lib.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Contract } from "../contracts/contract.ts";
import { currentContracts } from "../contracts/contracts.store.ts";
import { keysOf, membersOf } from "./standing-approvals.store.ts";
import { sumFaults, whenFaults } from "./terms.ts";
import type { Agent } from "./terms.ts";
import type { StandingApprovalInput } from "./standing-approvals.schemas.ts";

/** Returns what a standing approval with exactly these terms is known by to a step-up. */
export function standingSubject({ tag }: Pick<Scope, "tag">, terms: StandingApprovalInput): Buffer {
  return sha256(canonicalJson({ decision: "standing_approvals.create", tag, terms }));
}

const MAX_DAYS = 90;
const DAY_MS = 86_400_000;

/** Returns the checked input as columns. Throws 404 `action_unknown`, 409 `contract_changed`, and 422 with all faults. `zone` is the workspace's. */
export async function checkedInput(
  tx: Tx,
  scope: Scope,
  input: StandingApprovalInput,
  { now, zone }: { readonly now: Instant; readonly zone: string },
) {
  const contract = await contractOf(tx, scope, input);
  const { agents, faults } = await readAgents(tx, scope, input, now);
  const timeZone = input.time_zone ?? zone;
  const expiresAt = parseTimestamp(input.expires_at, "/expires_at") ?? now;
  const when = input.when === undefined ? null : JSON.stringify(input.when);
  const errors = [
    ...contractFaults(contract),
    ...faults,
    ...termFaults(contract, input, when),
    ...timeFaults(expiresAt, timeZone, now),
  ];
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
  const { count, per, sum } = input.budget;
  return {
    name: input.name,
    action: contract.key,
    contract_version: contract.version,
    agents: JSON.stringify(agents),
    conditions: when,
    per,
    time_zone: timeZone,
    max_count: count,
    sum_parameter: sum?.parameter ?? null,
    max_sum: sum?.max ?? null,
    expires_at: toDate(expiresAt),
  };
}

function termFaults({ params }: Contract, { budget }: StandingApprovalInput, when: string | null): Violation[] {
  return [
    ...(when === null ? [] : whenFaults(params, when)),
    ...(budget.sum === undefined ? [] : sumFaults(params, budget.sum)),
  ];
}

/** Returns the current contract. What the owner has reviewed is one version of it. */
async function contractOf(
  tx: Tx,
  scope: Scope,
  { action, contract_version }: StandingApprovalInput,
): Promise<Contract> {
  const [contract] = await currentContracts(tx, [{ ...scope, key: action }]);
  if (contract === undefined) throw new ServiceError("action_unknown");
  if (contract.version === contract_version) return contract;
  throw new ServiceError("contract_changed", {
    detail: `The current version of ${action} is ${contract.version}, not ${contract_version}. Review it, and send its number.`,
  });
}

function contractFaults({ destructive, approval, requires_confirmation: requiresConfirmation }: Contract): Violation[] {
  const fault = (code: string, message: string): Violation => ({ pointer: "/action", code, message });
  return [
    ...(destructive ? [fault("destructive", "is destructive: a person must approve each call")] : []),
    ...(approval.required > 1
      ? [fault("approvals", `requires ${approval.required} people, and this counts as one`)]
      : []),
    ...(approval.approver_roles.includes("owner") ? [] : [fault("approver_roles", "cannot be approved by owners")]),
    ...(requiresConfirmation ? [] : [fault("unused", "runs without an approval")]),
  ];
}

async function readAgents(
  tx: Tx,
  scope: Scope,
  { agents }: StandingApprovalInput,
  now: Instant,
): Promise<{ readonly agents: Agent[]; readonly faults: Violation[] }> {
  const asked = agents.map(({ type, id }) => ({ type, id: uuidOfAgent(scope, type, id) }));
  const idsOf = (wanted: Agent["type"]): Uuid[] =>
    asked.flatMap(({ type, id }) => (type === wanted && id !== undefined ? [id] : []));
  const keys = await keysOf(tx.query, scope, { ids: idsOf("key"), now: toDate(now) });
  const members = await membersOf(tx.query, scope.workspaceId, idsOf("member"));
  const read = asked.map(({ type, id }): Agent | string => {
    if (type === "member") {
      const member = members.find((one) => one.id === id);
      return member === undefined
        ? "is not a member of this workspace"
        : { type, id: member.id, person: member.person_id };
    }
    const key = keys.find((one) => one.id === id);
    if (key === undefined) return "is not a key of this workspace and environment, or was revoked";
    if (key.actor_type === "user") return "acts as a person, who approves proposals in person";
    return { type, id: key.id, lineage: key.lineage_id };
  });
  return {
    agents: read.filter((one) => typeof one !== "string"),
    faults: read.flatMap((one, at) =>
      typeof one === "string" ? [{ pointer: `/agents/${at}/id`, code: "agent", message: one }] : [],
    ),
  };
}

/** Undefined for a text that is not an id of the kind. An id of another workspace or environment is refused at once. */
function uuidOfAgent(scope: Scope, type: Agent["type"], id: string): Uuid | undefined {
  try {
    return ownUuid(scope, type === "key" ? "key" : "mem", id);
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not_found") return undefined;
    throw error;
  }
}

function timeFaults(expiresAt: Instant, zone: string, now: Instant): Violation[] {
  const isWithin = expiresAt > now && expiresAt <= after(now, MAX_DAYS * DAY_MS);
  const message = `must be in the future, at most ${MAX_DAYS} days ahead`;
  return [
    ...(isWithin ? [] : [{ pointer: "/expires_at", code: "range", message }]),
    ...(isTimeZone(zone)
      ? []
      : [{ pointer: "/time_zone", code: "time_zone", message: "must be an IANA time zone, such as Europe/Berlin" }]),
  ];
}
