import { timeText, wireId } from "../lib/lib.ts";
import type { Scope } from "../accounts/accounts.ts";
import { kindName } from "./comparison.ts";
import type { Comparison } from "./comparison.ts";
import type { Pending } from "./pending.ts";
import type { PlanRow } from "./plans.store.ts";

export type ChangesView = ReturnType<typeof changesView>;

/** Returns the changes of a comparison. */
export function changesView({ parts, warnings }: Comparison, pending: Pending) {
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
    delete: parts.flatMap(({ kind, remove }) =>
      remove.map((held) => {
        const count = pending.get(held);
        return {
          kind: kindName(kind),
          name: held.name,
          ...(count === undefined ? {} : { pending_deliveries: count }),
        };
      }),
    ),
    unchanged: parts.reduce((sum, { unchanged }) => sum + unchanged, 0),
    warnings,
  };
}

export function planView(scope: Scope, row: PlanRow, changes: ChangesView) {
  return {
    id: wireId("pln", scope.tag, row.id),
    object: "configuration_plan",
    expires_at: timeText(row.expires_at),
    ...changes,
  };
}

export function applicationView(scope: Scope, row: PlanRow, changes: ChangesView) {
  return {
    object: "configuration_application",
    plan_id: wireId("pln", scope.tag, row.id),
    ...changes,
  };
}
