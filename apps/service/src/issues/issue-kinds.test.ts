import { afterAll, beforeAll, expect, test } from "vitest";
import { actionOn, runOf } from "../testing/actions.ts";
import { runConnector } from "../testing/connector-runs.ts";
import { inboundBody, makeSource, MAPPING } from "../testing/inbound.ts";
import type { TestSource } from "../testing/inbound.ts";
import type { RawAnswer } from "../testing/raw-http.ts";
import { insertIssue } from "../testing/issues.ts";
import { mintKey, uuidOf } from "../testing/keys.ts";
import { startReceiver } from "../testing/receiver.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const issuesOf = async (object: string): Promise<Parsed[]> =>
  (await service.api("GET", `/v1/issues?object_id=${encodeURIComponent(object)}`)).body["data"] as Parsed[];

async function issueIn(object: string, state: string): Promise<Parsed> {
  await expect
    .poll(async () => (await issuesOf(object)).map((one) => one["state"]), { timeout: 30_000 })
    .toEqual([state]);
  const [issue] = await issuesOf(object);
  if (issue === undefined) throw new Error("the issue is gone");
  return issue;
}

/** Sends a request whose signature is wrong. */
async function refused(source: TestSource): Promise<RawAnswer> {
  return await source.sendAs({ "X-Service-Inbound-Signature": "0".repeat(64) }, inboundBody());
}

async function judged(): Promise<void> {
  const waiting = async (): Promise<number> => (await service.database.query("select 1 from issue_report")).length;
  await expect.poll(waiting, { timeout: 30_000 }).toBe(0);
}

test("a source whose requests are refused has an issue until five are accepted", async () => {
  const source = await makeSource(service, MAPPING);
  for (let n = 0; n < 3; n += 1) expect((await refused(source)).status).toBe(401);
  const issue = await issueIn(source.id, "open");
  expect(issue).toMatchObject({ kind: "source", fingerprints: [{ code: "signature_invalid", count: 3 }] });
  expect(issue["sample"]).toMatchObject({ receipt_id: expect.stringContaining("rcp_") });
  expect((await service.api("POST", `/v1/issues/${issue["id"]}/replay`, {})).body).toMatchObject({ code: "conflict" });
  for (let n = 0; n < 5; n += 1) expect((await source.send(inboundBody({ id: `evt-${n}` }))).status).toBe(200);
  await issueIn(source.id, "resolved");
});

test("a deleted source ends its issue", async () => {
  const source = await makeSource(service, MAPPING);
  for (let n = 0; n < 3; n += 1) await refused(source);
  await issueIn(source.id, "open");
  expect((await service.api("DELETE", `/v1/inbound-endpoints/${source.id}`)).status).toBe(204);
  expect(await issueIn(source.id, "resolved")).toMatchObject({ resolved_by: "deletion" });
});

test("an action whose runs fail has an issue until five succeed", async () => {
  const receiver = await startReceiver();
  receiver.status(500);
  const action = await actionOn(service, receiver, {});
  const runs = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) await runOf(service, action, { parameters: { order: `o-${n}` } });
    await judged();
  };
  await runs(3);
  expect(await issueIn(action, "open")).toMatchObject({
    kind: "action",
    object_id: action,
    object_name: action,
    fingerprints: [{ code: "500", count: 3 }],
    sample: { run_id: expect.stringContaining("run_") },
  });
  receiver.answer((response) => response.writeHead(200, { "Content-Type": "application/json" }).end("{}"));
  await runs(5);
  await issueIn(action, "resolved");
  await receiver.close();
});

test("an action that is deleted ends its issue", async () => {
  const receiver = await startReceiver();
  receiver.status(500);
  const action = await actionOn(service, receiver, {});
  for (let n = 0; n < 3; n += 1) await runOf(service, action, { parameters: { order: `o-${n}` } });
  await issueIn(action, "open");
  expect((await service.api("DELETE", `/v1/action-contracts/${action}`)).status).toBe(204);
  await expect.poll(async () => (await issuesOf(action))[0]?.["resolved_by"], { timeout: 25_000 }).toBe("deletion");
  await receiver.close();
});

test("a connector whose calls fail has an issue", async () => {
  const connector = await runConnector(service, {
    members: `subscribers() { return { "test.broken": ["hear"] }; } async hear(event) { throw new Error("no answer to " + event.id); }`,
    description: { events: ["test.broken"] },
  });
  for (let n = 0; n < 3; n += 1) await service.fire("test.broken", { n });
  await connector.until((run) => run.outcome === "threw", 3);
  expect(await issueIn(connector.key, "open")).toMatchObject({
    kind: "connection",
    object_id: connector.key,
    object_name: connector.key,
    fingerprints: [{ code: "threw", message: expect.stringContaining("no answer to <id>") }],
  });
  await connector.disable();
});

test("a tenant's key sees its endpoints' issues without the owner, and changes none", async () => {
  const own = await service.endpoint("http://127.0.0.1:9/", { events: ["a.b"], tenant: "acme" });
  const other = await service.endpoint("http://127.0.0.1:9/", { events: ["a.b"], tenant: "globex" });
  const [mine, theirs] = [await insertIssue(service, own.id), await insertIssue(service, other.id)];
  const me = ((await service.api("GET", "/v1/members")).body["data"] as Parsed[])[0]?.["id"];
  await service.api("PATCH", `/v1/issues/${mine}`, { owner: me });
  const { key } = await mintKey(service, { tenant: "acme" });
  const seen = (await service.api("GET", "/v1/issues", undefined, { key })).body["data"] as Parsed[];
  expect(seen.map(({ id, owner }) => [id, owner])).toEqual([[mine, null]]);
  expect((await service.api("GET", `/v1/issues/${theirs}`, undefined, { key })).status).toBe(404);
  expect((await service.api("PATCH", `/v1/issues/${mine}`, { state: "resolved" }, { key })).status).toBe(403);
});

test("issues are counted by the attention list and the metrics", async () => {
  const endpoint = await service.endpoint("http://127.0.0.1:9/", { events: ["a.b"] });
  const id = await insertIssue(service, endpoint.id);
  const { issues } = (await service.api("GET", "/v1/attention")).body as { issues: Parsed };
  expect(issues["ids"]).toContain(id);
  const before = issues["count"] as number;
  await service.api("PATCH", `/v1/issues/${id}`, { state: "ignored" });
  expect((await service.api("GET", "/v1/attention")).body["issues"]).toMatchObject({
    count: before - 1,
    capped: false,
  });
  expect((await service.api("GET", "/metrics")).text).toMatch(/junction_open_issues\{kind="delivery"\} \d/);
});

test("the deletion of a tenant deletes its issues and its counts in others", async () => {
  const own = await service.endpoint("http://127.0.0.1:9/", { events: ["a.b"], tenant: "leaving" });
  const shared = await service.endpoint("http://127.0.0.1:9/", { events: ["a.b"] });
  const [mine, others] = [await insertIssue(service, own.id), await insertIssue(service, shared.id)];
  await service.database.query(
    `insert into issue_tenant (bucket, tag, issue_id, tenant, count, last_seen_at)
      select bucket, tag, id, 'leaving', 2, now() - interval '1 second' from issue where id = $1`,
    [uuidOf(others)],
  );
  expect((await service.api("DELETE", "/v1/tenants/leaving")).status).toBe(202);
  // Without the minute in which requests that began before it end.
  const left = async (): Promise<unknown> => {
    await service.database.query(
      "update tenant_deletion set due_at = now() where phase = 'deliveries' and due_at > now()",
    );
    return (await service.api("GET", "/v1/tenants/leaving")).body["deletion"]?.["state"];
  };
  await expect.poll(left, { timeout: 30_000 }).toBe("finished");
  expect((await service.api("GET", `/v1/issues/${mine}`)).status).toBe(404);
  expect((await service.api("GET", `/v1/issues/${others}`)).body).toMatchObject({ tenants: [] });
});
