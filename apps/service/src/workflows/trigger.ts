import type { Db } from "../db/db.ts";
import type { Subscriber } from "../dispatch/dispatch.ts";
import type { NewEvent } from "../events/events.ts";
import { parseId, tagOf, toDate, wireId } from "../kernel/kernel.ts";
import type { IdMaker } from "../kernel/kernel.ts";
import { holds } from "./condition.ts";
import { savedDefinition } from "./definition.ts";
import { factsOf } from "./facts.ts";
import { startRun } from "./runs.store.ts";
import { findWorkflow, triggeredBy } from "./workflows.store.ts";
import type { TriggeredRow } from "./workflows.store.ts";

const PRIORITY = 45;
/** An event that so many reactions led to starts nothing any more. */
const MAX_CHAIN = 16;

export interface TriggerDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly wake: () => void;
}

/**
 * Starts the workflows that listen to an event and whose `when` holds: each once an event, and not again in what its own
 * run leads to. An event that no workflow listens to gets no stage.
 */
export function createTrigger(deps: TriggerDeps): Subscriber {
  return {
    kind: "workflow",
    async match(events, reader) {
      const pairs = new Map(
        events.map(({ scope, name }) => [
          `${scope.workspaceId} ${name}`,
          { workspaceId: scope.workspaceId, event: name },
        ]),
      );
      const rows = await triggeredBy(reader, [...pairs.values()]);
      const byPair = Map.groupBy(rows, (row) => `${row.workspace_id} ${row.event}`);
      return events.map(({ scope, name, data, chain }) =>
        (chain?.length ?? 0) >= MAX_CHAIN
          ? []
          : (byPair.get(`${scope.workspaceId} ${name}`) ?? [])
              .filter((row) => takes(row, { scope, name, data }))
              .map((row) => ({
                kind: "workflow" as const,
                key: wireId("wf", tagOf(scope.tag, "live"), row.id),
                priority: PRIORITY,
              })),
      );
    },
    async react({ scope, id, name, data, occurredAt, chain }, key) {
      const workflowId = parseId(key)?.uuid;
      if (workflowId === undefined) return;
      await deps.db.transaction(async (tx) => {
        const workflow = await findWorkflow(tx.query, scope.workspaceId, workflowId);
        // Changed, switched off or deleted meanwhile: what it is now counts.
        if (workflow?.enabled !== true || workflow.event !== name || !takes(workflow, { scope, name, data })) return;
        await startRun(tx, {
          bucket: scope.bucket,
          tag: scope.tag,
          id: deps.ids.uuid(),
          workspace_id: scope.workspaceId,
          workflow_id: workflowId,
          version: workflow.version,
          event_id: id,
          event_name: name,
          data,
          occurred_at: toDate(occurredAt),
          chain: [...chain],
          step: savedDefinition(workflow).first,
          input: null,
          cause: "",
          started_by: null,
        });
        tx.onCommit(deps.wake);
      });
    },
  };
}

/** Only the trigger is read: the steps are no matter before the run. What was written in the sandbox acts there alone. */
function takes(
  row: Pick<TriggeredRow, "trigger" | "author_environment">,
  { scope, name, data }: Pick<NewEvent, "scope" | "name" | "data">,
): boolean {
  if (row.author_environment === "sandbox" && scope.environment === "live") return false;
  const { when } = savedDefinition({ trigger: row.trigger, steps: "[]" });
  return holds(when, factsOf({ event: name, data, input: null, outputs: new Map() }));
}
