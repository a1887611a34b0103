import type { wire } from "../../api/api.ts";
import { conditionOf, emptyCondition } from "../../shared/shared.ts";
import type { ConditionDraft, Fault, Offer } from "../../shared/shared.ts";
import { childPath } from "../../ui/ui.ts";

/** A standing approval as it stands in the form. */
export interface StandingDraft {
  readonly name: string;
  /** The key of the action. */
  readonly action: string;
  /** Callers, as `key:key_…` and `member:mem_…`. */
  readonly agents: readonly string[];
  readonly condition: ConditionDraft;
  readonly count: string;
  readonly per: wire.StandingApprovalInput["budget"]["per"];
  /** The parameter whose sum is limited; empty for none. */
  readonly sumParameter: string;
  readonly sumMax: string;
  readonly days: string;
}

const DAY_MS = 86_400_000;
/** The service allows no more than the longest choice, counted from when the request arrives. */
const MARGIN_MS = 60_000;

export function newStandingDraft(): StandingDraft {
  return {
    name: "",
    action: "",
    agents: [],
    condition: emptyCondition(),
    count: "10",
    per: "day",
    sumParameter: "",
    sumMax: "",
    days: "7",
  };
}

/** Returns the body of the request, and the faults that prevent sending it. */
export function standingOf(
  draft: StandingDraft,
  contract: wire.ActionContract | undefined,
  nowMs: number,
): { readonly body: wire.StandingApprovalInput; readonly faults: readonly Fault[] } {
  const { condition, faults } = conditionOf(draft.condition);
  const isSummed = draft.sumParameter !== "";
  return {
    body: {
      name: draft.name.trim(),
      action: draft.action,
      contract_version: contract?.version ?? 1,
      agents: draft.agents.map(agentOf),
      ...(draft.condition.rows.length === 0 ? {} : { when: condition }),
      budget: {
        count: Number(draft.count),
        per: draft.per,
        ...(isSummed ? { sum: { parameter: draft.sumParameter, max: draft.sumMax.trim() } } : {}),
      },
      expires_at: new Date(nowMs + Number(draft.days) * DAY_MS - MARGIN_MS).toISOString(),
    },
    faults: faults.map((fault) => ({ ...fault, pointer: `/when${fault.pointer}` })),
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
