import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inboxKey } from "../endpoints/own-inboxes.ts";
import { createSealer } from "../../lib/lib.ts";
import { readScope } from "../../testing/audit.ts";
import { dump } from "../../testing/dump.ts";
import { freePort, startProcess } from "../../testing/process.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const sealer = createSealer(Buffer.from(MASTER_KEY, "base64"));
/** A node that only accepts events seals nothing, so rows stay as they are written. */
const env = { JUNCTION_ROLES: "api", JUNCTION_ALLOW_TARGETS: "" };

let service: TestService;
let scope: Scope;
beforeAll(async () => {
  service = await startService({ env });
  scope = await readScope(service);
});
afterAll(async () => await service.close());

interface Inbox {
  readonly name: string;
  readonly url: string;
  readonly token: string;
}

async function named(name: string): Promise<Inbox> {
  // Creates the inbox directly, because a key may make only 120 calls a minute.
  const { url } = await service.service.tester.named.put(scope, name);
  return { name, url, token: url.split("/").at(-1) ?? "" };
}

async function sent({ token }: Inbox, body: string): Promise<Parsed> {
  const answer = await service.api("POST", `/inbox/${token}`, body, { key: null });
  expect(answer.status).toBe(200);
}

async function seen({ token }: Inbox): Promise<Parsed[]> {
  return (await service.api("GET", `/inbox/${token}`, undefined, { key: null })).body["messages"];
}

/** Puts the rows of these inboxes into the form of the previous version. */
async function asBefore(inboxes: readonly Inbox[], tested?: { readonly secret: string }): Promise<void> {
  for (const { token, url } of inboxes) {
    const secret = tested === undefined ? null : sealer.seal(tested.secret, `inbox:${token}`);
    await service.database.query(
      `with moved as (update inbox_message set token = $1 where token = $2),
        at as (update endpoint set url = $4 where url = 'inbox:' || $2)
        update inbox set token = $1, token_sealed = null, secret_sealed = $3 where token = $2`,
      [token, inboxKey(token), secret, url],
    );
  }
}

async function unsealed(): Promise<number> {
  const [row] = await service.database.query<{ n: number }>(
    "select count(*)::int as n from inbox where token_sealed is null",
  );
  return row?.n ?? -1;
}

async function tokensInDump(inboxes: readonly Inbox[]): Promise<string[]> {
  const text = [...(await dump(service)).values()].join("\n");
  return inboxes.filter(({ token }) => text.includes(token)).map(({ name }) => name);
}

test("an inbox of the previous version works until it is sealed", async () => {
  const inbox = await named("plain");
  await sent(inbox, "first");
  await asBefore([inbox]);
  await sent(inbox, "second");
  expect((await seen(inbox)).map(({ body }) => body)).toEqual(["second", "first"]);
  expect((await service.api("GET", "/v1/inboxes")).body["data"]).toMatchObject([{ url: inbox.url, waiting: 2 }]);
  const told = await service.api(
    "PUT",
    `/inbox/${inbox.token}/behaviour`,
    { status: 503, fail_times: 1 },
    { key: null },
  );
  expect(told.body).toMatchObject({ status: 503, fail_times: 1 });
  expect(await tokensInDump([inbox])).toEqual(["plain"]);
  await service.api("DELETE", "/v1/inboxes/plain");
});

test("the start seals tokens, keeps messages and updates endpoints' URLs", async () => {
  const inbox = await named("moved");
  const endpoint = await service.endpoint(inbox.url, { events: ["inbox.moved"] });
  await sent(inbox, "waits");
  const tested = await service.api("POST", "/v1/webhooks/test", { url: inbox.url });
  await asBefore([inbox], { secret: tested.body["secret"] });
  expect(await tokensInDump([inbox])).toEqual(["moved"]);
  const worker = await startService({ on: service, env: { JUNCTION_ALLOW_TARGETS: "" } });
  await expect.poll(async () => await tokensInDump([inbox])).toEqual([]);
  expect((await service.api("GET", `/v1/webhook-endpoints/${endpoint.id}`)).body["url"]).toBe(inbox.url);
  await worker.fire("inbox.moved");
  await expect.poll(async () => (await seen(inbox)).length).toBe(3);
  const again = await service.api("GET", "/v1/inboxes/moved/messages");
  expect(again.body["data"].map(({ signature }: Parsed) => signature)).toEqual(["unsigned", "valid", "valid"]);
  await worker.service.stop();
  await service.api("DELETE", `/v1/webhook-endpoints/${endpoint.id}`);
  await service.api("DELETE", "/v1/inboxes/moved");
});

test("the secret of the latest test is valid after the token was sealed", async () => {
  const inbox = await named("tested");
  const tested = await service.api("POST", "/v1/webhooks/test", { url: inbox.url });
  const [first] = await seen(inbox);
  await asBefore([inbox], { secret: tested.body["secret"] });
  const worker = await startService({ on: service, env: { JUNCTION_ALLOW_TARGETS: "" } });
  await expect.poll(unsealed).toBe(0);
  await worker.service.stop();
  await service.api("POST", `/inbox/${inbox.token}`, first.body, { key: null, headers: signatureOf(first) });
  expect(await seen(inbox)).toMatchObject([{ signature: "valid" }, { signature: "valid" }]);
  await service.api("DELETE", "/v1/inboxes/tested");
});

function signatureOf({ headers }: Parsed): Record<string, string> {
  const names = ["x-service-signature", "webhook-id", "webhook-timestamp", "webhook-signature"];
  return Object.fromEntries(names.map((name) => [name, headers[name]]));
}

test("nodes that start together seal each token once and lose no message", async () => {
  const inboxes: Inbox[] = [];
  for (let at = 0; at < 300; at += 1) {
    const inbox = await named(`many-${at}`);
    await sent(inbox, `to ${at}`);
    inboxes.push(inbox);
  }
  await asBefore(inboxes);
  // However fast the node is, it is killed before it has sealed all: it passes over the rows that others hold.
  const holder = new pg.Client({ connectionString: service.database.url });
  await holder.connect();
  await holder.query("begin");
  await holder.query("select from inbox where token_sealed is null limit 10 for update");
  const killed = startProcess(
    { DATABASE_URL: service.database.url, JUNCTION_MASTER_KEY: MASTER_KEY, JUNCTION_LOG_LEVEL: "warn" },
    await freePort(),
  );
  await expect.poll(unsealed, { interval: 2 }).toBeLessThan(299);
  await killed.kill();
  await holder.end();
  expect(await unsealed()).toBeGreaterThanOrEqual(10);
  const workers = await Promise.all([startService({ on: service }), startService({ on: service })]);
  // Messages arrive while their inboxes are sealed.
  await Promise.all(inboxes.map(async (inbox) => await sent(inbox, "late")));
  await expect.poll(unsealed).toBe(0);
  for (const worker of workers) await worker.service.stop();
  for (const [at, inbox] of inboxes.entries())
    expect((await seen(inbox)).map(({ body }) => body)).toEqual(["late", `to ${at}`]);
  expect(await tokensInDump(inboxes)).toEqual([]);
});

test("the key of an inbox's row is not its token", async () => {
  const inbox = await named("keyed");
  const key = inboxKey(inbox.token);
  expect((await service.api("GET", `/inbox/${key}`, undefined, { key: null })).status).toBe(404);
  for (const url of [`inbox:${key}`, `https://earlier.example.com/inbox/${key}`]) {
    const made = await service.api("POST", "/v1/webhook-endpoints", { url, events: ["never.fired"] });
    expect([url, made.text.includes(inbox.token)]).toEqual([url, false]);
  }
});
