import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256 } from "../../lib/lib.ts";
import { absentId, mintKey, otherWorkspace, tagOfId, uuidOf } from "../../testing/keys.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { refusal } from "../../testing/refusal.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { endDelays, makeWorkflow } from "../../testing/workflows.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";
import { startWithReceiver } from "../../testing/with-receiver.ts";

let service: TestService;
let receiver: Receiver;
let close: () => Promise<void>;
let developer: string;
beforeAll(async () => {
  ({ service, receiver, close } = await startWithReceiver(UNLIMITED));
  developer = (await mintKey(service, { role: "developer" })).key;
});
afterAll(async () => await close());

const TOKEN = "Bearer of-a-workflow-of-the-owner";
const HIDDEN = { Authorization: "[redacted]" };

function hook(headers: object = { Authorization: TOKEN }, more: object = {}): object {
  return { id: "hook", type: "webhook", url: receiver.url, headers, ...more };
}

async function revealed(path: string): Promise<unknown> {
  return (await service.api("GET", `${path}/headers`)).body["webhooks"].map((one: Parsed) => one.headers);
}

test("values of a step's headers are [redacted] in responses, sealed in storage, and sent", async () => {
  const workflow = await makeWorkflow(service, [hook()]);
  const path = `/v1/workflows/${workflow.id}`;
  const run = await workflow.fire();
  await workflow.run(run, "completed");
  expect((await receiver.count(1))[0]?.headers["authorization"]).toBe(TOKEN);
  const answers = [
    await service.api("GET", path),
    await service.api("GET", "/v1/workflows"),
    await service.api("PATCH", path, { name: "Other" }),
    await service.api("POST", `${path}/secret/regenerate`, {}),
    await service.api("POST", `${path}/test`, { event: workflow.event, data: {} }),
    await service.api("GET", `/v1/workflows/runs/${run}`),
  ];
  for (const { text } of answers) expect(text).not.toContain("of-a-workflow");
  expect(answers[0]?.body["steps"][0].headers).toEqual(HIDDEN);
  const rows = await service.database.query<{ text: string }>(
    `select v::text as text from workflow_version v union all select e::text from endpoint e union all select r::text from workflow_run r
      union all select s::text from workflow_step s`,
  );
  expect(rows.length).toBeGreaterThan(3);
  expect(rows.filter(({ text }) => text.includes("of-a-workflow"))).toEqual([]);
});

test("200: an owner can read the values, and the audit log omits them", async () => {
  const { id } = await makeWorkflow(service, [{ id: "pause", type: "delay", seconds: 1 }, hook()]);
  const answer = await service.api("GET", `/v1/workflows/${id}/headers`);
  expect(answer.body).toEqual({
    webhooks: [{ path: "/steps/1", url: receiver.url, headers: { Authorization: TOKEN } }],
  });
  const { body, text } = await service.api("GET", "/v1/audit?limit=5");
  expect(body["data"][0]).toMatchObject({ kind: "workflow", action: "workflows.headers", status: "ok" });
  expect(text).not.toContain("of-a-workflow");
});

test("401, 403, 404, 409: others are refused, and unreadable values are a conflict", async () => {
  const { id } = await makeWorkflow(service, [hook()]);
  const reveal = async (key: string | null, of = id): Promise<unknown[]> =>
    refusal(await service.api("GET", `/v1/workflows/${of}/headers`, undefined, { key }));
  expect(await reveal(null)).toEqual([401, "credentials_missing"]);
  for (const role of ["admin", "developer", "operator", "viewer"])
    expect(await reveal((await mintKey(service, { role })).key)).toEqual([403, "role_not_allowed"]);
  await service.database.query("update api_key set role = 'owner' where key_hash = $1", [sha256(service.sandboxKey)]);
  expect(await reveal(service.sandboxKey)).toEqual([403, "environment_mismatch"]);
  expect((await reveal((await otherWorkspace(service)).key))[0]).toBe(403);
  expect(await reveal(service.key, absentId({ tag: tagOfId(id) }, "wf"))).toEqual([404, "not_found"]);
  await service.database.query("update workflow_version set headers_sealed = '\\x00' where workflow_id = $1", [
    uuidOf(id),
  ]);
  expect(await reveal(service.key)).toEqual([409, "conflict"]);
});

test("a new version keeps redacted values, and an unchanged definition creates no version", async () => {
  const workflow = await makeWorkflow(service, [hook()]);
  const path = `/v1/workflows/${workflow.id}`;
  const read = async (): Promise<Parsed> => (await service.api("GET", path)).body;
  const { steps } = await read();
  for (const same of [steps, [hook()]])
    expect((await service.api("PATCH", path, { steps: same })).body["version"]).toBe(1);
  const pause = { id: "pause", type: "delay", seconds: 1 };
  expect((await service.api("PATCH", path, { steps: [pause, ...steps] })).body["version"]).toBe(2);
  expect(await revealed(path)).toEqual([{ Authorization: TOKEN }]);
  // A change of the trigger alone, and a change by another author, create versions that keep the values too.
  await service.api("PATCH", path, { trigger: { event: `${workflow.event}.other` } });
  expect((await service.api("PATCH", path, { steps: (await read()).steps }, { key: developer })).body["version"]).toBe(
    4,
  );
  // A changed value creates a version, although the definition looks the same.
  const other = await service.api("PATCH", path, { steps: [pause, hook({ Authorization: "another value" })] });
  expect([other.body["version"], await revealed(path)]).toEqual([5, [{ Authorization: "another value" }]]);
  // The values of a renamed step are kept, because it is the only one with its URL.
  await service.api("PATCH", path, { steps: [hook(HIDDEN, { id: "renamed" })] });
  expect(await revealed(path)).toEqual([{ Authorization: "another value" }]);
});

test("a run sends the values of its own version", async () => {
  const pause = { id: "pause", type: "delay", seconds: 3600 };
  const workflow = await makeWorkflow(service, [pause, hook({ "X-Version": "first" })]);
  const run = await workflow.fire();
  await workflow.run(run, "waiting");
  await service.api("PATCH", `/v1/workflows/${workflow.id}`, { steps: [pause, hook({ "X-Version": "second" })] });
  await endDelays(service);
  await service.api("POST", "/v1/events/fire", { event: "wake.up", data: {} });
  await workflow.run(run, "completed");
  expect(receiver.received.at(-1)?.headers["x-version"]).toBe("first");
});

test("422: values do not move to another URL, workflow or step", async () => {
  const two = [hook({ A: "1" }, { id: "one" }), hook({ A: "2" }, { id: "two" })];
  const { id } = await makeWorkflow(service, two);
  const path = `/v1/workflows/${id}`;
  const refused = [422, "validation_failed", "/steps/0/headers/A header_value_not_kept"];
  const kept = { A: "[redacted]" };
  const moved = await service.api("PATCH", path, { steps: [hook(kept, { id: "one", url: `${receiver.url}/thief` })] });
  expect(refusal(moved)).toEqual(refused);
  expect(refusal(await service.api("PATCH", path, { steps: [hook(kept, { id: "three" })] }))).toEqual(refused);
  const copy = { name: "Copy", trigger: { event: "copy.made" }, steps: [hook(kept)] };
  for (const key of [service.key, developer, service.sandboxKey])
    expect(refusal(await service.api("POST", "/v1/workflows", copy, { key }))).toEqual(refused);
  await service.api("PATCH", path, { steps: [hook(kept, { id: "two" })] });
  expect(await revealed(path)).toEqual([{ A: "2" }]);
});

test("a step whose values cannot be decrypted fails its run with the reason", async () => {
  const workflow = await makeWorkflow(service, [hook()]);
  await service.database.query("update workflow_version set headers_sealed = '\\x00' where workflow_id = $1", [
    uuidOf(workflow.id),
  ]);
  const run = await workflow.run(await workflow.fire(), "failed");
  expect(run.error).toContain("master key");
});
