import { afterAll, beforeAll, expect, test } from "vitest";
import { webhooks } from "../../../sdks/node/src/index.ts";
import { pullEndpoint } from "../../service/src/testing/pull-endpoint.ts";
import { startReceiver } from "../../service/src/testing/receiver.ts";
import { startService } from "../../service/src/testing/service.ts";
import { UNLIMITED } from "../../service/src/testing/subscription.ts";
import { atTerminal, cli, start } from "./testing/cli.ts";
import type { Parsed, TestService } from "../../service/src/testing/test-service.ts";

let service: TestService;
let env: Record<string, string>;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  env = { JUNCTION_API_KEY: service.key, JUNCTION_BASE_URL: service.baseUrl };
});
afterAll(async () => await service.close());

function numbers(received: readonly { readonly body: string }[]): number[] {
  return received.map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n);
}

test("pull forwards in order, commits after 2xx, and resumes after a restart", async () => {
  const app = await startReceiver();
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 }, { n: 2 });
  const args = ["pull", endpoint.id, "--consumer", "agent", "--forward-to", app.url];
  const pulling = start(args, { env });
  await pulling.printed(/(?:.*"status":200.*\n){2}/);
  app.status(503);
  await endpoint.fire({ n: 3 });
  await pulling.printed('"status":503');
  // Systemd ends it so. The message that waits for its next attempt is given back at once.
  pulling.terminate();
  expect((await pulling.ended).status).toBe(130);
  app.status(200);
  const again = await cli([...args, "--once"], { env });
  expect([again.status, numbers(app.received)]).toEqual([0, [1, 2, 3, 3]]);
  for (const { body, headers } of app.received)
    expect(webhooks.verify(body, headers, endpoint.secret)).toMatchObject({ event: endpoint.event });
  const list = await service.api("GET", `${endpoint.path}/consumers`);
  expect(list.body["data"]).toMatchObject([{ consumer: "agent", position: 4, lag: 0 }]);
  await app.close();
});

test("pull shows its progress on a terminal, and otherwise the total", async () => {
  const app = await startReceiver();
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 }, { n: 2 }, { n: 3 });
  const args = ["pull", endpoint.id, "--forward-to", app.url, "--once", "--consumer"];
  const seen = await atTerminal([...args, "seen"], { env }).ended;
  expect(seen.status).toBe(0);
  // The next output takes the place of the line.
  const drawn = seen.stdout.replaceAll("\r\u001B[K", "<");
  expect(drawn).toMatch(/█{10}░{20} +33 % {2}1 {2}messages<[^\r\n]*200/);
  expect(drawn).toMatch(/█{30} +100 % {2}3 {2}messages<Messages done: 3, up to offset 3\. 0 are left\./);
  const logged = await cli([...args, "logged"], { env });
  expect([logged.status, logged.stderr]).toEqual([0, expect.stringMatching(/^Messages done: 3, up to offset 3\.$/m)]);
  expect(logged.stderr).not.toContain("█");
  await app.close();
});

test("pull says what is wrong, with exit codes", async () => {
  const app = await startReceiver();
  app.status(500);
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 });
  const args = ["--consumer", "agent", "--forward-to", app.url, "--once"];
  const failed = await cli(["pull", endpoint.id, ...args], { env });
  expect([failed.status, failed.stderr]).toEqual([69, expect.stringContaining("Message 1 and those after it stay")]);
  const { id } = await service.endpoint("http://127.0.0.1:9/", { events: ["cli.nothing"] });
  const refused = await cli(["pull", id, ...args], { env });
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("kind pull")]);
  expect((await cli(["pull", endpoint.id, "--forward-to", app.url], { env })).status).toBe(64);
  expect((await cli(["pull", endpoint.id, ...args, "--limit", "0"], { env })).status).toBe(64);
  await app.close();
});

test("lanes shows what blocks an ordered endpoint, and skips it", async () => {
  const down = await startReceiver();
  down.status(410);
  const { id } = await service.endpoint(down.url, { events: ["test.lane"], ordering: { key: "$.data.order" } });
  const event = { event: "test.lane", data: { order: "a" } };
  const { data } = (await service.api("POST", "/v1/events/batch", { events: [event, event] })).body;
  const [delivery, next] = data.map((fired: Parsed) => fired["deliveries"][0]);
  await service.until(`/v1/webhook-endpoints/${id}`, ({ active }) => active === false);
  down.status(200);
  await service.api("POST", `/v1/webhook-endpoints/${id}/toggle`);
  expect(await done(["lanes", id, "--blocked"])).toMatchObject({ key: '"a"', head: { delivery_id: delivery.id } });
  expect((await cli(["lanes", id, "--skip", '"a"', "--retry-all"], { env })).status).toBe(64);
  expect(await done(["lanes", id, "--skip", '"a"'])).toEqual({ count: 1 });
  await service.until(`/v1/deliveries/${next.id}`, ({ state }) => state === "delivered");
  await down.close();
});

async function done(args: readonly string[]): Promise<unknown> {
  const { status, stdout, stderr } = await cli(args, { env });
  if (status !== 0) throw new Error(`${args.join(" ")}: ${status}\n${stderr}`);
  return JSON.parse(stdout);
}
