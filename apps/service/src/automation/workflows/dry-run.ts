import { evaluate, FillError, filled } from "../expressions/conditions.ts";
import type { Facts, Fill } from "../expressions/conditions.ts";
import type { Contacts } from "../../contacts/contacts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { fillHttpCall } from "../http-calls/fill.ts";
import type { HttpTemplate } from "../http-calls/template.ts";
import { savedDefinition } from "./definition.ts";
import type { Definition, DefinitionText, Step } from "./definition.ts";
import { runFacts } from "./facts.ts";

interface Event {
  readonly event: string;
  /** JSON text. */
  readonly data: string;
}

/** Returns the steps of a possible run, as JSON text, if every delivery succeeded. Values that only a run knows, such as ids, are null. Reads the current contact. */
export async function dryRun(
  { contacts }: { readonly contacts: Pick<Contacts, "reacting"> },
  scope: Scope,
  text: DefinitionText,
  { event, data }: Event,
): Promise<string> {
  const definition = savedDefinition(text);
  const contact = await contacts.reacting.find(scope, data);
  const outputs = new Map<string, string>();
  const factsNow = (): Facts => runFacts({ event, data, contact, input: null, outputs });
  const isStarted = definition.event === event && evaluate(definition.when, factsNow()).truth;
  const steps: string[] = [];
  let id = isStarted ? definition.first : null;
  for (let step = stepOf(definition, id); step !== undefined; step = stepOf(definition, id)) {
    const { output, next } = imagined({ facts: factsNow(), data }, step);
    outputs.set(step.id, output);
    steps.push(`{"id":${JSON.stringify(step.id)},"type":"${step.type}","output":${output}}`);
    id = next;
  }
  return `{"object":"workflow_test","matches":${isStarted},"steps":[${steps.join(",")}]}`;
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
    case "http":
      return { output: `{"http_call_id":null,"request":${requestOf(context, step.call)}}`, next: step.next };
    default:
      return { output: `{"input":${filledIn(context, step.input)}}`, next: step.next };
  }
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
