import {
  assertExpectedVersions,
  assertPromotable,
  differenceOf,
  parseJson,
  pointerOf,
  ServiceError,
} from "../../lib/lib.ts";
import type { Promotion, PromotionRequest, Violation } from "../../lib/lib.ts";
import type { Tx } from "../../platform/db/db.ts";
import { sealDocument, shownDocument } from "../../webhooks/webhooks.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import { headerDifference, warningsOf } from "../promotions/promotion.ts";
import { saveSchedule } from "../schedules/schedules.ts";
import type { Definition, DefinitionText } from "./definition.ts";
import { accepted, addVersion, check, lookedUpBy } from "./checks.ts";
import type { DefinitionsDeps, Writer } from "./checks.ts";
import { channelOf } from "./steps.ts";
import { workflowWireId } from "./views.ts";
import { keptBy, revealedOf, versionPlace, WORKFLOW } from "./workflow-headers.ts";
import * as store from "./workflows.store.ts";
import type { WorkflowRow } from "./workflows.store.ts";

interface Pair {
  /** The workflow of the sandbox. */
  readonly source: WorkflowRow;
  /** The live workflow that it replaces. */
  readonly live: WorkflowRow | undefined;
}

interface Plan extends Pair {
  readonly effect: Promotion["effect"];
  readonly difference: Promotion["difference"];
}

/**
 * Copies a workflow of the sandbox to live, as a new workflow or as the next version of the one that it replaces. The
 * caller becomes the author. A live workflow stays enabled or disabled, and its current runs keep their version. Throws
 * 409 if the workflow is not in the sandbox or was changed since, and 422 for a reference that live does not have.
 */
export async function promoteWorkflow(
  deps: DefinitionsDeps,
  writer: Writer,
  { id, request }: { readonly id: string; readonly request: PromotionRequest },
): Promise<Promotion> {
  const { scope } = writer;
  const uuid = ownUuid(scope, "wf", id);
  const seen = await store.findWorkflow(deps.db.query, scope.workspaceId, uuid);
  if (seen === undefined) throw new ServiceError("not_found");
  assertPromotable(seen.author_environment, "workflow");
  // The addresses are checked before the transaction, which never waits for the network.
  const definition = await accepted(deps, scope, textOf(seen));
  await assertReferences(deps, writer, seen);
  return await deps.db.transaction(async (tx) => {
    // The live workflow is locked first, as its deletion does.
    const live =
      seen.promotes_to === null ? undefined : await store.holdWorkflow(tx.query, scope.workspaceId, seen.promotes_to);
    const source = await store.holdWorkflow(tx.query, scope.workspaceId, uuid);
    if (source === undefined) throw new ServiceError("not_found");
    assertExpectedVersions(request, {
      source: source.version,
      isAsChecked: source.version === seen.version && source.promotes_to === seen.promotes_to,
      live: live?.version ?? null,
    });
    const plan = planOf(deps, { source, live });
    const now = request.dry_run === true ? live : await apply(deps, tx, writer, { ...plan, definition });
    return {
      object: "promotion",
      dry_run: request.dry_run === true,
      effect: plan.effect,
      source_id: workflowWireId(scope, source.id),
      source_version: source.version,
      live_id: now === undefined ? null : workflowWireId(scope, now.id),
      live_version: now?.version ?? null,
      difference: plan.difference,
      warnings: warningsOf(textOf(source).steps, plan),
    };
  });
}

/** Returns the definition with `[redacted]` in place of the values of headers. */
function textOf(row: WorkflowRow): DefinitionText {
  return { trigger: row.trigger, steps: shownDocument(WORKFLOW, row.steps) };
}

async function assertReferences(deps: DefinitionsDeps, { scope }: Writer, row: WorkflowRow): Promise<void> {
  const faults: Violation[] = [];
  for (const step of check(deps, row).steps) {
    if (!("rawInput" in step)) continue;
    const port = deps.ports().find(({ type }) => type === step.type);
    for (const one of (await port?.references?.(scope, step.rawInput)) ?? [])
      faults.push({ ...one, pointer: pointerOf(step.place) + one.pointer });
  }
  if (faults.length > 0) throw new ServiceError("validation_failed", { errors: faults });
}

function planOf({ sealer }: DefinitionsDeps, pair: Pair): Plan {
  const { source, live } = pair;
  if (live === undefined) return { ...pair, effect: "create", difference: differenceOf({}, definitionOf(source)) };
  const headers = headerDifference(
    () => revealedOf(sealer, live),
    () => revealedOf(sealer, source),
  );
  const [before, after] = [textOf(live), textOf(source)];
  const isSame =
    headers.length === 0 &&
    before.trigger === after.trigger &&
    before.steps === after.steps &&
    live.name === source.name &&
    live.max_runs_per_minute === source.max_runs_per_minute;
  const difference = [...differenceOf(definitionOf(live), definitionOf(source)), ...headers];
  return { ...pair, effect: isSame ? "none" : "update", difference };
}

function definitionOf(row: WorkflowRow) {
  const { trigger, steps } = textOf(row);
  return {
    name: row.name,
    max_runs_per_minute: row.max_runs_per_minute,
    trigger: parseJson(trigger),
    steps: parseJson(steps),
  };
}

async function apply(
  deps: DefinitionsDeps,
  tx: Tx,
  writer: Writer,
  { source, live, effect, definition }: Plan & { readonly definition: Definition },
): Promise<WorkflowRow | undefined> {
  if (effect === "none") return live;
  const { workspaceId } = writer.scope;
  const id = live?.id ?? deps.ids.uuid();
  const version = (live?.version ?? 0) + 1;
  const place = versionPlace(id, version);
  const { trigger, steps } = textOf(source);
  const { text, sealed } = sealDocument({ sealer: deps.sealer, kind: WORKFLOW, place, before: keptBy(source) }, steps);
  const promoted = {
    name: source.name,
    version,
    event: lookedUpBy(definition),
    max_runs_per_minute: source.max_runs_per_minute,
    promoted_from: source.id,
    promoted_version: source.version,
  };
  if (live === undefined)
    await store.insertWorkflow(tx.query, {
      workspace_id: workspaceId,
      id,
      enabled: source.enabled,
      promotes_to: null,
      ...promoted,
    });
  await addVersion(tx, { ...writer, id, version }, { trigger, steps: text, sealed });
  if (live === undefined) {
    await deps.ownedDeliveries.openChannel(tx, { ...channelOf(id), workspaceId });
    await store.changeWorkflow(tx.query, workspaceId, source.id, { promotes_to: id });
  } else await store.changeWorkflow(tx.query, workspaceId, id, promoted);
  const row = await store.findWorkflow(tx.query, workspaceId, id);
  if (row !== undefined) await saveSchedule(tx, writer.scope, row, definition.schedule);
  return row;
}
