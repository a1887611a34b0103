import type { Tx } from "../../platform/db/db.ts";
import { after, membersOf, ServiceError, toDate, toRfc3339, wireId } from "../../lib/lib.ts";
import type { Uuid, Violation } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { AuditEntry, Redactor } from "../../audit/audit.ts";
import { approvalFaults, approvalTexts, ownerWireId } from "../../automation/automation.ts";
import type {
  ApprovalTexts,
  Members,
  StepCall,
  StepOutcome,
  StepPlace,
  StepPort,
} from "../../automation/automation.ts";
import { SYSTEM } from "../callers/actor.ts";
import type { ActionCaller } from "../callers/actor.ts";
import { sealedParameters } from "../requests/action-request.ts";
import { writeAll } from "./start-run.ts";
import { contractOfProposal } from "../proposals/decide-proposal.ts";
import type { DecideDeps } from "../proposals/decide-proposal.ts";
import { entryOf } from "../requests/entries.ts";
import { proposed } from "../proposals/proposal-events.ts";
import { visible } from "../proposals/preview.ts";
import type { Preview } from "../proposals/proposals.schemas.ts";
import { paramsHash } from "../proposals/proposal.ts";
import { cancelAwaited } from "../proposals/proposals.store.ts";
import type { ProposalInsert } from "../proposals/proposals.store.ts";
import { runRow } from "./run-row.ts";
import { proposalRow, proposerColumns, readProposal, shownOf, UNDECIDED } from "../proposals/proposal-row.ts";
import { callerOf, faultsOf } from "./rule-port.ts";
import { prepareUnattended } from "./run.ts";
import type { RunDeps } from "./run.ts";
import { cancelQueued } from "./cancel-queued.ts";
import { approveUrl } from "../proposals/proposal-view.ts";

export type StepDeps = RunDeps & DecideDeps & { readonly wake: () => void };

const DEFAULT_SECONDS = 86_400;
const MAX_SECONDS = 31_536_000;
const PEOPLE: readonly unknown[] = ["owner", "admin", "developer", "operator", "viewer"];
/** The action name of a proposal that runs nothing. */
const WAIT = "workflow.wait_approval";

/**
 * Creates the `action` and `wait_approval` steps of workflows. An action step waits for the end of its run, and an
 * approval step waits for a decision.
 */
export function createActionSteps(deps: StepDeps): StepPort[] {
  const cancel = async (tx: Tx, place: StepPlace): Promise<void> => await callOff(deps, tx, place);
  return [
    {
      type: "action",
      check: async (scope, members) => await faultsOf(deps, scope, { members, surface: "workflow" }),
      begin: async (tx, call) => await unlessRefused(async () => await beginAction(deps, tx, call)),
      cancel,
    },
    {
      type: "wait_approval",
      check: async (_scope, members) => await Promise.resolve([...waitFaults(members), ...approvalFaults(members)]),
      begin: async (tx, call) => await unlessRefused(async () => await beginWait(deps, tx, call)),
      cancel,
    },
  ];
}

/** Returns the workflow run and the step that a waiter names; undefined if the waiter is not a workflow. */
export function readWaiter(text: string): Omit<StepPlace, "scope"> | undefined {
  const { kind, run_id: runId, step_id: stepId } = membersOf(text);
  return kind === "workflow" ? { runId: String(runId) as Uuid, stepId: String(stepId) } : undefined;
}

/** Returns the JSON text that shows approvers which workflow asks, and why. */
function workflowOf(call: StepCall): string {
  const { scope, owner, runId, stepId, event } = call;
  return JSON.stringify({
    id: ownerWireId(call),
    name: owner.name,
    version: owner.version,
    run_id: wireId("wfr", scope.tag, runId),
    step_id: stepId,
    event: { id: wireId("evt", scope.tag, event.id), type: event.name },
  });
}

function waiterOf({ runId, stepId }: StepPlace): string {
  return JSON.stringify({ kind: "workflow", run_id: runId, step_id: stepId });
}

async function beginAction(deps: StepDeps, tx: Tx, call: StepCall): Promise<StepOutcome> {
  const { scope } = call;
  const { action, parameters: given = {} } = membersOf(call.input);
  const asker = await callerOf(deps, call);
  const input = { action: String(action), parameters: given, confirmed: false, surface: null, prompt: null };
  const { asked: prepared, verdict } = await prepareUnattended(deps, { asker, input, requestId: null });
  const asked = { ...prepared, waiter: waiterOf(call), workflow: workflowOf(call) };
  const id = deps.ids.uuid();
  const now = deps.clock.now();
  const shown = shownOf(asked, await deps.audit.redactorOf(scope));
  tx.onCommit(deps.wake);
  if (verdict.kind === "propose") {
    const row = proposalRow(asked, { id, state: "proposed", shown, now, sealer: deps.sealer });
    const { contract, parameters } = asked;
    const entry = entryOf("proposal", contract, "proposed", { actor: asker.actor, proposalId: id, parameters });
    return await waitForProposal(deps, tx, scope, { row, entry });
  }
  const run = runRow(asked, {
    id,
    shown,
    now,
    sealer: deps.sealer,
    proposalId: null,
    approver: null,
    leaseId: null,
    answers: null,
    requestId: null,
  });
  await writeAll(deps, tx, [{ scope, written: { run, entries: [], events: [], answer: null } }]);
  return { kind: "waits", output: JSON.stringify({ action_run_id: wireId("run", scope.tag, id) }) };
}

async function beginWait(deps: StepDeps, tx: Tx, call: StepCall): Promise<StepOutcome> {
  const { scope } = call;
  const asker = await callerOf(deps, call);
  const texts = shownTexts(call.input, await deps.audit.redactorOf(scope));
  const row = waitRow(deps, asker, { call, texts });
  const entry = entryOf("proposal", contractOfProposal(row), "proposed", { actor: asker.actor, proposalId: row.id });
  return await waitForProposal(deps, tx, scope, { row, entry });
}

async function waitForProposal(
  deps: StepDeps,
  tx: Tx,
  scope: Scope,
  { row, entry }: { readonly row: ProposalInsert; readonly entry: AuditEntry },
): Promise<StepOutcome> {
  const events = [proposed(scope, readProposal(row), deps.baseUrl)];
  await writeAll(deps, tx, [{ scope, written: { proposal: row, entries: [entry], events, answer: null } }]);
  const output = {
    proposal_id: wireId("prop", scope.tag, row.id),
    approve_url: approveUrl(deps.baseUrl, scope.tag, row.id),
  };
  return { kind: "waits", output: JSON.stringify(output) };
}

/** Returns the texts of the step, or texts that name it. */
function previewOfWait({ stepId }: StepCall, texts: ApprovalTexts, place: Readonly<Record<string, string>>): Preview {
  const fields = texts.fields ?? Object.entries(place).map(([label, value]) => ({ label, value }));
  return {
    title: texts.title ?? "Continue a workflow",
    summary: texts.summary ?? `The step ${stepId} waits for a person's approval. The approval itself runs nothing.`,
    fields: fields.map(({ label, value }) => ({ name: label, description: "", value, masked: false })),
    risk: "low",
    target_host: null,
    reversible: false,
  };
}

/** Returns a proposal whose approval only continues the workflow. The texts are parameters, so that an approval covers them. */
function waitRow(
  { ids, clock, sealer }: StepDeps,
  asker: ActionCaller,
  { call, texts }: { readonly call: StepCall; readonly texts: ApprovalTexts },
): ProposalInsert {
  const { approver_roles: roles, expires_in_seconds: seconds = DEFAULT_SECONDS } = membersOf(call.input);
  const { scope, people } = asker;
  const id = ids.uuid();
  const place = { workflow: asker.actor.id ?? "", run: wireId("wfr", scope.tag, call.runId), step: call.stepId };
  const parameters = { ...place, ...texts };
  return {
    bucket: scope.bucket,
    tag: scope.tag,
    id,
    ...UNDECIDED,
    ...proposerColumns(asker),
    action: WAIT,
    contract_version: 0,
    surface: asker.surface,
    involved: [...people],
    parameters_sealed: sealedParameters(sealer, id, parameters),
    parameters_redacted: JSON.stringify(parameters),
    params_hash: paramsHash({ action: WAIT, version: 0, parameters }),
    prompt: null,
    preview: JSON.stringify(previewOfWait(call, texts, place)),
    approver_roles: (roles as string[]) ?? [],
    four_eyes: false,
    approvals_required: 1,
    chain: [...asker.chain],
    tenant: call.tenant,
    waiter: waiterOf(call),
    workflow: workflowOf(call),
    expires_at: toDate(after(clock.now(), Number(seconds) * 1000)),
  };
}

/** Returns the texts as every reader sees them: redacted, without invisible characters, and of bounded length. */
function shownTexts(input: string, redactor: Redactor): ApprovalTexts {
  return approvalTexts(input, {
    value: (name, value) => Object.values(redactor.value({ [name]: value }) as Record<string, unknown>)[0] ?? null,
    text: (text) => redactor.text(text),
    bounded: visible,
  });
}

/** Cancels the undecided proposals and the queued runs of a cancelled workflow run. */
async function callOff(deps: StepDeps, tx: Tx, place: StepPlace): Promise<void> {
  const { scope } = place;
  const now = deps.clock.now();
  const decision = JSON.stringify({ by: SYSTEM, at: toRfc3339(now), reason: "The workflow's run was cancelled." });
  const rows = await cancelAwaited(tx, scope, { waiter: waiterOf(place), decision, now: toDate(now) });
  await cancelQueued(deps, tx, scope, { waiter: waiterOf(place), now });
  for (const row of rows) {
    const entry = entryOf("proposal", contractOfProposal(row), "cancelled", { actor: SYSTEM, proposalId: row.id });
    deps.audit.record(tx, scope, entry);
  }
}

async function unlessRefused(begin: () => Promise<StepOutcome>): Promise<StepOutcome> {
  try {
    return await begin();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { errors = [], detail = error.kind.title } = error.details;
    const faults = errors.map(({ pointer, message }) => `${pointer} ${message}`);
    return { kind: "failed", error: `${error.code}: ${faults.length === 0 ? detail : faults.join("; ")}` };
  }
}

function waitFaults({ approver_roles: roles, expires_in_seconds: seconds = DEFAULT_SECONDS }: Members): Violation[] {
  const faults: Violation[] = [];
  if (!Array.isArray(roles) || roles.length === 0 || roles.some((role) => !PEOPLE.includes(role))) {
    const message = `must be a list of one or more of ${PEOPLE.join(", ")}`;
    faults.push({ pointer: "/approver_roles", code: "enum", message });
  }
  if (!Number.isInteger(seconds) || Number(seconds) < 1 || Number(seconds) > MAX_SECONDS) {
    const message = `must be a whole number from 1 to ${MAX_SECONDS}`;
    faults.push({ pointer: "/expires_in_seconds", code: "range", message });
  }
  return faults;
}
