import type { Parsed, TestService } from "./test-service.ts";

export interface TestWorkflow {
  readonly id: string;
  readonly secret: string;
  /** The event that only this workflow subscribes to. */
  readonly event: string;
  /** Fires its event. Returns the id of the started run. */
  fire(data?: unknown): Promise<string>;
  /** Returns the run once it has this state. */
  run(id: string, state: string): Promise<Parsed>;
}

let workflows = 0;

/** Creates a workflow with a new event. */
export async function makeWorkflow(
  service: TestService,
  steps: readonly object[],
  { when, ...more }: Record<string, unknown> = {},
): Promise<TestWorkflow> {
  workflows += 1;
  const event = `workflow.test-${workflows}`;
  const trigger = when === undefined ? { event } : { event, when };
  const made = await service.api("POST", "/v1/workflows", { name: "Test", trigger, steps, ...more });
  if (made.status !== 201) throw new Error(`no workflow: ${made.text}`);
  const { id, signing_secret: secret } = made.body;
  return {
    id,
    secret,
    event,
    async fire(data = { order: { id: "ord_1" } }) {
      const fired = await service.fire(event, data);
      const started = (body: Parsed): Parsed => body.data.find((run: Parsed) => run.event_id === fired.id);
      const runs = await service.until(`/v1/workflows/${id}/runs`, (body) => started(body) !== undefined);
      return started(runs).id;
    },
    run: async (runId, state) => await service.until(`/v1/workflows/runs/${runId}`, (body) => body.state === state),
  };
}

/** Makes the delays of all runs due. */
export async function endDelays(service: TestService): Promise<void> {
  await service.database.query("update workflow_run set due_at = now() where state = 'waiting' and due_at is not null");
}

/** Returns each step of a run with its state. */
export function stepStates(run: Parsed): string[] {
  return run.steps.map((step: Parsed) => `${step.id} ${step.state}`);
}
