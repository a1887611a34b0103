import type { Contacts } from "../../contacts/contacts.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { isRecord, parseId, scanJson, tagOf, toDate, wireId } from "../../lib/lib.ts";
import type { IdMaker } from "../../lib/lib.ts";
import type { RuleCaller, Capability, CapabilityResult } from "../rules/rules.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { savedDefinition } from "./definition.ts";
import { limitRun } from "./limits.ts";
import type { LimitDeps } from "./limits.ts";
import { startRun } from "./runs.store.ts";
import { workflowWireId } from "./views.ts";
import { findWorkflow, replacementOf } from "./workflows.store.ts";
import type { WorkflowRow } from "./workflows.store.ts";

export interface StartingDeps extends LimitDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly contacts: Pick<Contacts, "reacting">;
  readonly wake: () => void;
}

type Starting = Extract<Capability, { when: "within" }>;
type Done = Awaited<ReturnType<Starting["run"]>>;

/**
 * Provides the rules' action `start_workflow {workflow_id, input?}`. It starts a run of the current version, with the rule's event and chain,
 * and with `input` as a separate root. The trigger is not evaluated. The steps have the permissions of the workflow's author.
 */
export function createStarting(deps: StartingDeps): Starting {
  return {
    when: "within",
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
    async foresee(scope, action) {
      const row = await named(deps.db, scope, askedIn(action).id);
      const blocker = blockerOf(scope, row);
      return blocker ?? { workflow_name: row?.name, workflow_version: row?.version };
    },
    run: async (tx, caller, { key, action }) => await start(deps, tx, { caller, key, action }),
  };
}

interface Start {
  readonly caller: RuleCaller;
  readonly key: string;
  readonly action: string;
}

async function start(deps: StartingDeps, tx: Tx, { caller, key, action }: Start): Promise<Done> {
  const { ids, contacts, wake } = deps;
  const { scope, event } = caller;
  const { id, input } = askedIn(action);
  const row = await named(tx, scope, id);
  const blocker = blockerOf(scope, row);
  if (row === undefined || blocker !== undefined) return { state: "failed", told: { workflow_id: id, ...blocker } };
  const hindrance = await limitRun(deps, scope, row, event.chain);
  const runId = ids.uuid();
  const contact = await contacts.reacting.find(scope, event.data, tx.query);
  const isStarted = await startRun(tx, {
    bucket: scope.bucket,
    tag: scope.tag,
    id: runId,
    workspace_id: scope.workspaceId,
    workflow_id: row.id,
    version: row.version,
    event_id: event.id,
    event_name: event.name,
    data: event.data,
    tenant: event.tenant,
    occurred_at: toDate(event.occurredAt),
    chain: [...event.chain],
    step: savedDefinition(row).first,
    input: input,
    cause: key,
    started_by: caller.ruleId,
    contact_id: contact?.id ?? null,
    hindrance,
  });
  if (isStarted && hindrance !== undefined)
    return { state: "failed", told: { workflow_id: id, ...refusal("rate_limited", hindrance.error) } };
  if (!isStarted)
    return {
      state: "failed",
      told: {
        workflow_id: id,
        ...refusal("once_per_chain", "The workflow already ran for an event that led to this one."),
      },
    };
  tx.onCommit(wake);
  return {
    state: "done",
    told: { workflow_id: workflowWireId(scope, row.id), workflow_run_id: wireId("wfr", scope.tag, runId) },
  };
}

/** Returns the workflow with this id if it belongs to the workspace. In the sandbox, returns the one that replaces it there. */
async function named(on: Pick<Db | Tx, "query">, scope: Scope, id: unknown): Promise<WorkflowRow | undefined> {
  const parsed = typeof id === "string" ? parseId(id) : undefined;
  if (parsed?.prefix !== "wf" || parsed.tag !== tagOf(scope.tag, "live")) return undefined;
  const own =
    scope.environment === "sandbox" ? await replacementOf(on.query, scope.workspaceId, parsed.uuid) : undefined;
  return own ?? (await findWorkflow(on.query, scope.workspaceId, parsed.uuid));
}

type Refusal = CapabilityResult["told"] & { readonly reason_code: string; readonly reason: string };

function blockerOf(scope: Scope, row: WorkflowRow | undefined): Refusal | undefined {
  if (row === undefined) return refusal("workflow_gone", "The workflow was deleted.");
  if (!row.enabled) return refusal("workflow_disabled", "The workflow is disabled.");
  if (row.author_environment === "sandbox" && scope.environment === "live")
    return refusal("workflow_sandbox_only", "A sandbox credential wrote the workflow, so it runs only in the sandbox.");
  return undefined;
}

function refusal(code: string, reason: string): Refusal {
  return { reason_code: code, reason };
}

function askedIn(action: string): { readonly id: unknown; readonly input: string } {
  const scan = scanJson(Buffer.from(action));
  return { id: isRecord(scan.value) ? scan.value["workflow_id"] : undefined, input: scan.slice(["input"]) ?? "{}" };
}
