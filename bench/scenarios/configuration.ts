import { performance } from "node:perf_hooks";
import { startStage } from "../stage.ts";
import type { Stage } from "../stage.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const OBJECTS = 5000;
const CHANGED = 50;
const URL = "http://127.0.0.1:9/hook";

/** The time of plans of a configuration with 5,000 objects: with few changes, and in an empty workspace. */
export async function configuration(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench);
  const whole = objects("New");
  const first = await timed(async () => await planOf(stage, whole));
  const applied = await timed(async () => await stage.post(`/v1/configuration/plans/${first.made.id}/apply`, {}));
  const changed = {
    ...whole,
    rules: objects("Changed").rules.map((one, at) => (at < CHANGED ? one : whole.rules[at])),
  };
  const few = await timed(async () => await planOf(stage, changed));
  if (few.made.update.length !== CHANGED) throw new Error(`the plan has ${few.made.update.length} changes`);
  return [
    row(`Plan of 5 000 objects, ${CHANGED} changed`, few.ms, "ms", { goal: { atMost: 3000 } }),
    row("Plan of 5 000 objects in an empty workspace", first.ms, "ms"),
    row("Application of that plan", applied.ms, "ms"),
  ];
}

interface Plan {
  readonly id: string;
  readonly update: readonly unknown[];
}

async function planOf(stage: Stage, given: object): Promise<Plan> {
  return await stage.post<Plan>("/v1/configuration/plans", { configuration: given });
}

async function timed<Made>(work: () => Promise<Made>): Promise<{ readonly made: Made; readonly ms: number }> {
  const begun = performance.now();
  const made = await work();
  return { made, ms: performance.now() - begun };
}

function objects(description: string) {
  const numbers = [...Array(OBJECTS / 4).keys()];
  return {
    version: 1,
    workflows: numbers.map((at) => ({
      name: `Workflow ${at}`,
      trigger: { event: `bench.${at}` },
      steps: [{ id: "pause", type: "delay", seconds: 60 }],
    })),
    rules: numbers.map((at) => ({
      name: `Rule ${at}`,
      on: [`bench.${at}`],
      when: { field: "data.total", op: "gt", value: at },
      then: [
        { type: "add_tag", tag: description },
        { type: "start_workflow", workflow: `Workflow ${at}` },
      ],
    })),
    sources: numbers.map((at) => ({ name: `Source ${at}`, event_type_path: "$.type", description: "A source" })),
    endpoints: numbers.map((at) => ({
      name: `Endpoint ${at}`,
      url: `${URL}/${at}`,
      events: [`bench.${at}`, "order.*"],
    })),
  };
}
