import type { wire } from "../../api/api.ts";
import { conditionOf, emptyCondition } from "../../shared/shared.ts";
import type { ConditionDraft, Fault, Offer } from "../../shared/shared.ts";
import { childPath, trimmed } from "../../ui/ui.ts";

/** A standing approval while it is edited. */
export interface StandingDraft extends Pick<wire.StandingApprovalInput, "name" | "action"> {
  /** Callers, as `key:key_…` and `member:mem_…`. */
  readonly agents: readonly string[];
  readonly condition: ConditionDraft;
  /** A sum without a parameter limits nothing. */
  readonly budget: wire.StandingApprovalBudgetInput & { readonly sum: wire.StandingApprovalSum };
  readonly days: string;
}

const DAY_MS = 86_400_000;
/** The service allows no more than the longest choice, counted from when the request arrives. */
const MARGIN_MS = 60_000;

export function newStandingDraft(): StandingDraft {
  const budget: StandingDraft["budget"] = { count: 10, per: "day", sum: { parameter: "", max: "" } };
  return { name: "", action: "", agents: [], condition: emptyCondition(), budget, days: "7" };
}

/** Returns the body of the request, and the faults that prevent sending it. */
export function standingOf(
  draft: StandingDraft,
  contract: wire.ActionContract | undefined,
  nowMs: number,
): { readonly body: wire.StandingApprovalInput; readonly faults: readonly Fault[] } {
  const { name, action, agents, budget, days } = trimmed(draft, ["/name", "/budget/sum/max"]);
  const { condition, faults } = conditionOf(draft.condition, "/when");
  const { sum, ...limits } = budget;
  return {
    body: {
      name,
      action,
      contract_version: contract?.version ?? 1,
      agents: agents.map(agentOf),
      ...(draft.condition.rows.length === 0 ? {} : { when: condition }),
      budget: sum.parameter === "" ? limits : budget,
      expires_at: new Date(nowMs + Number(days) * DAY_MS - MARGIN_MS).toISOString(),
    },
    faults,
  };
}

function agentOf(text: string): wire.StandingApprovalAgent {
  const [type = "", id = ""] = text.split(":");
  return { type: type === "member" ? type : "key", id };
}

/** Returns true for actions that a standing approval can cover. The service checks it again. */
export function canStand({ destructive, requires_confirmation: isConfirmed, approval }: wire.ActionContract): boolean {
  return !destructive && isConfirmed && approval.required === 1 && approval.approver_roles.includes("owner");
}

/** Returns the parameters that a condition can read. */
export function offersOf(contract: wire.ActionContract | undefined): readonly Offer[] {
  return shownNames(contract).map(([name]) => ({ path: childPath("$.parameters", name), example: "" }));
}

/** Returns the names of the parameters that a sum can limit. */
export function summable(contract: wire.ActionContract | undefined): readonly string[] {
  return shownNames(contract).flatMap(([name, { type }]) => (type === "int" || type === "number" ? [name] : []));
}

function shownNames(contract: wire.ActionContract | undefined): readonly (readonly [string, wire.ActionParameter])[] {
  return Object.entries(contract?.params ?? {}).filter(([, { sensitive }]) => sensitive !== true);
}
