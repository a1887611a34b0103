import { afterAll, beforeAll, expect, test } from "vitest";
import { dump } from "../../testing/dump.ts";
import { uuidOf } from "../../testing/keys.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import { freePort, startProcess } from "../../testing/process.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { freshEvent } from "../../testing/rules.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let receiver: Receiver;
const running: TestService[] = [];
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  for (const service of running.toReversed()) await service.close();
});

async function started(on?: TestService): Promise<TestService> {
  const service = await startService({ env: UNLIMITED, ...(on === undefined ? {} : { on }) });
  running.push(service);
  return service;
}

const OLD = "value-that-an-old-version-wrote";

interface Planted {
  readonly endpoint: string;
  readonly rule: string;
  readonly workflow: string;
  readonly events: Readonly<Record<"endpoint" | "rule" | "workflow", string>>;
}

/** Creates an endpoint, a rule and a workflow, and stores them like the previous version: with values in plain text. */
async function plant(service: TestService): Promise<Planted> {
  const events = { endpoint: freshEvent(), rule: freshEvent(), workflow: freshEvent() };
  const { url } = receiver;
  const make = async (path: string, body: object): Promise<string> =>
    (await service.api("POST", path, body)).body["id"];
  const endpoint = await make("/v1/webhook-endpoints", { url, events: [events.endpoint], headers: { "X-Old": "1" } });
  const then = [{ type: "post_webhook", url, headers: { "X-Old": "1" } }];
  const rule = await make("/v1/rules", { name: "Old", on: [events.rule], then });
  const trigger = { event: events.workflow };
  const steps = [{ id: "a", type: "webhook", url, headers: { "X-Old": "1" } }];
  const workflow = await make("/v1/workflows", { name: "Old", trigger, steps });
  await service.api("PATCH", `/v1/workflows/${workflow}`, {
    trigger,
    steps: [...steps, { id: "b", type: "delay", seconds: 1 }],
  });
  // Creates the channel's endpoint with the fingerprint of that version.
  await service.fire(events.rule);
  await receiver.count(receiver.received.length + 1);
  await service.database.query(`update endpoint set headers = '{"X-Old": "${OLD}"}', headers_sealed = null`);
  await service.database.query("update channel_endpoint set fingerprint = sha256(fingerprint)");
  for (const [table, column] of [
    ["rule", "actions"],
    ["workflow_version", "steps"],
  ])
    await service.database.query(
      `update ${table} set ${column} = replace(${column}, '[redacted]', '${OLD}'), headers_sealed = null`,
    );
  // A process caches what it compiled from a version.
  await service.database.query("update rule set version = version + 1");
  return { endpoint, rule, workflow, events };
}

async function plainTables(service: TestService): Promise<string[]> {
  return [...(await dump(service))].filter(([, text]) => text.includes(OLD)).map(([name]) => name);
}

async function expectSealed(service: TestService, { endpoint, rule, workflow, events }: Planted): Promise<void> {
  expect(await plainTables(service)).toEqual([]);
  const reveal = async (path: string): Promise<Parsed> => (await service.api("GET", `${path}/headers`)).body;
  expect(await reveal(`/v1/webhook-endpoints/${endpoint}`)).toEqual({ headers: { "X-Old": OLD } });
  for (const path of [`/v1/rules/${rule}`, `/v1/workflows/${workflow}`])
    expect((await reveal(path)).webhooks.map((one: Parsed) => one.headers)).toEqual([{ "X-Old": OLD }]);
  const before = receiver.received.length;
  for (const event of Object.values(events)) await service.fire(event);
  const sent = (await receiver.count(before + 3)).slice(before);
  expect(sent.map(({ headers }) => headers["x-old"])).toEqual([OLD, OLD, OLD]);
}

test("plain text values are hidden, still work, and are sealed at start", async () => {
  const service = await started();
  const planted = await plant(service);
  expect((await plainTables(service)).toSorted()).toEqual(["endpoint", "rule", "workflow_version"]);
  for (const path of [
    `/v1/webhook-endpoints/${planted.endpoint}`,
    `/v1/rules/${planted.rule}`,
    `/v1/workflows/${planted.workflow}`,
  ]) {
    const { text } = await service.api("GET", path);
    expect([text.includes(OLD), text.includes("[redacted]")]).toEqual([false, true]);
  }
  const versions = "select version from rule union all select version from workflow order by 1";
  const before = await service.database.query(versions);
  const again = await started(service);
  await expectSealed(again, planted);
  // The versions of the rule and the workflow are unchanged, and so is their endpoint.
  expect(await service.database.query(versions)).toEqual(before);
  const channels = "select count(*)::int as n from endpoint where channel_id = $1";
  expect(await service.database.query(channels, [uuidOf(planted.rule)])).toEqual([{ n: 1 }]);
});

test("nodes that start together, or are killed, seal each value once", async () => {
  const service = await started();
  const planted = await plant(service);
  await service.database.query(
    `insert into endpoint (bucket, tag, id, workspace_id, url, events, headers)
      select bucket, tag, gen_random_uuid(), workspace_id, url, '{}', headers
      from endpoint, generate_series(1, 900) where id = $1`,
    [uuidOf(planted.endpoint)],
  );
  const left = async (): Promise<number> =>
    (await service.database.query("select id from endpoint where headers_sealed is null")).length;
  const killed = startProcess(
    { ...UNLIMITED, DATABASE_URL: service.database.url, JUNCTION_MASTER_KEY: MASTER_KEY },
    await freePort(),
  );
  await expect.poll(left, { interval: 1, timeout: 60_000 }).toBeLessThan(800);
  await killed.kill();
  expect(await left()).toBeGreaterThan(0);
  await Promise.all([started(service), started(service), started(service)]);
  expect(await left()).toBe(0);
  await expectSealed(service, planted);
});
