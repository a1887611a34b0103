import { holds } from "./condition.ts";
import { savedDefinition } from "./definition.ts";
import type { Definition, DefinitionText, Step } from "./definition.ts";
import { factsOf } from "./facts.ts";
import type { Facts } from "./facts.ts";
import { dataOf, inputOf } from "./steps.ts";

interface Event {
  readonly event: string;
  /** JSON text. */
  readonly data: string;
}

/** What a run would do, as JSON text, if every delivery succeeded. Outputs that only a run knows, such as ids, are null. */
export function dryRun(text: DefinitionText, { event, data }: Event): string {
  const definition = savedDefinition(text);
  const outputs = new Map<string, string>();
  const facts = factsOf({ event, data, input: null, outputs });
  const isStarted = definition.event === event && holds(definition.when, facts);
  const steps: string[] = [];
  let id = isStarted ? definition.first : null;
  for (let step = stepOf(definition, id); step !== undefined; step = stepOf(definition, id)) {
    const { output, next } = imagined({ definition, facts, data }, step);
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
  readonly definition: Definition;
  readonly facts: Facts;
  readonly data: string;
}

function imagined(of: Imagining, step: Step): { readonly output: string; readonly next: string | null } {
  switch (step.type) {
    case "condition": {
      const result = holds(step.when, of.facts);
      return { output: JSON.stringify({ result }), next: result ? step.ifSo : step.ifNot };
    }
    case "delay":
      return { output: JSON.stringify({ seconds: step.seconds }), next: step.next };
    case "webhook":
      return {
        output: `{"delivery_id":null,"url":${JSON.stringify(step.url)},"data":${dataOf(of, step)}}`,
        next: step.next,
      };
    case "fire_event":
      return {
        output: `{"event_id":null,"event":${JSON.stringify(step.event)},"data":${dataOf(of, step)}}`,
        next: step.next,
      };
    default:
      return { output: `{"input":${inputOf(of, step)}}`, next: step.next };
  }
}
