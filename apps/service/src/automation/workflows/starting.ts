import type { Db, Tx } from "../../platform/db/db.ts";
import { isRecord, parseId, scanJson, tagOf, wireId } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { callKey, ownerWireId } from "../definitions/step-port.ts";
import type { StepCall, StepEnd, StepPort } from "../definitions/step-port.ts";
import type { WorkflowsDeps } from "./deps.ts";
import { limitRun } from "./limits.ts";
import { startRun } from "./runs.store.ts";
import { runOf } from "./trigger.ts";
import { workflowWireId } from "./views.ts";
import { findWorkflow, replacementOf } from "./workflows.store.ts";
import type { WorkflowRow } from "./workflows.store.ts";

/**
 * Provides the rules' action `start_workflow {workflow_id, input?}`. It starts a run of the current version, with the rule's event and chain,
 * and with `input` as a separate root. The trigger is not evaluated. The steps have the permissions of the workflow's author.
 */
export function createStarting(deps: WorkflowsDeps): StepPort {
  return {
    type: "start_workflow",
    async check(scope, { workflow_id: id }) {
      if ((await named(deps.db, scope, id)) !== undefined) return [];
      return [
        {
          pointer: "/workflow_id",
          code: "workflow_unknown",
          message: "must be the id of a workflow in this workspace",
        },
      ];
    },
    async references(scope, { workflow_id: id }) {
      const row = await named(deps.db, scope, id);
      if (row?.author_environment !== "sandbox") return { faults: [], replaced: new Map() };
      if (row.promotes_to !== null)
        return { faults: [], replaced: new Map([[String(id), workflowWireId(scope, row.promotes_to)]]) };
      const message = "is a workflow of the sandbox: promote the workflow first";
      return { faults: [{ pointer: "/workflow_id", code: "workflow_sandbox_only", message }], replaced: new Map() };
    },
    async foresee(scope, input) {
      const row = await named(deps.db, scope, readInput(input).id);
      const blocker = blockerOf(scope, row);
      if (blocker !== undefined) return { reason_code: blocker.code, reason: blocker.error };
      return { workflow_name: row?.name, workflow_version: row?.version };
    },
    begin: async (tx, call) => await start(deps, tx, call),
  };
}

async function start(deps: WorkflowsDeps, tx: Tx, call: StepCall): Promise<StepEnd> {
  const { scope, event, tenant } = call;
  const { id, input } = readInput(call.input);
  const output = JSON.stringify({ workflow_id: id });
  const row = await named(tx, scope, id);
  const blocker = blockerOf(scope, row);
  if (row === undefined || blocker !== undefined) return { kind: "failed", output, ...(blocker ?? GONE) };
  const hindrance = await limitRun(deps, scope, row, event.chain);
  const runId = deps.ids.uuid();
  const contact = await deps.contacts.reacting.find(scope, event.data, tx.query);
  const isStarted = await startRun(tx, {
    ...runOf(row, { ...event, scope, tenant }),
    id: runId,
    input,
    cause: callKey(call),
    started_by: ownerWireId(call),
    contact_id: contact?.id ?? null,
    hindrance,
  });
  if (!isStarted) {
    const error = "The workflow already ran for an event that led to this one.";
    return { kind: "failed", output, code: "once_per_chain", error };
  }
  if (hindrance !== undefined) return { kind: "failed", output, code: "rate_limited", error: hindrance.error };
  tx.onCommit(deps.wake);
  const started = {
    workflow_id: workflowWireId(scope, row.id),
    workflow_run_id: wireId("wfr", scope.tag, runId),
  };
  return { kind: "done", output: JSON.stringify(started) };
}

/** Returns the workflow with this id if it belongs to the workspace. In the sandbox, returns the one that replaces it there. */
async function named(on: Pick<Db | Tx, "query">, scope: Scope, id: unknown): Promise<WorkflowRow | undefined> {
  const parsed = typeof id === "string" ? parseId(id) : undefined;
  if (parsed?.prefix !== "wf" || parsed.tag !== tagOf(scope.tag, "live")) return undefined;
  const own = scope.environment === "sandbox" ? await replacementOf(on.query, scope, parsed.uuid) : undefined;
  return own ?? (await findWorkflow(on.query, scope, parsed.uuid));
}

type Blocker = Pick<Extract<StepEnd, { kind: "failed" }>, "error"> & { readonly code: string };

const GONE: Blocker = { code: "workflow_gone", error: "The workflow was deleted." };

function blockerOf(scope: Scope, row: WorkflowRow | undefined): Blocker | undefined {
  if (row === undefined) return GONE;
  if (!row.enabled) return { code: "workflow_disabled", error: "The workflow is disabled." };
  if (row.author_environment !== "sandbox" || scope.environment !== "live") return undefined;
  const error = "A sandbox credential wrote the workflow, so it runs only in the sandbox.";
  return { code: "workflow_sandbox_only", error };
}

function readInput(text: string): { readonly id: unknown; readonly input: string } {
  const scan = scanJson(Buffer.from(text));
  return { id: isRecord(scan.value) ? scan.value["workflow_id"] : undefined, input: scan.slice(["input"]) ?? "{}" };
}
