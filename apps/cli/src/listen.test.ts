import { afterAll, beforeAll, expect, test } from "vitest";
import { after as later, systemClock } from "../../service/src/lib/lib.ts";
import { webhooks } from "../../../sdks/node/src/index.ts";
import { mintKey } from "../../service/src/testing/keys.ts";
import { cloneDatabase } from "../../service/src/testing/database.ts";
import { freePort, startProcess } from "../../service/src/testing/process.ts";
import type { ServiceProcess } from "../../service/src/testing/process.ts";
import { startReceiver } from "../../service/src/testing/receiver.ts";
import { MASTER_KEY, startService } from "../../service/src/testing/service.ts";
import { cli, start } from "./testing/cli.ts";
import type { TestService } from "../../service/src/testing/test-service.ts";

let service: TestService;
let env: Record<string, string>;

beforeAll(async () => {
  service = await startService();
  env = { JUNCTION_API_KEY: service.key, JUNCTION_BASE_URL: service.baseUrl };
});
afterAll(async () => await service.close());

async function fireAll(event: string, from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n += 1) {
    const fired = await service.fire(event, { n, total: 10.5 });
    await service.until(`/v1/deliveries/${fired.deliveries[0].id}`, ({ state }) => state === "delivered");
  }
}

function numbers(received: readonly { readonly body: string }[]): number[] {
  return received.map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n);
}

test("deliveries are forwarded in order, with bytes and headers that the secret verifies", async () => {
  const app = await startReceiver();
  const listening = start(["listen", "--forward-to", app.url, "--name", "exact", "--events", "acme.exact"], { env });
  await listening.printed("Listening as exact");
  await fireAll("acme.exact", 1, 3);
  const received = await app.count(3);
  expect(numbers(received)).toEqual([1, 2, 3]);
  const list = (await service.api("GET", "/v1/webhook-endpoints")).body;
  const secret = (await service.api("GET", `/v1/webhook-endpoints/${list.data[0].id}/secret`)).body.secret as string;
  for (const { body, headers } of received)
    expect(webhooks.verify(body, headers, secret)).toMatchObject({ event: "acme.exact" });
  await listening.printed(/(?:.*"status":200.*\n){3}/);
  const { status, stdout, stderr } = await listening.stop();
  expect(status).toBe(130);
  expect(JSON.parse(stdout.split("\n")[1] ?? "")).toMatchObject({
    object: "forwarded",
    event: "acme.exact",
    status: 200,
  });
  expect(stdout + stderr).not.toContain(service.key);
  await app.close();
});

test("listen shows the secret to its creator, and others a way to regenerate it", async () => {
  const app = await startReceiver();
  const args = ["listen", "--forward-to", app.url, "--name", "shown", "--events", "acme.shown"];
  const developer = { ...env, JUNCTION_API_KEY: (await mintKey(service, { role: "developer" })).key };
  const secrets: string[] = [];
  for (let runs = 1; runs <= 2; runs += 1) {
    const listening = start(args, { env: developer });
    await listening.printed('"object":"listening"');
    await fireAll("acme.shown", runs, runs);
    const received = (await app.count(runs)).at(-1);
    const { stdout } = await listening.stop();
    const { secret } = JSON.parse(stdout.split("\n")[0] ?? "") as { secret: string };
    expect(webhooks.verify(received?.body ?? "", received?.headers ?? {}, secret)).toMatchObject({
      event: "acme.shown",
    });
    secrets.push(secret);
  }
  expect(secrets[1]).toBe(secrets[0]);
  const other = { ...env, JUNCTION_API_KEY: (await mintKey(service, { role: "developer" })).key };
  const { stderr } = await cli([...args, "--once"], { env: other });
  expect(stderr).toMatch(/not visible to this key\. [^\n]+ run junction endpoints secret regenerate ep_\S+\./);
  expect(stderr).not.toContain("whsec_");
  await app.close();
});

test("deliveries from pauses of the listener are forwarded afterwards, once", async () => {
  const app = await startReceiver();
  const args = ["listen", "--forward-to", app.url, "--name", "away", "--events", "acme.away"];
  const first = start(args, { env });
  await first.printed("Listening as away");
  await fireAll("acme.away", 1, 2);
  await app.count(2);
  await first.printed(/(?:.*"status":200.*\n){2}/);
  // The messages are removed, so that the next listener does not begin with them.
  await service.until("/v1/inboxes/away/messages", ({ data }) => data.length === 0);
  await first.kill();
  await fireAll("acme.away", 3, 60);

  const second = start(args, { env });
  await app.count(60);
  await service.until("/v1/inboxes/away/messages", ({ data }) => data.length === 0);
  second.pause();
  await fireAll("acme.away", 61, 63);
  expect(app.received).toHaveLength(60);
  second.resume();
  await app.count(63);
  await second.stop();
  expect(numbers(app.received)).toEqual(Array.from({ length: 63 }, (_, at) => at + 1));
  expect((await service.api("GET", "/v1/webhook-endpoints")).body.data.filter(isOf("acme.away"))).toHaveLength(1);
  await app.close();
});

test("deliveries that waited ten minutes pass a program's five-minute limit", async () => {
  let shiftMs = 0;
  const clock = { ...systemClock, now: () => later(systemClock.now(), shiftMs) };
  const own = await startService({ deps: { clock } });
  const app = await startReceiver();
  const options = { env: { JUNCTION_API_KEY: own.key, JUNCTION_BASE_URL: own.baseUrl } };
  const args = ["listen", "--forward-to", app.url, "--name", "late", "--events", "acme.late", "--once"];
  expect((await cli(args, options)).status).toBe(0);
  shiftMs = -600_000;
  for (const n of [1, 2, 3]) await own.fire("acme.late", { n });
  await own.until("/v1/inboxes/late/messages", ({ data }) => data.length === 3);
  shiftMs = 0;
  expect((await cli(args, options)).status).toBe(0);
  const { id } = (await own.api("GET", "/v1/webhook-endpoints")).body.data[0];
  const secret = (await own.api("GET", `/v1/webhook-endpoints/${id}/secret`)).body.secret as string;
  const events = app.received.map(({ body, headers }) => webhooks.verify(body, headers, secret, { tolerance: 300 }));
  expect(new Set(events.map(({ data }) => data["n"]))).toEqual(new Set([1, 2, 3]));
  await app.close();
  await own.close();
});

test("deliveries wait while the program is down; any response counts", async () => {
  const port = await freePort();
  const args = ["listen", "--forward-to", `127.0.0.1:${port}/hook`, "--name", "app", "--events", "acme.app"];
  const listening = start(args, { env });
  await listening.printed("Listening as app");
  await fireAll("acme.app", 1, 1);
  await listening.printed("Waiting for it.");
  const app = await startReceiver(port);
  app.status(500);
  await app.count(1);
  await listening.printed('"status":500');
  await fireAll("acme.app", 2, 2);
  await app.count(2);
  await listening.stop();
  await app.close();
  await fireAll("acme.app", 3, 3);
  const once = await cli([...args, "--once"], { env });
  expect(once.status).toBe(69);
  expect((await service.api("GET", "/v1/inboxes/app/messages")).body.data).toHaveLength(1);
});

test("with --retry, a delivery is forwarded again until the program accepts it", async () => {
  const app = await startReceiver();
  app.status(500);
  const args = ["listen", "--forward-to", app.url, "--name", "again", "--events", "acme.again", "--retry"];
  const listening = start(args, { env });
  await listening.printed("Listening as again");
  await fireAll("acme.again", 1, 2);
  await app.count(2);
  expect(numbers(app.received)).toEqual([1, 1]);
  app.status(200);
  await listening.printed(/"status":500.*\n(?:.*"status":500.*\n)+(?:.*"status":200.*\n){2}/);
  expect(numbers(app.received).slice(-2)).toEqual([1, 2]);
  await listening.stop();
  await app.close();
});

test("a restart of the service loses no delivery", async () => {
  const database = await cloneDatabase();
  const app = await startReceiver();
  const port = await freePort();
  const settings = { DATABASE_URL: database.url, JUNCTION_MASTER_KEY: MASTER_KEY, JUNCTION_LOG_LEVEL: "info" };
  const run = async (): Promise<ServiceProcess> => {
    const started = startProcess(settings, port);
    await started.ready();
    return started;
  };
  const before = startProcess(settings, port);
  const key = /jn_test_\w{49}/.exec(await before.ready())?.[0] ?? "";
  const own = { JUNCTION_API_KEY: key, JUNCTION_BASE_URL: before.baseUrl };
  const listening = start(["listen", "--forward-to", app.url, "--name", "restart", "--events", "acme.restart"], {
    env: own,
  });
  await listening.printed("Listening as restart");
  const fire = async (n: number): Promise<void> => {
    const fired = await cli(["trigger", "acme.restart", "--set", `n=${n}`], { env: own });
    expect(fired).toMatchObject({ status: 0 });
  };
  await fire(1);
  await app.count(1);
  await fire(2);
  await before.kill();
  await listening.printed("The service does not respond.");
  const restarted = await run();
  await listening.printed("The service responds again.");
  await fire(3);
  // The next process takes over the work of the killed one when its lease ends, 60 s later.
  await app.count(3, 150_000);
  await listening.stop();
  expect(new Set(numbers(app.received))).toEqual(new Set([1, 2, 3]));
  await restarted.stop();
  await app.close();
  await database.drop();
});

test.each([[[]], [["--forward-to", "ftp://x"]], [["--forward-to", "http://"]]])("%j is refused", async (args) => {
  expect(await cli(["listen", ...args], { env })).toMatchObject({ status: 64, stdout: "" });
});

function isOf(event: string): (endpoint: { readonly events: readonly string[] }) => boolean {
  return ({ events }) => events.includes(event);
}
