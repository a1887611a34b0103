import type { wire } from "../../api/api.ts";
import { StatusLight } from "../../ui/ui.ts";

const ENDS: Readonly<Record<string, string>> = {
  ended: "Ended",
  expired: "Expired",
  contract_changed: "Ended: the action changed",
  writer_not_owner: "Ended: its writer left, is no longer an owner, or took the account back",
};

export function StandingLight({ standing }: { readonly standing: wire.StandingApproval }) {
  if (standing.state === "active") return <StatusLight tone="good">Active</StatusLight>;
  return <StatusLight tone="neutral">{ENDS[standing.end_reason ?? ""] ?? "Ended"}</StatusLight>;
}

/** Returns the budget in a few words: "10 a day, amount up to 500". */
export function budgetText({ count, per, sum }: wire.StandingApprovalBudget): string {
  const calls = `${count} ${count === 1 ? "call" : "calls"} ${per === "day" ? "a day" : "an hour"}`;
  return sum === null ? calls : `${calls}, ${sum.parameter} up to ${sum.max} in total`;
}
