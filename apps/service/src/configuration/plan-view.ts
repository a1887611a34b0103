import { timeText, wireId } from "../lib/lib.ts";
import type { Scope } from "../accounts/accounts.ts";
import { kindName } from "./comparison.ts";
import type { Comparison } from "./comparison.ts";
import type { PlanRow } from "./plans.store.ts";

/** Returns the changes of a comparison. */
export function changesView({ parts, warnings }: Comparison) {
  return {
    create: parts.flatMap(({ kind, create }) => create.map(({ wanted: { name } }) => ({ kind: kindName(kind), name }))),
    update: parts.flatMap(({ kind, update }) =>
      update.map(({ wanted, held, differences }) => ({
        kind: kindName(kind),
        name: wanted.name,
        ...(held.name === wanted.name ? {} : { renamed_from: held.name }),
        changes: differences,
      })),
    ),
    delete: parts.flatMap(({ kind, remove }) => remove.map(({ name }) => ({ kind: kindName(kind), name }))),
    unchanged: parts.reduce((sum, { unchanged }) => sum + unchanged, 0),
    warnings,
  };
}

export function planView(scope: Scope, row: PlanRow, comparison: Comparison) {
  return {
    id: wireId("pln", scope.tag, row.id),
    object: "configuration_plan",
    expires_at: timeText(row.expires_at),
    ...changesView(comparison),
  };
}

export function applicationView(scope: Scope, row: PlanRow, comparison: Comparison) {
  return {
    object: "configuration_application",
    plan_id: wireId("pln", scope.tag, row.id),
    ...changesView(comparison),
  };
}
