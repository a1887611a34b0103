import { evaluate, FillError, filled } from "../../events/events.ts";
import type { Facts, Fill } from "../../events/events.ts";
import { isRecord, parseJson, WorkBudget } from "../../lib/lib.ts";
import type { Contacts } from "../../contacts/contacts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { TrialEvent } from "../definitions/definition.ts";
import { fillHttpCall } from "../../http-calls/http-calls.ts";
import type { HttpTemplate } from "../../http-calls/http-calls.ts";
import { approvalTexts, UNREDACTED } from "./approval-texts.ts";
import { savedDefinition } from "./definition.ts";
import type { Definition, DefinitionText, Step } from "./definition.ts";
import { runFacts } from "./facts.ts";
import { itemsOf } from "./items.ts";
import type { ForEachStep } from "./items.ts";
import { waysOf } from "./step.ts";

/**
 * Returns the steps of a possible run, as JSON text, if every delivery succeeded and every decision was an approval, followed by the
 * steps of the other decisions. A loop is shown with its first item. Values that only a run knows, such as ids, are null. Reads the
 * current contact.
 */
export async function dryRun(
  { contacts }: { readonly contacts: Pick<Contacts, "reacting"> },
  scope: Scope,
  text: DefinitionText,
  { event, data, tenant }: TrialEvent,
): Promise<string> {
  const definition = savedDefinition(text);
  const contact = await contacts.reacting.find(scope, data);
  const budget = new WorkBudget();
  const trip: Trip = {
    definition,
    data,
    factsOf({ outputs, item, index }) {
      const facts = runFacts({ event, data, tenant, contact, input: null, outputs, item, index });
      // The whole test has one budget.
      facts.budget = budget;
      return facts;
    },
    shown: new Set(),
    open: [],
    lines: [],
  };
  const start: Walk = { id: definition.first, outputs: new Map(), branch: null, item: null, index: null };
  const isStarted = definition.event === event && evaluate(definition.when, trip.factsOf(start)).truth;
  if (isStarted) trip.open.push(start);
  for (const walk of trip.open) follow(trip, walk);
  return `{"object":"workflow_test","matches":${isStarted},"steps":[${trip.lines.join(",")}]}`;
}

/** A way through the steps. `branch` is the decision, the branch or the loop that it begins with; null for the first way. */
interface Walk {
  readonly id: string | null;
  readonly outputs: ReadonlyMap<string, string>;
  readonly branch: { readonly step: string; readonly way: string } | null;
  readonly item: string | null;
  readonly index: number | null;
}

interface Trip {
  readonly definition: Definition;
  readonly data: string;
  readonly factsOf: (walk: Pick<Walk, "outputs" | "item" | "index">) => Facts;
  /** The ids of the steps that have a line. */
  readonly shown: Set<string>;
  /** The ways that are still to be gone. */
  readonly open: Walk[];
  readonly lines: string[];
}

/** Adds the lines of a way. Returns the outputs of its own steps. */
function follow(trip: Trip, walk: Walk): ReadonlyMap<string, string> {
  const outputs = new Map(walk.outputs);
  const own = new Map<string, string>();
  let step = stepOf(trip.definition, walk.id);
  while (step !== undefined && !trip.shown.has(step.id)) {
    trip.shown.add(step.id);
    const at = trip.lines.push("") - 1;
    const facts = trip.factsOf({ ...walk, outputs });
    const { output, next } = hasInner(step)
      ? { output: imaginedInner(trip, { ...walk, outputs }, step), next: step.next }
      : imagined({ facts, data: trip.data }, step);
    trip.lines[at] = stepText(step, output, walk.branch);
    outputs.set(step.id, output);
    own.set(step.id, output);
    trip.open.push(...branchesOf(step, { ...walk, outputs: new Map(outputs) }));
    step = stepOf(trip.definition, next);
  }
  return own;
}

type InnerStep = ForEachStep | Extract<Step, { type: "parallel" }>;

function hasInner(step: Step): step is InnerStep {
  return step.type === "parallel" || step.type === "for_each";
}

/** Adds the lines of the branches, or of the first item. Returns the output of the whole step. */
function imaginedInner(trip: Trip, walk: Walk, step: InnerStep): string {
  const inside = (id: string | undefined, way: string, of: Partial<Walk>): string =>
    objectOf(follow(trip, { ...walk, ...of, id: id ?? null, branch: { step: step.id, way } }));
  if (step.type === "parallel") {
    const branches = step.branches.map(([first], index) => inside(first?.id, `branches.${index}`, { index }));
    return `{"branches":[${branches.join(",")}],${countsOf(branches.length)}}`;
  }
  const items = orUnfilled(
    () => itemsOf(step, trip.factsOf(walk)),
    (error) => ({ error }),
  );
  if ("error" in items) return JSON.stringify(items);
  const [item] = items;
  const first = item === undefined ? [] : [inside(step.steps[0]?.id, "items.0", { item, index: 0 })];
  return step.collects ? `{"items":[${first.join(",")}],${countsOf(items.length)}}` : `{${countsOf(items.length)}}`;
}

function countsOf(count: number): string {
  return `"count":${count},"completed":${count},"failed":0,"failures":[]`;
}

function objectOf(outputs: ReadonlyMap<string, string>): string {
  return `{${[...outputs].map(([id, output]) => `${JSON.stringify(id)}:${output}`).join(",")}}`;
}

/** Returns the ways that a decision opens besides the step's `next`. Failures are not imagined. */
function branchesOf(step: Step, walk: Walk): Walk[] {
  const ways = waysOf(step).filter(([way]) => way !== "on_failure");
  return ways.map(([way, id]) => ({ ...walk, id, branch: { step: step.id, way } }));
}

function stepText({ id, type }: Step, output: string, branch: Walk["branch"]): string {
  return `{"id":${JSON.stringify(id)},"type":"${type}","branch":${JSON.stringify(branch)},"output":${output}}`;
}

function stepOf(definition: Definition, id: string | null): Step | undefined {
  return id === null ? undefined : definition.step(id);
}

interface Imagining {
  readonly facts: Facts;
  readonly data: string;
}

function imagined(
  context: Imagining,
  step: Exclude<Step, InnerStep>,
): { readonly output: string; readonly next: string | null } {
  switch (step.type) {
    case "condition": {
      const result = evaluate(step.when, context.facts).truth;
      return { output: JSON.stringify({ result }), next: result ? step.ifSo : step.ifNot };
    }
    case "delay":
      return { output: JSON.stringify({ seconds: step.seconds }), next: step.next };
    case "webhook":
      return {
        output: `{"delivery_id":null,"url":${JSON.stringify(step.url)},"data":${filledIn(context, step.body)}}`,
        next: step.next,
      };
    case "fire_event":
      return {
        output: `{"event_id":null,"event":${JSON.stringify(step.event)},"data":${filledIn(context, step.data)}}`,
        next: step.next,
      };
    case "set":
      return { output: filledIn(context, step.values), next: step.next };
    case "wait_event":
      return { output: awaited(context, step), next: step.next };
    case "http":
      return { output: `{"http_call_id":null,"request":${stepRequest(context, step.call)}}`, next: step.next };
    case "wait_approval":
      return { output: `{"input":${approvalInput(context, step.input)}}`, next: step.next };
    default:
      return { output: `{"input":${filledIn(context, step.input)}}`, next: step.next };
  }
}

function awaited(context: Imagining, { event, match }: Extract<Step, { type: "wait_event" }>): string {
  const condition = match === null ? "null" : filledIn(context, match);
  return `{"id":null,"type":${JSON.stringify(event)},"data":null,"match":${condition}}`;
}

/** Returns the input with its texts as the approvers would see them. */
function approvalInput(context: Imagining, fill: Fill): string {
  const input = filledIn(context, fill);
  const given: unknown = parseJson(input);
  return isRecord(given) ? JSON.stringify({ ...given, ...approvalTexts(input, UNREDACTED) }) : input;
}

/** Returns the request, or the reason why the run would fail here. */
function stepRequest({ facts }: Imagining, call: HttpTemplate): string {
  return orUnfilled(
    () => fillHttpCall(call, facts),
    (error) => JSON.stringify({ error }),
  );
}

/** Fills in a template. Without one, returns the trigger's data. Returns null for a result that is too large, at which a run would fail. */
function filledIn({ facts, data }: Imagining, fill: Fill | null): string {
  return orUnfilled(
    () => (fill === null ? data : filled(fill, facts)),
    () => "null",
  );
}

/** Returns what is made from templates, or else what `failed` makes of the reason why the run would fail here. */
function orUnfilled<Result>(make: () => Result, failed: (error: string) => Result): Result {
  try {
    return make();
  } catch (error) {
    if (error instanceof FillError) return failed(`The input of the step ${error.message}.`);
    throw error;
  }
}
