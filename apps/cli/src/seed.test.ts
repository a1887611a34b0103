import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../service/src/testing/service.ts";
import { atTerminal, cli } from "./testing/cli.ts";
import type { Parsed, TestService } from "../../service/src/testing/test-service.ts";

let service: TestService;
let env: Record<string, string>;

beforeAll(async () => {
  service = await startService();
  env = { JUNCTION_API_KEY: service.sandboxKey, JUNCTION_BASE_URL: service.baseUrl };
});
afterAll(async () => await service.close());

async function all(path: string, key = service.sandboxKey): Promise<Parsed[]> {
  return (await service.api("GET", `${path}${path.includes("?") ? "&" : "?"}limit=100`, undefined, { key })).body.data;
}

test("seed creates a complete demo, and clear removes only that", async () => {
  const mine = await service.api(
    "POST",
    "/v1/webhook-endpoints",
    { url: "http://127.0.0.1:9/", events: ["acme.mine"], description: "Mine" },
    { key: service.sandboxKey },
  );
  const seeded = await cli(["seed"], { env });
  expect(seeded).toMatchObject({ status: 0, stderr: "" });
  expect(JSON.parse(seeded.stdout)).toMatchObject({ object: "demo", endpoints: 8, contacts: 5, proposals: 3 });

  const deliveries = "/v1/deliveries?event=demo.order.created&limit=100";
  const sandbox = { key: service.sandboxKey };
  const lights = async (): Promise<string[]> =>
    (await service.api("GET", deliveries, undefined, sandbox)).body.data.map(({ light }: Parsed) => light);
  await expect.poll(lights).toEqual(expect.arrayContaining(["green", "amber"]));
  const paid = await all("/v1/deliveries?event=demo.order.paid");
  expect(paid).toHaveLength(11);
  const made = await all("/v1/webhook-endpoints");
  const pathOf = (wanted: (one: Parsed) => boolean): string => `/v1/webhook-endpoints/${made.find(wanted)?.["id"]}`;
  const lanes = pathOf(({ ordering }) => ordering !== null);
  await expect
    .poll(async () => (await all(`${lanes}/lanes?blocked=true`)).map(({ waiting }) => waiting).toSorted())
    .toEqual([0, 0, 0, 1, 1, 1]);
  expect(await all(`${pathOf(({ kind }) => kind === "pull")}/consumers`)).toMatchObject([
    { consumer: "demo-printer", position: 5, lag: 2, lease_expires_at: null },
  ]);
  const receipts = await all("/v1/inbound-receipts");
  const kinds = Map.groupBy(receipts, ({ status }) => status as string);
  expect([...kinds].map(([status, { length }]) => [status, length]).toSorted()).toEqual([
    ["duplicate", 1],
    ["error", 1],
    ["ok", 10],
    ["unmapped", 1],
  ]);
  await expect
    .poll(async () => (await all("/v1/contacts")).filter(({ tags }) => tags.includes("demo-high-value")).length)
    .toBeGreaterThan(0);
  expect((await all("/v1/proposals?state=proposed")).map(({ action }) => action)).toHaveLength(3);

  const again = await cli(["seed"], { env });
  expect(again.status).toBe(0);
  expect(await all("/v1/webhook-endpoints")).toHaveLength(9);
  expect(await all("/v1/contacts")).toHaveLength(5);

  const cleared = await cli(["seed", "--clear"], { env });
  expect(JSON.parse(cleared.stdout)).toMatchObject({ object: "demo_cleared", endpoints: 8, contacts: 5, proposals: 3 });
  expect((await all("/v1/webhook-endpoints")).map(({ id }) => id)).toEqual([mine.body.id]);
  for (const path of ["/v1/contacts", "/v1/inbound-endpoints", "/v1/rules", "/v1/inboxes", "/v1/action-contracts"])
    expect([path, await all(path)]).toEqual([path, []]);
  expect(await all("/v1/proposals?state=proposed")).toEqual([]);
  const nothing = JSON.parse((await cli(["seed", "--clear"], { env })).stdout);
  expect(Object.values(nothing).filter((count) => typeof count === "number" && count > 0)).toEqual([]);
});

test("seed fills the live environment only with --yes, and shows its progress", async () => {
  const live = { ...env, JUNCTION_API_KEY: service.key };
  const unasked = await cli(["seed"], { env: live });
  expect(unasked).toMatchObject({ status: 64, stdout: "" });
  expect(await all("/v1/webhook-endpoints", service.key)).toEqual([]);
  expect(await ownTypes()).toEqual([]);
  const ended = await atTerminal(["seed", "--yes"], { env: live }).ended;
  expect(ended.status).toBe(0);
  expect(ended.stdout).toMatch(/█+░* +\d+ %/);
  expect(ended.stdout).toMatch(/endpoints +8/);

  const { body: type } = await service.api("GET", "/v1/event-types/demo.order.paid");
  expect(type).toMatchObject({ version: 2, enforcement: "warn", origin: "custom" });
  expect(type.reacts.filter(({ kind }: Parsed) => kind === "webhook")).toHaveLength(3);
  const paid = await all("/v1/events?event=demo.order.paid", service.key);
  expect(paid.map(({ schema_errors: faults }) => faults.length).toSorted()).toEqual([0, 0, 0, 2]);
  const reports = (await all("/v1/webhook-endpoints", service.key)).find(({ filter }) => filter !== null);
  const logged = await all(`/v1/deliveries?endpoint_id=${reports?.id}`, service.key);
  expect(logged).toHaveLength(4);

  // Only a live key can archive a type, because the sandbox shares it.
  const shared = await cli(["seed", "--clear"], { env });
  expect(shared).toMatchObject({ status: 0, stderr: "" });
  expect(JSON.parse(shared.stdout)).toMatchObject({ event_types: 0 });
  expect(await ownTypes()).toEqual(["demo.order.paid 2"]);
  expect((await cli(["seed", "--yes"], { env: live })).status).toBe(0);
  expect(await ownTypes()).toEqual(["demo.order.paid 4"]);
  const cleared = await cli(["seed", "--clear"], { env: live });
  expect(JSON.parse(cleared.stdout)).toMatchObject({ event_types: 1, endpoints: 8 });
  expect(await ownTypes()).toEqual([]);
});

async function ownTypes(): Promise<string[]> {
  const types = await all("/v1/event-types", service.key);
  return types.filter(({ origin }) => origin === "custom").map(({ name, version }) => `${name} ${version}`);
}
