import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDoomedNode } from "../../../testing/crash-node.ts";
import { uuidOf } from "../../../testing/keys.ts";
import { agentKey, callOperatorTool } from "../../../testing/operator-tools.ts";
import { startService } from "../../../testing/service.ts";
import { UNLIMITED } from "../../../testing/subscription.ts";
import type { Parsed, TestService } from "../../../testing/test-service.ts";

/** A node that serves the API and takes up no runs, and a node that takes them up and serves no API. */
let api: TestService;
let worker: TestService;
let key: string;

beforeAll(async () => {
  api = await startService({ env: { ...UNLIMITED, JUNCTION_ROLES: "api" } });
  worker = await startService({ on: api, env: { ...UNLIMITED, JUNCTION_ROLES: "worker" } });
  ({ key } = await agentKey(api, ["ops:write"]));
});
afterAll(async () => {
  await worker.close();
  await api.close();
});

async function proposed(args: Record<string, unknown>): Promise<Parsed> {
  return (await callOperatorTool(api, key, "endpoints_write", args))["structuredContent"].proposal;
}

/** Creates an endpoint without deliveries, whose results would wait for its row too. */
const endpoint = async (): Promise<string> =>
  (await api.endpoint("http://127.0.0.1:9/", { events: ["none.fired"] })).id;
const isActive = async (id: string): Promise<boolean> =>
  (await api.api("GET", `/v1/webhook-endpoints/${id}`)).body["active"];
const toggles = async (id: string): Promise<number> => {
  const { body } = await api.api("GET", "/v1/audit?action=webhook_endpoints.toggle&limit=100");
  return body["data"].filter((entry: Parsed) => JSON.stringify(entry).includes(id)).length;
};

const WAITING =
  "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~* 'endpoint'";

/** Locks an endpoint until the client ends. */
async function holding(id: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: api.database.url });
  await client.connect();
  await client.query("begin");
  await client.query("select from endpoint where id = $1 for update", [uuidOf(id)]);
  return client;
}

/** Ends the leases that the lost node had, as after their time. */
async function leasesOver(runId: string): Promise<void> {
  await api.database.query("update idempotency set leased_until = now() - interval '1 second' where key = $1", [
    `operator-${runId}`,
  ]);
  await api.database.query("update action_run set due_at = now() where id = $1", [uuidOf(runId)]);
}

test("the worker does an approved write in which the other node was killed", async () => {
  const id = await endpoint();
  const { id: proposalId, params_hash: hash } = await proposed({ action: "toggle", id });
  const doomed = await startDoomedNode(api);
  const holder = await holding(id);
  const approval = fetch(`${doomed.baseUrl}/v1/proposals/${proposalId}/approve`, {
    method: "POST",
    headers: { Authorization: `Bearer ${api.key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ params_hash: hash }),
  }).catch(() => undefined);
  await expect.poll(async () => (await api.database.query(WAITING)).length).toBe(1);
  await doomed.kill();
  await approval;
  await holder.end();
  const { run_id: runId, state } = (await api.api("GET", `/v1/proposals/${proposalId}`)).body;
  expect([state, await isActive(id)]).toEqual(["executing", true]);
  await leasesOver(runId);
  const run = await api.until(`/v1/runs/${runId}`, ({ status }) => status !== "executing");
  expect([run.status, run.result]).toEqual(["executed", expect.objectContaining({ id, active: false })]);
  expect([await isActive(id), await toggles(id)]).toEqual([false, 1]);
});

test("a write that was done before its node was lost is not done again", async () => {
  const id = await endpoint();
  const { id: proposalId, params_hash: hash } = await proposed({ action: "toggle", id });
  const { body } = await api.api("POST", `/v1/proposals/${proposalId}/approve`, { params_hash: hash });
  const { id: runId, result } = body["run"];
  const again =
    "update action_run set status = 'executing', ended_at = null, lease_id = null, result_redacted = null where id = $1";
  await api.database.query(again, [uuidOf(runId)]);
  await api.database.query("update action_proposal set state = 'executing', ended_at = null where id = $1", [
    uuidOf(proposalId),
  ]);
  await leasesOver(runId);
  const run = await api.until(`/v1/runs/${runId}`, ({ status }) => status !== "executing");
  expect([run.status, run.result]).toEqual(["executed", result]);
  expect([await isActive(id), await toggles(id)]).toEqual([false, 1]);
});
