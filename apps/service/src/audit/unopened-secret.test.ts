import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { readScope, record, RUN } from "../testing/audit.ts";
import { runConnector, SECRET } from "../testing/connector-runs.ts";
import { registerContract } from "../testing/contracts.ts";
import { freePort, startProcess } from "../testing/process.ts";
import { MASTER_KEY, startService } from "../testing/service.ts";
import type { TestService } from "../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

/** Returns the columns whose secrets are redacted. */
async function watched(): Promise<{ readonly table: string; readonly column: string }[]> {
  return await service.database.query(
    `select c.relname as table, a.attname as column from pg_trigger t join pg_class c on c.oid = t.tgrelid
      join pg_attribute a on a.attrelid = c.oid and a.attnum = any(t.tgattr::int2[])
      where t.tgname = 'secret_changed' and a.attname like '%\\_sealed' and not c.relispartition order by 1, 2`,
  );
}

/** Stores a value in each of these columns. */
async function keepSecrets(): Promise<void> {
  const webhook = { url: "http://127.0.0.1:9/", headers: { Authorization: "Bearer of theirs" } };
  const endpoint = await service.endpoint(webhook.url, {
    events: ["test.nothing"],
    headers: webhook.headers,
    signatures: ["service", "standard", "ed25519"],
  });
  await service.api("POST", `/v1/webhook-endpoints/${endpoint.id}/secret/regenerate`, { overlap_seconds: 60 });
  const source = await service.api("POST", "/v1/inbound-endpoints", { name: "S", secret: "dictated by them" });
  const renew = `/v1/inbound-endpoints/${source.body["id"]}/secret/regenerate`;
  await service.api("POST", renew, { secret: "dictated again", overlap_seconds: 60 });
  await service.api("PUT", "/v1/secrets/lost", { value: "what the backend wants" });
  const contract = await registerContract(service);
  await service.api("POST", `/v1/action-contracts/${contract["key"]}/secret/regenerate`, { overlap_seconds: 60 });
  await service.api("POST", "/v1/keys", { name: "signs", permission_mode: "all", signing_secret: true });
  const rule = await service.api("POST", "/v1/rules", {
    name: "Posts",
    on: ["rule.posts"],
    then: [{ type: "post_webhook", ...webhook }],
  });
  await service.api("POST", `/v1/rules/${rule.body["id"]}/secret/regenerate`, { overlap_seconds: 60 });
  await service.api("POST", `/v1/rules/${rule.body["id"]}/secret/regenerate`, { overlap_seconds: 60 });
  await service.api("POST", "/v1/workflows", {
    name: "Posts",
    trigger: { event: "workflow.posts" },
    steps: [{ id: "post", type: "webhook", ...webhook }],
  });
  await runConnector(service, { members: "", settings: { base_url: "http://127.0.0.1:9/", api_key: SECRET } });
}

test("a secret that cannot be decrypted blocks no audited write, and others are redacted", async () => {
  await keepSecrets();
  const columns = await watched();
  expect(columns.length).toBeGreaterThan(8);
  for (const { table, column } of columns) {
    const [changed] = await service.database.query<{ n: number }>(
      `with changed as (update ${table} set ${column} = set_byte(${column}, 20, get_byte(${column}, 20) # 255)
        where ${column} is not null returning 1) select count(*)::int as n from changed`,
    );
    expect([table, column, changed?.n]).not.toEqual([table, column, 0]);
  }
  const node = startProcess(
    { DATABASE_URL: service.database.url, JUNCTION_MASTER_KEY: MASTER_KEY, JUNCTION_LOG_LEVEL: "info" },
    await freePort(),
  );
  onTestFinished(async () => await node.kill());
  await node.ready();
  for (const value of ["found later", "found at last"]) {
    const answer = await fetch(`${node.baseUrl}/v1/secrets/found`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ value }),
    });
    expect([answer.status < 300, await answer.text()]).toEqual([true, expect.any(String)]);
  }
  const [place] = await service.database.query<{ text: string }>(
    "select 'endpoint:' || id as text from endpoint limit 1",
  );
  // Both of its secrets have the same place, which is logged once, and so have its keys.
  expect(node.output().split(String(place?.text)).length - 1).toBe(2);
  const [id = ""] = await record(service, await readScope(service), {
    ...RUN,
    prompt: "found at last | what the backend wants",
  });
  const { text } = await service.api("GET", `/v1/audit/${id}`);
  expect(text).toContain("[redacted] | what the backend wants");
});
