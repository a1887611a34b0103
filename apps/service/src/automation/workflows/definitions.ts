import { sealDocument, shownDocument } from "../../webhooks/webhooks.ts";
import { assertOwnEnvironment, ServiceError } from "../../lib/lib.ts";
import type { Promotion, PromotionRequest } from "../../lib/lib.ts";
import { authorOf, scopeIn } from "../../accounts/accounts.ts";
import type { Caller, Scope } from "../../accounts/accounts.ts";
import { assertSameEnvironment, createDefinitionOperations, findExisting, present } from "../definitions/definition.ts";
import type { TrialEvent } from "../definitions/definition.ts";
import { saveSchedule, showSchedule } from "../schedules/schedules.ts";
import type { ScheduleView } from "../schedules/schedules.ts";
import { accepted, addVersion, check, lookedUpBy } from "./checks.ts";
import type { NewVersion } from "./checks.ts";
import type { DefinitionText } from "./definition.ts";
import type { WorkflowsDeps } from "./deps.ts";
import { dryRun } from "./dry-run.ts";
import { promoteWorkflow } from "./promotion.ts";
import { endRunsOf } from "./runs.store.ts";
import { workflowText } from "./views.ts";
import { sealedSteps, versionPlace, WORKFLOW_WEBHOOKS } from "./workflow-headers.ts";
import { WORKFLOWS } from "./workflow-kind.ts";
import * as store from "./workflows.store.ts";
import type { WorkflowRow } from "./workflows.store.ts";

/** A caller's changes to a workflow. Trigger and steps are JSON text as they were written. */
export interface WorkflowInput {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly max_runs_per_minute?: number | undefined;
  readonly trigger?: string | undefined;
  readonly steps?: string | undefined;
}

type NewWorkflow = WorkflowInput & DefinitionText & { readonly name: string };

/** Creates the management of a workspace's definitions, of both environments, which are returned as JSON texts. */
export function createDefinitions(deps: WorkflowsDeps) {
  const { db } = deps;
  return {
    ...createDefinitionOperations(deps, WORKFLOWS),
    /** Throws 422 `validation_failed` and `url_blocked`. Only this response has the `signing_secret`. */
    create: async (caller: Caller, input: NewWorkflow): Promise<string> => await create(deps, caller, input),
    /** Saves a changed definition as a new version. Current runs keep theirs. Throws 403 for a workflow of the other environment. */
    change: async (caller: Caller, id: string, input: WorkflowInput): Promise<string> =>
      await change(deps, caller, id, input),
    /** Copies a workflow of the sandbox to live. */
    promote: async (caller: Caller, id: string, request: PromotionRequest): Promise<Promotion> =>
      await promoteWorkflow(deps, caller, { id, request }),
    /** Cancels its runs. Throws 403 for a sandbox credential if the workflow is live. */
    async remove({ scope }: Caller, id: string): Promise<void> {
      const row = await findExisting(db.query, WORKFLOWS, scope, id);
      assertSameEnvironment(scope, row, "workflow");
      await db.transaction(async (tx) => {
        if (!(await store.deleteWorkflow(tx.query, scope, row.id))) throw new ServiceError("not_found");
        await saveSchedule(tx, scope, row, null);
      });
      // A run that a crash leaves here is cancelled when it is due.
      for (const environment of ["live", "sandbox"] as const) {
        const place = scopeIn(scope, environment);
        await db.at(place.bucket, async () => await endRunsOf(db.query, place, row.id));
      }
      deps.wake();
    },
    /** Throws 404 if an event starts the workflow. */
    schedule: async (scope: Scope, id: string): Promise<ScheduleView> =>
      await showSchedule(db, scope, (await findExisting(db.query, WORKFLOWS, scope, id)).id),
    /** Returns the steps that an event would run. Writes and sends nothing. */
    test: async (scope: Scope, id: string, event: TrialEvent): Promise<string> =>
      await dryRun(deps, scope, await findExisting(db.query, WORKFLOWS, scope, id), event),
  };
}

async function create(
  deps: WorkflowsDeps,
  caller: Caller,
  { name, enabled = true, max_runs_per_minute: perMinute, trigger, steps }: NewWorkflow,
): Promise<string> {
  const { scope } = caller;
  const definition = await accepted(deps, scope, { trigger, steps });
  const id = deps.ids.uuid();
  const { text, sealed } = sealDocument({ ...deps, kind: WORKFLOW_WEBHOOKS, place: versionPlace(id, 1) }, steps);
  const isSandbox = scope.environment === "sandbox";
  return await deps.db.transaction(async (tx) => {
    await store.insertWorkflow(tx.query, {
      workspace_id: scope.workspaceId,
      id,
      name,
      enabled,
      version: 1,
      event: lookedUpBy(definition),
      max_runs_per_minute: perMinute ?? store.DEFAULT_RUNS_PER_MINUTE,
      promotes_to: isSandbox ? await store.replaceableWorkflow(tx.query, scope, name) : null,
      promoted_from: null,
      promoted_version: null,
    });
    await addVersion(tx, { ...caller, id, version: 1 }, { trigger, steps: text, sealed });
    const secret = await deps.ownedDeliveries.openChannel(tx, {
      id,
      owner: "workflow",
      workspaceId: scope.workspaceId,
    });
    const row = present(await store.findWorkflow(tx.query, scope, id));
    if (definition.schedule !== null) await saveSchedule(tx, scope, row, definition.schedule);
    return workflowText(scope, row, secret);
  });
}

async function change(deps: WorkflowsDeps, caller: Caller, id: string, input: WorkflowInput): Promise<string> {
  const { scope } = caller;
  const before = await findExisting(deps.db.query, WORKFLOWS, scope, id);
  assertOwnEnvironment(scope.environment, before.author_environment, "workflow");
  // Target addresses are resolved before any row is locked.
  await accepted(deps, scope, overlaid(before, input));
  return await deps.db.transaction(async (tx) => {
    const held = present(await store.holdWorkflow(tx.query, scope, before.id));
    assertOwnEnvironment(scope.environment, held.author_environment, "workflow");
    const text = overlaid(held, input);
    const { definition } = check(deps, text);
    const next = definesAnew(input) ? nextVersion(deps, caller, { held, text }) : undefined;
    const version = held.version + Number(next !== undefined);
    if (next !== undefined) await addVersion(tx, { ...caller, id: held.id, version }, next);
    const { name = held.name, enabled = held.enabled, max_runs_per_minute: perMinute } = input;
    await store.changeWorkflow(tx.query, scope, held.id, {
      name,
      enabled,
      version,
      event: lookedUpBy(definition),
      max_runs_per_minute: perMinute ?? held.max_runs_per_minute,
    });
    const row = (await store.findWorkflow(tx.query, scope, held.id)) ?? held;
    await saveSchedule(tx, scope, row, definition.schedule);
    return workflowText(scope, row);
  });
}

/** Returns the next version. Undefined if the definition and its author are unchanged. Throws 422 for a redacted header value that no stored value matches. */
function nextVersion(
  { sealer }: WorkflowsDeps,
  caller: Caller,
  { held, text: { trigger, steps } }: { readonly held: WorkflowRow; readonly text: DefinitionText },
): NewVersion | undefined {
  const place = versionPlace(held.id, held.version + 1);
  const { text, sealed, isSame } = sealDocument(
    { sealer, kind: WORKFLOW_WEBHOOKS, place, before: sealedSteps(held) },
    steps,
  );
  const isUnchanged = isSame && trigger === held.trigger && text === shownDocument(WORKFLOW_WEBHOOKS, held.steps);
  return isUnchanged && isWrittenBy(held, caller) ? undefined : { trigger, steps: text, sealed };
}

function isWrittenBy(row: WorkflowRow, { scope, key }: Caller): boolean {
  const author = authorOf(key);
  return row.author_environment === scope.environment && row.author_kind === author.kind && row.author_id === author.id;
}

function definesAnew({ trigger, steps }: WorkflowInput): boolean {
  return trigger !== undefined || steps !== undefined;
}

function overlaid(row: WorkflowRow, { trigger = row.trigger, steps = row.steps }: WorkflowInput): DefinitionText {
  return { trigger, steps };
}
