import { pointerOf } from "../../lib/lib.ts";
import type { Promotion, PromotionRequest } from "../../lib/lib.ts";
import type { Tx } from "../../platform/db/db.ts";
import { sealDocument, shownDocument } from "../../webhooks/webhooks.ts";
import type { Caller } from "../../accounts/accounts.ts";
import { present } from "../definitions/definition.ts";
import { promote, withLiveIds } from "../definitions/promotion.ts";
import type { PromotionPair } from "../definitions/promotion.ts";
import { saveSchedule } from "../schedules/schedules.ts";
import { accepted, addVersion, check, lookedUpBy, membersOf } from "./checks.ts";
import type { WorkflowsDeps } from "./deps.ts";
import { savedDefinition } from "./definition.ts";
import { sealedSteps, versionPlace, WORKFLOW_WEBHOOKS } from "./workflow-headers.ts";
import { WORKFLOWS } from "./workflow-kind.ts";
import * as store from "./workflows.store.ts";
import type { WorkflowRow } from "./workflows.store.ts";

/** Copies a workflow of the sandbox to live: see `promote`. The current runs of a live workflow keep their version. */
export async function promoteWorkflow(
  deps: WorkflowsDeps,
  caller: Caller,
  of: { readonly id: string; readonly request: PromotionRequest },
): Promise<Promotion> {
  const { scope } = caller;
  return await promote<WorkflowRow>(deps, scope, of, {
    kind: WORKFLOWS,
    async check({ trigger, steps }) {
      const shown = { trigger, steps: shownDocument(WORKFLOW_WEBHOOKS, steps) };
      await accepted(deps, scope, shown);
      const items = check(deps, shown).steps.flatMap((step) =>
        "rawInput" in step ? [{ type: step.type, members: membersOf(step), pointer: pointerOf(step.place) }] : [],
      );
      return { trigger, steps: await withLiveIds(deps.ports(), scope, shown.steps, items) };
    },
    save: async (tx, pair) => await save(deps, tx, caller, pair),
  });
}

async function save(
  deps: WorkflowsDeps,
  tx: Tx,
  caller: Caller,
  { source, live, texts: { trigger = "{}", steps = "[]" } }: PromotionPair<WorkflowRow>,
): Promise<WorkflowRow> {
  const { scope } = caller;
  const id = live?.id ?? deps.ids.uuid();
  const version = (live?.version ?? 0) + 1;
  const definition = savedDefinition({ trigger, steps });
  const { text, sealed } = sealDocument(
    {
      sealer: deps.sealer,
      kind: WORKFLOW_WEBHOOKS,
      place: versionPlace(id, version),
      before: sealedSteps(source),
    },
    steps,
  );
  const promoted = {
    name: source.name,
    version,
    event: lookedUpBy(definition),
    max_runs_per_minute: source.max_runs_per_minute,
    promoted_from: source.id,
    promoted_version: source.version,
  };
  const home = { workspace_id: scope.workspaceId, id };
  if (live === undefined)
    await store.insertWorkflow(tx.query, { ...home, enabled: source.enabled, promotes_to: null, ...promoted });
  await addVersion(tx, { ...caller, id, version }, { trigger, steps: text, sealed });
  if (live === undefined) {
    await deps.ownedDeliveries.openChannel(tx, { id, owner: "workflow", workspaceId: scope.workspaceId });
    await store.changeWorkflow(tx.query, scope, source.id, { promotes_to: id });
  } else await store.changeWorkflow(tx.query, scope, id, promoted);
  const row = present(await store.findWorkflow(tx.query, scope, id));
  await saveSchedule(tx, scope, row, definition.schedule);
  return row;
}
