import type { IdPrefix } from "../lib/lib.ts";
import { absentId, tagOfId, uuidOf } from "./keys.ts";
import type { TestService } from "./test-service.ts";

type Args = Record<string, unknown>;
type Make = (service: TestService) => Promise<Args> | Args;

const workflowArgs = {
  name: "Test",
  trigger: { event: "test.workflow", when: { field: "data.total", op: "gt", value: 1 } },
  steps: [{ id: "pause", type: "delay", seconds: 3600 }],
};
/** The rows of testing/calls.ts for workflows. */
export const workflowCalls: Readonly<Record<string, { readonly good: Make; readonly bad: Make }>> = {
  "workflows.create": {
    good: () => workflowArgs,
    bad: () => ({ ...workflowArgs, steps: [{ id: "hook", type: "webhook", url: "http://10.0.0.1/" }] }),
  },
  "workflows.list": { good: () => ({ limit: 1 }), bad: () => ({ limit: 0 }) },
  "workflows.get": { good: freshWorkflow, bad: noWorkflow },
  "workflows.schedule": { good: scheduledWorkflow, bad: freshWorkflow },
  "workflows.update": {
    good: async (service) => ({ ...(await freshWorkflow(service)), name: "renamed", enabled: false }),
    bad: async (service) => ({ ...(await freshWorkflow(service)), trigger: { event: "a..b" } }),
  },
  "workflows.delete": { good: freshWorkflow, bad: noWorkflow },
  "workflows.promote": {
    good: async (service) => ({
      id: (await service.api("POST", "/v1/workflows", workflowArgs, { key: service.sandboxKey })).body.id,
    }),
    bad: noWorkflow,
  },
  "workflows.headers": { good: freshWorkflow, bad: noWorkflow },
  "workflows.secret": { good: freshWorkflow, bad: noWorkflow },
  "workflows.secret.regenerate": {
    good: freshWorkflow,
    bad: async (service) => ({ ...(await freshWorkflow(service)), overlap_seconds: -1 }),
  },
  "workflows.test": {
    good: async (service) => ({ ...(await freshWorkflow(service)), event: "test.workflow", data: { total: 1.5 } }),
    bad: async (service) => ({ ...(await noWorkflow(service)), event: "test.workflow", data: {} }),
  },
  "workflows.runs.list": {
    good: async (service) => {
      const { id, run } = await workflowWithRun(service);
      return { id, state: "failed", parent_run_id: run };
    },
    bad: async (service) => ({ ...(await freshWorkflow(service)), state: "lost" }),
  },
  "workflows.runs.get": { good: freshRun, bad: async (service) => await absent(service, "wfr") },
  "workflows.runs.cancel": { good: freshRun, bad: async (service) => await absent(service, "wfr") },
};

async function absent(service: TestService, prefix: IdPrefix): Promise<Args> {
  return { id: absentId({ tag: tagOfId((await service.fire()).id) }, prefix) };
}

async function freshWorkflow(service: TestService): Promise<Args> {
  return { id: (await service.api("POST", "/v1/workflows", workflowArgs)).body.id };
}

async function scheduledWorkflow(service: TestService): Promise<Args> {
  const trigger = { schedule: { cron: "0 9 * * MON", time_zone: "Europe/Berlin" } };
  return { id: (await service.api("POST", "/v1/workflows", { ...workflowArgs, trigger })).body.id };
}

async function noWorkflow(service: TestService): Promise<Args> {
  return await absent(service, "wf");
}

/** Creates a run that waits at a delay, which does not continue in the background. */
async function freshRun(service: TestService): Promise<Args> {
  return { id: (await workflowWithRun(service)).run };
}

async function workflowWithRun(service: TestService): Promise<{ readonly id: unknown; readonly run: unknown }> {
  const { id: workflowId } = await freshWorkflow(service);
  const { id } = await absent(service, "wfr");
  await service.database.query(
    `insert into workflow_run (bucket, tag, id, workspace_id, workflow_id, version, event_id, event_name, data, occurred_at, chain, state, step, due_at)
       select k.bucket, k.tag, $1, k.id, $2, 1, $1, 'test.workflow', '{}', now(), '{}', 'waiting', 'pause', now() + interval '1 hour'
       from workspace k where k.tag = $3`,
    [uuidOf(String(id)), uuidOf(String(workflowId)), tagOfId(String(id))],
  );
  return { id: workflowId, run: id };
}
