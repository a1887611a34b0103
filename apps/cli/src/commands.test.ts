import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { registerContract } from "../../service/src/testing/contracts.ts";
import { joined, signIn } from "../../service/src/testing/people.ts";
import { startReceiver } from "../../service/src/testing/receiver.ts";
import type { Receiver } from "../../service/src/testing/receiver.ts";
import { startService } from "../../service/src/testing/service.ts";
import { atTerminal, cli, home, start } from "./testing/cli.ts";
import type { CliOptions, Ran } from "./testing/cli.ts";
import type { Parsed, TestService } from "../../service/src/testing/test-service.ts";

let service: TestService;
let receiver: Receiver;
let env: Record<string, string>;

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver();
  env = { JUNCTION_API_KEY: service.key, JUNCTION_BASE_URL: service.baseUrl };
});
afterAll(async () => {
  await receiver.close();
  await service.close();
});

test("trigger sends numbers as written, and --set changes members", async () => {
  const endpoint = await service.endpoint(receiver.url, { events: ["acme.exact"] });
  const input = '{"total":10.50,"ref":12345678901234567890,"customer":{"id":1}}';
  const args = ["trigger", "acme.exact", "--data", "-", "--set", "customer.name=Ada", "--set", "tags=[1,2]"];
  const fired = await done(args, { input });
  expect(fired).toMatchObject({ object: "event", event: "acme.exact" });
  const [received] = await receiver.count(1);
  expect(received?.body).toContain(
    '"data":{"total":10.50,"ref":12345678901234567890,"customer":{"id":1,"name":"Ada"},"tags":[1,2]}',
  );

  const [delivery] = (await service.until(`/v1/deliveries?endpoint_id=${endpoint.id}`, delivered)).data;
  await done(["trigger", "--from", delivery.id, "--set", "customer=null"]);
  const [, again] = await receiver.count(2);
  expect(again?.body).toContain('"data":{"total":10.50,"ref":12345678901234567890,"customer":null,"tags":[1,2]}');
});

test("trigger sends the example of a catalog event, once per idempotency key", async () => {
  const args = ["trigger", "order.created", "--idempotency-key", "once-1"];
  const [first, second] = [await done(args), await done(args)];
  expect(second.id).toBe(first.id);
  expect(await ran(["trigger"])).toMatchObject({ status: 64 });
  expect(await ran(["trigger", "x y"])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("/event") as string,
  });
  expect(await ran(["trigger", "a.b", "--data", "-"], { input: "[1]" })).toMatchObject({ status: 65 });
  expect(await ran(["trigger", "a.b", "--set", "__proto__.x=1"])).toMatchObject({ status: 64 });
  expect(await ran(["trigger", "--from", "dlv_1"])).toMatchObject({ status: 1 });
});

test("verify accepts the output of sign, and nothing else", async () => {
  const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  const with_ = { JUNCTION_WEBHOOK_SECRET: secret };
  const body = '{"event":"order.created","delivery_id":"dlv_1","timestamp":"2026-11-21T13:00:00.000Z","n":1.50}';
  const headers = join(await home(), "headers");
  const signed = await cli(["sign"], { env: with_, input: body });
  expect(signed).toMatchObject({ status: 0, stderr: "" });
  await writeFile(headers, signed.stdout);
  const verify = async (input: string, args: string[] = [], more = with_): Promise<Ran> =>
    await cli(["verify", "--headers", headers, ...args], { env: more, input });
  const valid = await verify(body);
  expect(JSON.parse(valid.stdout)).toMatchObject({ valid: true, event: "order.created", delivery_id: "dlv_1" });
  const changed = await verify(body.replace("1.50", "1.5"));
  expect(changed).toMatchObject({ status: 1, stdout: "" });
  expect(changed.stderr).toContain("The signature does not match");
  expect((await verify(body, ["-H", "webhook-timestamp: 1"])).status).toBe(1);
  const rotated = { JUNCTION_WEBHOOK_SECRET: `whsec_${"B".repeat(42)}A= ${secret}` };
  expect((await verify(body, [], rotated)).status).toBe(0);
  const none = await cli(["verify", "--headers", headers], { input: body });
  expect(none).toMatchObject({ status: 78 });
  const mistaken = await verify(body, [], { JUNCTION_WEBHOOK_SECRET: "hunter2" });
  expect([mistaken.status, mistaken.stderr.includes("hunter2")]).toEqual([1, false]);
});

test("the API's operations are commands: an endpoint is created, listed, changed and deleted", async () => {
  const made = await done(["endpoints", "create", "--set", `url=${receiver.url}`, "--set", 'events=["test.crud"]']);
  expect(made).toMatchObject({ object: "webhook_endpoint", secret: expect.stringMatching(/^whsec_/) as string });
  const page = await done(["endpoints", "list", "--limit", "1"]);
  expect(page).toMatchObject({ object: "list", data: [{ id: made.id }], has_more: true });
  const all = await done(["endpoints", "list", "--limit", "1", "--all"]);
  expect(all.data.length).toBeGreaterThan(1);
  const input = '{"description":"Ours"}';
  expect(await done(["endpoints", "update", made.id, "--data", "-"], { input })).toMatchObject({ description: "Ours" });
  const rolled = await done(["endpoints", "secret", "regenerate", made.id, "--set", "overlap_seconds=60"]);
  expect(rolled.secret).not.toBe(made.secret);
  const table = await atTerminal(["endpoints", "get", made.id], { env }).ended;
  expect(table.stdout).toMatch(/description +Ours\r\n/);

  const unasked = await ran(["endpoints", "delete", made.id]);
  expect(unasked).toMatchObject({ status: 64, stdout: "" });
  expect(unasked.stderr).toContain("Use --yes");
  const asked = atTerminal(["endpoints", "delete", made.id], { env });
  await asked.printed("[y/N]");
  asked.type("n\r");
  expect((await asked.ended).status).toBe(1);
  expect((await done(["endpoints", "get", made.id])).id).toBe(made.id);
  expect(await ran(["endpoints", "delete", made.id, "--yes"])).toEqual({ status: 0, stdout: "", stderr: "" });
  const gone = await ran(["endpoints", "get", made.id]);
  expect(gone).toMatchObject({ status: 1, stdout: "" });
  expect(gone.stderr).toMatch(/^junction: [^\n]+\n(?: {2}[^\n]+\n)* {2}request: req_\w+\n$/);
});

test("a CSV response is printed unchanged", async () => {
  const exported = await ran(["audit", "export"]);
  expect(exported).toMatchObject({ status: 0, stderr: "" });
  expect(exported.stdout.split("\n")[0]).toContain(",");
});

test("a table fits the terminal and keeps ids whole", async () => {
  const { stdout } = await atTerminal(["event-types", "list"], { env }).ended;
  expect(stdout).toMatch(/^NAME +/);
  expect(stdout).toContain("order.created");
  expect(await atTerminal(["tickets", "list"], { env }).ended).toMatchObject({
    status: 0,
    stdout: "No results.\r\n",
  });
});

test("tail shows new deliveries and state changes until Ctrl-C", async () => {
  const failing = await startReceiver();
  failing.status(500);
  const endpoint = await service.endpoint(failing.url, { events: ["test.tail"] });
  const tail = start(["tail", "--endpoint", endpoint.id, "--since", "1m"], { env });
  await service.fire("test.tail", {});
  await tail.printed('"attempt_count":1');
  const { id } = JSON.parse(tail.stdout().split("\n")[0] ?? "") as { id: string };
  failing.status(200);
  const cancelled = await ran(["deliveries", "cancel", id]);
  expect(cancelled.status).toBe(0);
  await tail.printed('"state":"cancelled"');
  await service.fire("test.tail", {});
  await tail.printed('"state":"delivered"');
  const last = tail.stdout().trim().split("\n").at(-1) ?? "";
  const { id: second } = JSON.parse(last) as { id: string };
  expect(await done(["replay", second])).toMatchObject({ id: second, state: "pending" });
  await tail.printed('"attempt_count":2');
  expect((await tail.stop()).status).toBe(130);
  const shown = tail.stdout().trim().split("\n");
  expect(new Set(shown).size).toBe(shown.length);
  await failing.close();
});

test("replay of an endpoint counts failed deliveries, and takes either deliveries or an endpoint", async () => {
  const { id } = await service.endpoint(receiver.url, { events: ["test.none"] });
  expect(await done(["replay", "--endpoint", id, "--since", "1h", "--dry-run"])).toEqual({ count: 0 });
  expect((await ran(["replay"])).status).toBe(64);
  expect((await ran(["replay", "dlv_1", "--endpoint", id])).status).toBe(64);
  expect((await ran(["replay", "--endpoint", id, "--since", "soon"])).status).toBe(64);
  expect((await ran(["replay", "dlv_1", "--wait"])).status).toBe(64);
});

test("replay sends a waiting retry now, and backfill sends missed events", async () => {
  const down = await startReceiver();
  down.status(500);
  const { id } = await service.endpoint(down.url, { events: ["test.missed"] });
  const path = `/v1/webhook-endpoints/${id}`;
  const [delivery] = (await service.fire("test.missed", { n: 0 })).deliveries;
  await service.until(`/v1/deliveries/${delivery.id}`, ({ attempt_count: attempts }) => attempts === 1);
  const all = ["replay", "--endpoint", id, "--since", "1h", "--pending"];
  expect(await done([...all, "--dry-run"])).toEqual({ count: 1 });
  expect(await done(["replay", delivery.id])).toMatchObject({ id: delivery.id, state: "pending" });
  await service.until(`/v1/deliveries/${delivery.id}`, ({ attempt_count: attempts }) => attempts === 2);
  expect((await ran(["replay", delivery.id, "--pending"])).status).toBe(64);
  down.status(200);
  expect(await done(all)).toMatchObject({ count: 1 });
  await service.until(`/v1/deliveries/${delivery.id}`, ({ state }) => state === "delivered");
  await service.api("POST", `${path}/toggle`);
  const { id: event } = await service.fire("test.missed", { n: 1 });
  expect((await ran(["backfill", id])).status).toBe(1);
  await service.api("POST", `${path}/toggle`);
  expect(await done(["backfill", id, "--from", "1h", "--events", "test.missed", "--dry-run"])).toEqual({ count: 1 });
  expect(await done(["backfill", id, "--from", "1h", "--wait"])).toMatchObject({
    count: 1,
    state: "finished",
    done: 1,
  });
  await down.count(4);
  expect(await done(["send", event, id])).toMatchObject({ id: event, deliveries: [{ endpoint_id: id }] });
  await down.count(5);
  await down.close();
});

test("replay waits for failed deliveries and shows its progress on a terminal", async () => {
  const down = await startReceiver();
  down.status(410);
  const { id } = await service.endpoint(down.url, { events: ["test.again"] });
  // A 410 fails the delivery at once and disables the endpoint.
  await service.fire("test.again", { n: 0 });
  await service.until(`/v1/webhook-endpoints/${id}`, ({ active }) => active === false);
  const insert = `insert into delivery select (jsonb_populate_record(d, jsonb_build_object('id', overlay(d.id::text placing
    lpad(to_hex(n), 12, '0') from 25)))).* from delivery d, generate_series(1, 60) n where d.event_name = 'test.again'`;
  await service.database.query(insert);
  down.status(200);
  await service.api("PATCH", `/v1/webhook-endpoints/${id}`, { active: true });
  const args = ["replay", "--endpoint", id, "--since", "1h", "--wait"];
  const { status, stdout } = await atTerminal(args, { env }).ended;
  expect([status, stdout.includes("61 failed deliveries are being replayed; none of them failed again.")]).toEqual([
    0,
    true,
  ]);
  expect(stdout).toMatch(/[█░]{30} +\d+ %/);
  expect(await done([...args, "--dry-run"])).toMatchObject({ count: 0 });
  const ids = (await service.api("GET", `/v1/deliveries?endpoint_id=${id}&limit=20`)).body.data.map(
    ({ id: one }: Parsed) => one,
  );
  const many = await atTerminal(["replay", ...ids], { env }).ended;
  expect([many.status, /[█░]{30} +\d+ %/.test(many.stdout)]).toEqual([0, true]);
  await down.close();
});

test("replay waits for deliveries in progress before it counts those that failed again", async () => {
  const slow = await startReceiver();
  const { id } = await service.endpoint(slow.url, { events: ["test.slow"] });
  const [delivery] = (await service.fire("test.slow", { n: 0 })).deliveries;
  await service.until(`/v1/deliveries/${delivery.id}`, ({ state }) => state === "delivered");
  await service.database.query("update delivery set state = 'failed' where event_name = 'test.slow'");
  slow.answer((response) => setTimeout(() => response.writeHead(500).end(), 2000));
  expect(await done(["replay", "--endpoint", id, "--since", "1h", "--wait"])).toMatchObject({
    count: 1,
    failed_again: 1,
    settled: true,
  });
  await slow.close();
});

test("replay does not count deliveries in progress as failed when it is interrupted", async () => {
  const silent = await startReceiver();
  const { id } = await service.endpoint(silent.url, { events: ["test.silent"] });
  const [delivery] = (await service.fire("test.silent", { n: 0 })).deliveries;
  await service.until(`/v1/deliveries/${delivery.id}`, ({ state }) => state === "delivered");
  await service.database.query("update delivery set state = 'failed' where event_name = 'test.silent'");
  silent.answer((response) => setTimeout(() => response.writeHead(200).end(), 4000));
  const waiting = start(["replay", "--endpoint", id, "--since", "1h", "--wait"], { env });
  await silent.count(2);
  const { status, stdout } = await waiting.stop();
  expect(status).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({ count: 1, failed_again: 0, settled: false });
  await silent.close();
});

test("approve and reject show the preview and ask for confirmation without --yes", async () => {
  await registerContract(service, {
    key: "billing.refund",
    requires_confirmation: true,
    params: { payment_id: { type: "string" } },
  });
  const propose = async (payment: string): Promise<string> => {
    const run = await done([
      "actions",
      "run",
      "--set",
      "action=billing.refund",
      "--set",
      `parameters.payment_id=${payment}`,
    ]);
    return run.proposal.id as string;
  };
  const unknown = await ran(["actions", "run", "--set", "action=billing.refund", "--set", "params.payment_id=1"]);
  expect(unknown).toMatchObject({ status: 64, stderr: expect.stringContaining('Unknown member "params"') as string });
  const first = await propose("pay_first");
  const unasked = await ran(["reject", first]);
  expect(unasked.status).toBe(64);
  expect(unasked.stderr).toContain("pay_first");
  expect(await done(["proposals", "get", first])).toMatchObject({ state: "proposed" });
  const asked = atTerminal(["reject", first, "--reason", "No"], { env });
  await asked.printed("Reject it? [y/N]");
  asked.type("y\r");
  const { stdout, status } = await asked.ended;
  expect([status, stdout.includes("pay_first")]).toEqual([0, true]);
  expect(await done(["proposals", "get", first])).toMatchObject({ state: "rejected", decision: { reason: "No" } });

  const second = await propose("pay_second");
  const approved = await ran(["approve", second, "--yes"]);
  expect(approved.stderr).toContain("pay_second");
  expect(approved.status).toBe(0);
});

test("approve names requester and editor, and the table shows action, requester and time", async () => {
  const owner = await signIn(service);
  const admin = await joined(service, "admin");
  const key = "billing.credit";
  const surface = ["api", "console"];
  const params = { payment_id: { type: "string" } };
  await registerContract(service, { key, requires_confirmation: true, surface, params });
  const asked = await owner.call("POST", "/v1/actions/run", { action: key, parameters: { payment_id: "pay_1" } });
  const { id } = asked.body["proposal"];
  const { stderr: before } = await ran(["reject", id]);
  expect(before).toMatch(/Requested by .+ \(user\)\n/);
  expect(before).not.toContain("Edited by");
  const edited = await admin.call("PATCH", `/v1/proposals/${id}`, { parameters: { payment_id: "pay_2" } });
  const { stderr: after } = await ran(["reject", edited.body["id"]]);
  const editor = edited.body["edited_by"]["display"] as string;
  expect(after).toContain(`Edited by ${editor} (user)`);
  const { stdout } = await atTerminal(["proposals", "list"], { env }).ended;
  expect(stdout).toMatch(/^ID +STATE +WHAT +REQUESTED BY +CREATED\r?\n/);
  expect(stdout).toContain(edited.body["proposer"]["display"]);
  expect(stdout).not.toContain(edited.body["params_hash"]);
});

test("trigger refuses a misspelled catalog name unless --custom is set", async () => {
  const { status, stderr } = await ran(["trigger", "order.craeted", "--set", "order.external_id=1"]);
  expect(status).toBe(64);
  expect(stderr).toBe(
    'junction: The catalog has no event "order.craeted". Did you mean `order.created`? --custom fires a custom event of this name.\n',
  );
  expect(await done(["trigger", "order.craeted", "--custom"])).toMatchObject({ event: "order.craeted" });
  expect(await done(["trigger", "acme.tenant", "--tenant", "t1"])).toMatchObject({ tenant: "t1" });
  for (const event of ["acme.rocket.launched", "order.packed", "order"])
    expect(await done(["trigger", event])).toMatchObject({ event });
});

test("portal prints a link that works once, and opens it in BROWSER", async () => {
  const session = await done(["portal", "acme", "--capabilities", "endpoints, deliveries", "--expires", "10m"]);
  expect(session).toMatchObject({
    object: "portal_session",
    tenant: "acme",
    capabilities: ["endpoints", "deliveries"],
  });
  expect(Math.round((Date.parse(session.expires_at) - Date.now()) / 60_000)).toBe(10);
  const token = new URLSearchParams(new URL(session.url).hash.slice(1)).get("token");
  const exchange = async () => await service.api("POST", "/v1/portal-sessions/exchange", { token }, { key: null });
  expect((await exchange()).body).toMatchObject({ tenant: "acme", capabilities: ["endpoints", "deliveries"] });
  expect((await exchange()).status).toBe(401);

  const folder = await home();
  const browser = join(folder, "browser");
  await writeFile(
    browser,
    `#!/bin/sh\nprintf '%s' "$1" > "${folder}/part" && mv "${folder}/part" "${folder}/opened"\n`,
  );
  await chmod(browser, 0o755);
  const { stdout, status } = await atTerminal(["portal", "acme", "--open"], { env: { ...env, BROWSER: browser } })
    .ended;
  const [url] = stdout.split("\r\n");
  expect([status, url]).toEqual([0, expect.stringMatching(/\/portal\/\?workspace=ws_\w+#token=\w+$/)]);
  expect(stdout).toMatch(/The portal of acme \(live, prt_\w+\)\. The link works once/);
  await expect.poll(async () => await readFile(join(folder, "opened"), "utf8").catch(() => "")).toBe(url);
  const missing = await ran(["portal", "acme", "--open"], { env: { ...env, BROWSER: join(folder, "missing") } });
  expect(missing).toMatchObject({ status: 0, stderr: "No browser could be started. Open the link yourself.\n" });
});

test("portal refuses unknown capabilities and durations, and what the key may not do", async () => {
  expect(await ran(["portal", "acme", "--expires", "soon"])).toMatchObject({ status: 64, stdout: "" });
  const unknown = await ran(["portal", "acme", "--capabilities", "endpoints,everything"]);
  expect(unknown).toMatchObject({ status: 1, stderr: expect.stringContaining("/capabilities/1") as string });
  expect(await ran(["portal", "acme", "--expires", "2d"])).toMatchObject({ status: 1, stdout: "" });
  expect(await ran(["portal"])).toMatchObject({ status: 64 });
  const { body } = await service.api("POST", "/v1/keys", { name: "Reader", permission_mode: "read_only" });
  const reader = await ran(["portal", "acme"], { env: { ...env, JUNCTION_API_KEY: body["key"] as string } });
  expect(reader).toMatchObject({ status: 77, stdout: "" });
});

test("openapi prints the service's document without a key", async () => {
  const { status, stdout } = await cli(["openapi"], { env: { JUNCTION_BASE_URL: service.baseUrl } });
  expect([status, JSON.parse(stdout).openapi]).toEqual([0, "3.0.3"]);
});

async function ran(args: readonly string[], options: CliOptions = {}): Promise<Ran> {
  return await cli(args, { env, ...options });
}

/** Returns the output of a command that succeeded. */
async function done(args: readonly string[], options: CliOptions = {}): Promise<Parsed> {
  const { status, stdout, stderr } = await ran(args, options);
  if (status !== 0) throw new Error(`${args.join(" ")}: ${status}\n${stderr}`);
  return JSON.parse(stdout);
}

function delivered({ data }: Parsed): boolean {
  return data.length > 0 && data[0].state === "delivered";
}

test("sources preview reads a captured request byte for byte", async () => {
  const source = await done(["sources", "create", "--set", "event_type_path=$.event"]);
  const file = join(await home(), "request.http");
  const head = "POST /hook HTTP/1.1\r\nContent-Type: application/json; charset=latin1\r\n\r\n";
  await writeFile(file, Buffer.from(`${head}{"event":"a.b","name":"Zo\u00EB"}`, "latin1"));
  expect(await done(["sources", "preview", source.id, "--request", file])).toMatchObject({
    status: "ok",
    event: "inbound.a.b",
    payload: { name: "Zo\u00EB" },
  });
  const tried = ["--set", "mapping.event_type_path=$.name"];
  expect(await done(["sources", "preview", source.id, "--request", file, ...tried])).toMatchObject({
    extracted: { event_type: "Zo\u00EB" },
  });
  await writeFile(file, "GET / HTTP/1.1\n\n");
  expect(await ran(["sources", "preview", source.id, "--request", file])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("must be a POST") as string,
  });
  expect(await ran(["sources", "preview", source.id, "--request", `${file}.absent`])).toMatchObject({ status: 65 });
});
