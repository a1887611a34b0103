import type { FoundContact } from "../../contacts/contacts.ts";
import type { Facts } from "../../events/events.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { ServiceError, Uuid } from "../../lib/lib.ts";
import type { WorkflowsDeps } from "./deps.ts";
import { parentsOf } from "./children.store.ts";
import { needsContact, savedDefinition } from "./definition.ts";
import type { Definition, Step } from "./definition.ts";
import { runFacts } from "./facts.ts";
import { stepRefusal } from "./rights.ts";
import { holdLeased, scopeOfRun, stepsOfRuns } from "./runs.store.ts";
import type { RunRow } from "./runs.store.ts";
import { endStep, isChecked } from "./steps.ts";
import type { StepResult } from "./steps.ts";
import { pinnedDefinitions } from "./workflows.store.ts";
import type { Pinned } from "./workflows.store.ts";

/** A locked run with the values that its steps can read. */
export interface Course {
  readonly run: RunRow;
  readonly workflow: Pinned;
  readonly definition: Definition;
  /** Undefined if the run is at its end. */
  readonly step: Step | undefined;
  /** Outputs of the previous steps, as JSON text by step id. */
  readonly outputs: ReadonlyMap<string, string>;
  /** The output of the current step if it was begun before. */
  readonly begun: string | undefined;
}

/** Returns the runs that this lease still holds at their steps. Throws if a definition is missing. */
export async function coursesOf(tx: Tx, claimed: readonly RunRow[], leaseId: Uuid): Promise<Course[]> {
  const held = await holdLeased(tx, claimed, leaseId);
  if (held.length === 0) return [];
  const parents = await parentsOf(tx, held);
  const byId = new Map(parents.map((parent) => [parent.id, parent]));
  const runs = held.map((run) => withParent(run, run.parent_id === null ? undefined : byId.get(run.parent_id)));
  const definitions = await definitionsOf(tx, runs);
  const rows = await stepsOfRuns(tx, [...new Map([...runs, ...parents].map((run) => [run.id, run])).values()]);
  const steps = Map.groupBy(rows, (row) => row.run_id);
  return runs.map((run): Course => {
    const { workflow, definition } = definitions(run);
    const own = steps.get(run.id) ?? [];
    const ofParent = run.parent_id === null ? [] : (steps.get(run.parent_id) ?? []);
    const before = [...ofParent.filter(({ position }) => position !== run.parent_position), ...own];
    const begun = own.find(({ position }) => position === run.position);
    return {
      run,
      workflow,
      definition,
      step: stepAt(definition, run),
      outputs: new Map(before.map((row) => [row.step_id, row.output ?? "null"])),
      begun: begun && (begun.output ?? "{}"),
    };
  });
}

/** Returns a child run with the values of its parent. */
function withParent(run: RunRow, parent: RunRow | undefined): RunRow {
  return parent === undefined ? run : { ...run, data: parent.data, tenant: parent.tenant, input: parent.input };
}

async function definitionsOf(
  tx: Tx,
  runs: readonly RunRow[],
): Promise<(run: RunRow) => Pick<Course, "workflow" | "definition">> {
  const keyOf = (run: Pick<RunRow, "workspace_id" | "workflow_id" | "version">): string =>
    `${run.workspace_id} ${run.workflow_id} ${run.version}`;
  const wanted = [...new Map(runs.map((run) => [keyOf(run), run])).values()];
  const found = new Map(
    (await pinnedDefinitions(tx, wanted)).map((workflow) => [
      keyOf(workflow),
      { workflow, definition: savedDefinition(workflow) },
    ]),
  );
  return (run) => {
    const one = found.get(keyOf(run));
    if (one === undefined) throw new Error("the definition of a workflow's run is gone");
    return one;
  };
}

function stepAt(definition: Definition, { step }: RunRow): Step | undefined {
  return step === null ? undefined : definition.step(step);
}

/** Returns the run at its next step, after a step has ended. */
export function afterStep({ workflow, definition, outputs, step }: Course, run: RunRow, output: string): Course {
  return {
    run,
    workflow,
    definition,
    step: stepAt(definition, run),
    outputs: step === undefined ? outputs : new Map([...outputs, [step.id, output]]),
    begun: undefined,
  };
}

/** A course with the current values that its step can read. */
export interface ReadyCourse extends Course {
  readonly facts: Facts;
  /** Undefined if the step must still be run. */
  readonly result: StepResult | undefined;
}

/**
 * Returns a function for one transaction that reads the values that the steps of many runs need, and checks whether their authors may run
 * them. It reads an author's permissions once per type of step, and contacts once per call.
 */
export function createReader(deps: WorkflowsDeps, tx: Tx): (courses: readonly Course[]) => Promise<ReadyCourse[]> {
  const refusals = new Map<string, Promise<ServiceError | undefined>>();
  return async (courses) => {
    const contacts = await contactsOf(deps, tx, courses);
    return await Promise.all(
      courses.map(async (course): Promise<ReadyCourse> => {
        const { run, step, begun, outputs } = course;
        const { event_name: event, data, tenant, input, item, child_index: index } = run;
        const facts = runFacts({ event, data, tenant, contact: contacts.get(course), input, outputs, item, index });
        const ready = { ...course, facts };
        if (step === undefined) return { ...ready, result: undefined };
        // A wait that was begun is checked, with all that this needs, by `beginStep`.
        if (begun !== undefined) return { ...ready, result: isChecked(step) ? undefined : endStep(run, step, begun) };
        return { ...ready, result: await refusedStep(deps, refusals, course, step) };
      }),
    );
  };
}

/** Fails a step that its author may not run now, even if the author lost the permission after the run had started. */
async function refusedStep(
  deps: WorkflowsDeps,
  refusals: Map<string, Promise<ServiceError | undefined>>,
  { workflow }: Course,
  step: Step,
): Promise<StepResult | undefined> {
  const key = `${workflow.workspace_id} ${workflow.author_kind} ${workflow.author_id} ${step.type}`;
  const reading = refusals.get(key) ?? stepRefusal(deps, workflow, step);
  refusals.set(key, reading);
  const refusal = await reading;
  if (refusal === undefined) return undefined;
  return { kind: "failed", output: null, error: `${refusal.code}: ${refusal.details.detail ?? ""}`, next: undefined };
}

async function contactsOf(
  { contacts }: WorkflowsDeps,
  tx: Tx,
  courses: readonly Course[],
): Promise<ReadonlyMap<Course, FoundContact | undefined>> {
  const wanting = courses.filter(({ step }) => step !== undefined && needsContact(step));
  if (wanting.length === 0) return new Map();
  const found = await contacts.reacting.findAll(
    tx,
    wanting.map(({ run }) => ({ scope: scopeOfRun(run), data: run.data })),
  );
  return new Map(wanting.map((course, at) => [course, found[at]]));
}
