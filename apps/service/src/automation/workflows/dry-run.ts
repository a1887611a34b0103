import { evaluate, FillError, filled } from "../../events/events.ts";
import type { Facts, Fill } from "../../events/events.ts";
import { isRecord } from "../../lib/lib.ts";
import type { Contacts } from "../../contacts/contacts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { fillHttpCall } from "../http-calls/fill.ts";
import type { HttpTemplate } from "../http-calls/template.ts";
import { approvalTexts, UNREDACTED } from "./approval-texts.ts";
import { savedDefinition } from "./definition.ts";
import type { Definition, DefinitionText, Step } from "./definition.ts";
import { runFacts } from "./facts.ts";
import { waysOf } from "./step.ts";

interface Event {
  readonly event: string;
  /** JSON text. */
  readonly data: string;
}

/**
 * Returns the steps of a possible run, as JSON text, if every delivery succeeded and every decision was an approval, followed by the
 * steps of the other decisions. Values that only a run knows, such as ids, are null. Reads the
 * current contact.
 */
export async function dryRun(
  { contacts }: { readonly contacts: Pick<Contacts, "reacting"> },
  scope: Scope,
  text: DefinitionText,
  { event, data }: Event,
): Promise<string> {
  const definition = savedDefinition(text);
  const contact = await contacts.reacting.find(scope, data);
  const factsOf = (outputs: ReadonlyMap<string, string>): Facts =>
    runFacts({ event, data, contact, input: null, outputs });
  const isStarted = definition.event === event && evaluate(definition.when, factsOf(new Map())).truth;
  const steps: string[] = [];
  const shown = new Set<string>();
  const walks: Walk[] = isStarted ? [{ id: definition.first, outputs: new Map(), branch: null }] : [];
  for (const walk of walks) {
    const outputs = new Map(walk.outputs);
    let step = stepOf(definition, walk.id);
    while (step !== undefined && !shown.has(step.id)) {
      const { output, next } = imagined({ facts: factsOf(outputs), data }, step);
      shown.add(step.id);
      outputs.set(step.id, output);
      steps.push(stepText(step, output, walk.branch));
      walks.push(...branchesOf(step, outputs));
      step = stepOf(definition, next);
    }
  }
  return `{"object":"workflow_test","matches":${isStarted},"steps":[${steps.join(",")}]}`;
}

/** A way through the steps. `branch` is the decision that it begins with; null for the first way. */
interface Walk {
  readonly id: string | null;
  readonly outputs: ReadonlyMap<string, string>;
  readonly branch: { readonly step: string; readonly way: string } | null;
}

/** Returns the ways that a decision opens besides the step's `next`. Failures are not imagined. */
function branchesOf(step: Step, outputs: ReadonlyMap<string, string>): Walk[] {
  const ways = waysOf(step).filter(([way]) => way !== "on_failure");
  return ways.map(([way, id]) => ({ id, outputs: new Map(outputs), branch: { step: step.id, way } }));
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

function imagined(context: Imagining, step: Step): { readonly output: string; readonly next: string | null } {
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
      return { output: `{"http_call_id":null,"request":${requestOf(context, step.call)}}`, next: step.next };
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
  const given: unknown = JSON.parse(input);
  return isRecord(given) ? JSON.stringify({ ...given, ...approvalTexts(input, UNREDACTED) }) : input;
}

/** Returns the request, or the reason why the run would fail here. */
function requestOf({ facts }: Imagining, call: HttpTemplate): string {
  try {
    return fillHttpCall(call, facts);
  } catch (error) {
    if (error instanceof FillError) return JSON.stringify({ error: `The input of the step ${error.message}.` });
    throw error;
  }
}

/** Fills in a template. Without one, returns the trigger's data. Returns null for a result that is too large, at which a run would fail. */
function filledIn({ facts, data }: Imagining, fill: Fill | null): string {
  try {
    return fill === null ? data : filled(fill, facts);
  } catch (error) {
    if (error instanceof FillError) return "null";
    throw error;
  }
}
