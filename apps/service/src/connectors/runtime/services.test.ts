import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { answersOf, obedient, obeyed, runConnector, SECRET } from "../../testing/connector-runs.ts";
import type { Call, RunningConnector } from "../../testing/connector-runs.ts";
import { otherWorkspace } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const EVENT = "test.obey";
let service: TestService;
let receiver: Receiver;
let base: string;
let connector: RunningConnector;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  receiver = await startReceiver();
  base = new URL(receiver.url).origin;
  connector = await runConnector(service, {
    members: obedient(EVENT),
    description: {
      events: [EVENT],
      fires: ["test.fired", "test.looped"],
      reads: ["contacts"],
      egress: ["settings.base_url", "127.0.0.1:1", "metadata.example.com"],
    },
    settings: { base_url: base, api_key: SECRET },
  });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

async function said(...calls: Call[]): Promise<unknown[]> {
  return answersOf(await obeyed(service, connector, EVENT, calls));
}

const get = (url: string, more: object = {}): Call => ["http", { method: "GET", url, ...more }];

describe("http", () => {
  test("only declared hosts and ports are called, and only over http or https", async () => {
    const port = new URL(base).port;
    const answers = await said(
      get("https://evil.example.com/"),
      get(`http://127.0.0.1:${Number(port) + 1}/`),
      get(`http://127.0.0.1.evil.example.com:${port}/`),
      get(`http://user@127.0.0.1:${port}@evil.example.com/`),
      get(`http://localhost:${port}/`),
      get("file:///etc/passwd"),
      get("//evil.example.com"),
      get(""),
    );
    expect(answers.map((one) => String(one).split(":")[0])).toEqual([
      ...Array(5).fill("egress_undeclared"),
      ...Array(3).fill("invalid"),
    ]);
  });

  covers("target.check.send", "a declared host with a private address is refused", async () => {
    const inner = await runConnector(service, {
      members: obedient("test.guard"),
      description: { events: ["test.guard"], egress: ["10.0.0.1", "169.254.169.254", "[::1]:8443"] },
    });
    const run = await obeyed(service, inner, "test.guard", [
      get("https://10.0.0.1/"),
      get("https://169.254.169.254/latest"),
      get("https://[::1]:8443/"),
    ]);
    expect(answersOf(run).map((one) => String(one).split(":")[0])).toEqual(Array(3).fill("target_refused"));
  });

  test("a redirect is returned as a response and is not followed", async () => {
    receiver.answer((response) => response.writeHead(302, { Location: "https://evil.example.com/" }).end());
    const [answer] = (await said(get(`${base}/redirect`))) as Parsed[];
    receiver.status(200);
    expect([answer.status, answer.headers.location]).toEqual([302, "https://evil.example.com/"]);
  });

  test("bodies and statuses are returned unchanged, and too large ones are refused", async () => {
    receiver.answer((response, { path, method, body }) => {
      if (path === "/large") response.end("x".repeat(600 * 1024));
      else response.writeHead(418, { "X-Kind": "teapot" }).end(JSON.stringify({ method, body }));
    });
    const run = await obeyed(service, connector, EVENT, [
      ["http", { method: "PATCH", url: `${base}/a`, json: { a: [1] } }],
      ["http", { method: "DELETE", url: `${base}/a` }],
      ["http", { method: "PUT", url: `${base}/a`, form: { a: "1 2", b: "&" } }],
      ["http", { method: "POST", url: `${base}/a`, body: "plain" }],
      get(`${base}/large`),
      ["http", { method: "POST", url: `${base}/a`, body: `{x:${1024 * 1024 + 1}}` }],
      ["http", { method: "GET", url: `${base}/a`, body: "no" }],
      ["http", { method: "TRACE", url: `${base}/a` }],
      ["http", { method: "POST", url: `${base}/a`, body: "a", json: {} }],
    ]);
    expect([run.outcome, run.error]).toEqual(["ok", null]);
    const answers = answersOf(run) as Parsed[];
    receiver.status(200);
    expect(answers.slice(0, 4).map((one) => [one.status, one.headers["x-kind"], one.json])).toEqual([
      [418, "teapot", { method: "PATCH", body: '{"a":[1]}' }],
      [418, "teapot", { method: "DELETE", body: "" }],
      [418, "teapot", { method: "PUT", body: "a=1+2&b=%26" }],
      [418, "teapot", { method: "POST", body: "plain" }],
    ]);
    expect(answers.slice(4).map((one) => String(one).split(":")[0])).toEqual([
      "too_large",
      "too_large",
      "invalid",
      "invalid",
      "invalid",
    ]);
  });

  test("headers that HTTP reserves, and header injections, are refused", async () => {
    const headers: object[] = [
      { Host: "evil.example.com" },
      { "content-length": "1" },
      { "Transfer-Encoding": "chunked" },
      { "Proxy-Authorization": "x" },
      { "X-A": "1\r\nX-B: 2" },
      { "X A": "1" },
      { "": "1" },
    ];
    const answers = await said(...headers.map((one) => get(`${base}/h`, { headers: one })));
    expect(answers.map((one) => String(one).split(":")[0])).toEqual(Array(headers.length).fill("invalid"));
  });

  test("a host that does not respond is reported within the call's time limit", async () => {
    receiver.answer(() => undefined);
    const [answer] = await said(get(`${base}/hang`, { timeout_ms: 200 }));
    receiver.status(200);
    expect(answer).toMatch(/^timeout: /);
  });

  test("requests of a call are limited, and the run log keeps the first hundred", async () => {
    const eager = await runConnector(service, {
      members: `subscribers() { return { "test.eager": ["ask"] }; } async ask() {
        let refused;
        for (let at = 0; at < 101; at += 1)
          await this.http({ method: "GET", url: this.settings("base_url") }).catch((error) => (refused = error.code));
        this.log("info", refused);
      }`,
      description: { events: ["test.eager"], egress: ["settings.base_url"] },
      settings: { base_url: base },
    });
    await service.fire("test.eager");
    const [run] = await eager.until(() => true);
    expect(run.log).toEqual([{ level: "info", message: "rate_limited" }]);
    expect([run.services.length, run.services.at(-1).more]).toEqual([101, 1]);
  });
});

describe("secrets", () => {
  test("code gets a handle, and the secret reaches only the declared host", async () => {
    receiver.answer((response, one) => {
      response.writeHead(200, { "X-Echo": String(one.headers["x-api-key"]) });
      response.end(JSON.stringify({ authorization: one.headers.authorization, body: one.body, path: one.path }));
    });
    const basic = Buffer.from(`ada:${SECRET}`).toString("base64");
    const run = await obeyed(service, connector, EVENT, [
      get(`${base}/bearer`, { auth: "settings.api_key" }),
      get(`${base}/basic`, { auth: { basic: ["ada", "settings.api_key"] } }),
      get(`${base}/header`, { auth: { header: "X-Api-Key", secret: "settings.api_key" } }),
      ["http", { method: "POST", url: `${base}/json`, json: { deep: [{ key: "a {api_key} b" }] } }],
      ["http", { method: "POST", url: `${base}/form`, form: { key: "{api_key}" } }],
      get(`${base}/path/{api_key}`, { headers: { "X-Api-Key": "{api_key}" } }),
      ["settings", "api_key"],
      ["log", "warning", "{api_key}"],
    ]);
    receiver.status(200);
    const sent = receiver.received.slice(-6);
    expect(sent.map(({ path }) => path)).toEqual(["/bearer", "/basic", "/header", "/json", "/form", `/path/${SECRET}`]);
    expect(sent[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect(sent[1]?.headers.authorization).toBe(`Basic ${basic}`);
    expect(sent[2]?.headers["x-api-key"]).toBe(SECRET);
    expect(JSON.parse(sent[3]?.body ?? "")).toEqual({ deep: [{ key: `a ${SECRET} b` }] });
    expect(sent[4]?.body).toBe(`key=${SECRET}`);
    // Neither the responses nor their log contain the secret in any encoding.
    const text = JSON.stringify(run);
    for (const form of [SECRET, basic, Buffer.from(SECRET).toString("base64")]) expect(text).not.toContain(form);
    expect(run.log[0].fields.value.json.authorization).toBe("Bearer [secret]");
    expect(run.log[6].fields.value).toMatch(/^secret:settings\.api_key:[0-9A-Za-z]{16}$/);
  });

  test("text that looks like a handle, or belongs to another call, is not replaced", async () => {
    const [handle] = await said(["settings", "api_key"]);
    receiver.status(200);
    const before = receiver.received.length;
    await said(
      ["http", { method: "POST", url: `${base}/x`, json: { a: "secret:settings.api_key", b: handle } }],
      get(`${base}/x`, { headers: { "X-Api-Key": String(handle) } }),
    );
    const text = JSON.stringify(receiver.received.slice(before));
    expect(receiver.received.length).toBe(before + 2);
    expect(text).not.toContain(SECRET);
    expect(text).toContain(String(handle));
  });

  test("a secret that does not exist or is not set is refused", async () => {
    const answers = await said(
      get(`${base}/x`, { auth: "settings.nothing" }),
      get(`${base}/x`, { auth: { header: "Host", secret: "settings.api_key" } }),
      get(`${base}/x`, { auth: { basic: ["settings.nothing", "x"] } }),
    );
    expect(answers.map((one) => String(one).split(":")[0])).toEqual(Array(3).fill("invalid"));
  });

  test("no row of the database contains the secret in plain text", async () => {
    await said(get(`${base}/x`, { auth: "settings.api_key" }), ["kv.set", "k", "{api_key}"]);
    for (const table of ["connector_run", "connector_value", "connector_effect", "dispatch_stage", "event"]) {
      const rows = await service.database.query(
        `select t::text as text from ${table} t where t::text like '%${SECRET}%'`,
      );
      expect([table, rows]).toEqual([table, []]);
    }
  });
});

describe("fire", () => {
  test("only declared events are fired, with the chain that led to them", async () => {
    const run = await obeyed(service, connector, EVENT, [
      ["fire", "test.fired", { a: 1 }],
      ["fire", "order.created", {}],
      ["fire", "webhook.endpoint.disabled", {}],
      ["fire", "test.fired", [1]],
      ["fire", "test.fired", { big: `{x:${256 * 1024}}` }],
    ]);
    const [fired, ...refused] = answersOf(run) as Parsed[];
    expect(refused.map((one) => String(one).split(":")[0])).toEqual([
      "not_declared",
      "not_declared",
      "invalid",
      "too_large",
    ]);
    expect((await service.api("GET", `/v1/events/${fired.id}`)).body).toMatchObject({
      event: "test.fired",
      data: { a: 1 },
    });
    expect(run.services[0]).toMatchObject({ service: "fire", event: "test.fired", event_id: fired.id, error: null });
    const [row] = await service.database.query(
      "select cardinality(chain) as chain from event where name = 'test.fired'",
    );
    expect(row?.["chain"]).toBe(1);
  });

  test("a connector that fires its own event runs once, and the log says why", async () => {
    const loop = await runConnector(service, {
      members: `subscribers() { return { "test.loop": ["again"] }; } async again() { await this.fire("test.loop", {}); }`,
      description: { events: ["test.loop"], fires: ["test.loop"] },
    });
    await service.fire("test.loop");
    const [skipped] = await loop.until((run) => run.outcome === "skipped");
    expect(skipped.error).toContain("led to this one");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await loop.runs()).map((run) => run.outcome)).toEqual(["skipped", "ok"]);
    const [{ count } = { count: 0 }] = await service.database.query(
      "select count(*)::int as count from event where name = 'test.loop'",
    );
    expect(count).toBe(2);
  });

  test("two connectors that fire each other's events are stopped too", async () => {
    const one = (hears: string, fires: string) => ({
      members: `subscribers() { return { "${hears}": ["pass"] }; } async pass() { await this.fire("${fires}", {}); }`,
      description: { events: [hears], fires: [fires] },
    });
    await runConnector(service, one("test.ping", "test.pong"));
    const pong = await runConnector(service, one("test.pong", "test.ping"));
    await service.fire("test.ping");
    await pong.until((run) => run.outcome === "ok");
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const [{ count } = { count: 0 }] = await service.database.query(
      "select count(*)::int as count from event where name in ('test.ping', 'test.pong')",
    );
    expect(count).toBe(3);
  });
});

describe("contacts", () => {
  test("are found, created, changed and annotated; a repeat finds the same one", async () => {
    const [missing, made, again, found, byEmail] = (await said(
      ["contacts.find", { external_id: "cus_k3" }],
      ["contacts.upsert", { external_id: "cus_k3", email: "K3@Example.com", name: "Ada", tags: ["vip"] }],
      ["contacts.upsert", { external_id: "cus_k3", lifecycle_stage: "customer", phone: "+49" }],
      ["contacts.find", { external_id: "cus_k3" }],
      ["contacts.find", { email: "k3@example.COM" }],
    )) as Parsed[];
    expect(missing).toBeNull();
    expect(made).toMatchObject({ object: "customer", email: "k3@example.com", name: "Ada", tags: ["vip"] });
    expect(again).toMatchObject({ id: made.id, name: "Ada", lifecycle_stage: "customer" });
    expect([found.id, byEmail.id]).toEqual([made.id, made.id]);
    expect(found).not.toHaveProperty("context");
    const [added] = (await said(["timeline.add", made.id, { summary: "Called", event_type: "call" }])) as Parsed[];
    const activities = (await service.api("GET", `/v1/contacts/${made.id}/activities`)).body["data"];
    expect(activities).toMatchObject([{ id: added.id, summary: "Called", event_type: "call", kind: "note" }]);
  });

  test("invalid arguments are refused, and another workspace's contact is not found", async () => {
    const other = await otherWorkspace(service);
    const theirs = (await service.api("POST", "/v1/contacts", { email: "theirs@example.com" }, { key: other.key }))
      .body;
    const answers = await said(
      ["contacts.find", {}],
      ["contacts.find", { email: "theirs@example.com" }],
      ["contacts.upsert", {}],
      ["contacts.upsert", { email: "nobody" }],
      ["contacts.upsert", { external_id: "a", workspace_id: "b" }],
      ["timeline.add", theirs["id"], { summary: "x" }],
      ["timeline.add", "con_1", { summary: "x" }],
      ["timeline.add", "con_1", { kind: "event" }],
    );
    expect(answers.slice(0, 2)).toEqual([null, null]);
    expect(answers.slice(2).map((one) => String(one).split(":")[0])).toEqual(Array(6).fill("invalid"));
  });

  test("a connector without declared access to contacts cannot use them", async () => {
    const blind = await runConnector(service, {
      members: obedient("test.blind"),
      description: { events: ["test.blind"], reads: ["tickets"] },
    });
    const run = await obeyed(service, blind, "test.blind", [
      ["contacts.find", { email: "k3@example.com" }],
      ["contacts.upsert", { email: "k3@example.com" }],
      ["timeline.add", "con_1", { summary: "x" }],
      ["fire", "test.fired", {}],
    ]);
    expect(answersOf(run).map((one) => String(one).split(":")[0])).toEqual(Array(4).fill("not_declared"));
  });
});

describe("kv", () => {
  test("stores JSON by key, sets it if it is as expected, and deletes it", async () => {
    const value = { a: [1, null, "x"], b: { c: true } };
    const answers = await said(
      ["kv.get", "a"],
      ["kv.set", "a", value],
      ["kv.get", "a"],
      ["kv.cas", "a", { b: { c: true }, a: [1, null, "x"] }, 2],
      ["kv.cas", "a", 1, 3],
      ["kv.get", "a"],
      ["kv.set", "a", null],
      ["kv.get", "a"],
      ["kv.cas", "a", null, "first"],
      ["kv.cas", "a", null, "second"],
      ["kv.get", "a"],
      ["kv.set", "", 1],
      ["kv.set", "{x:201}", 1],
      ["kv.set", "large", `{x:${64 * 1024}}`],
    );
    expect(answers.slice(0, 11)).toEqual([null, null, value, true, false, 2, null, null, true, false, "first"]);
    expect(answers.slice(11).map((one) => String(one).split(":")[0])).toEqual(["invalid", "invalid", "too_large"]);
  });

  test("a value with a time to live is gone after it", async () => {
    await said(["kv.set", "short", 1, { ttl_seconds: 60 }]);
    expect(await said(["kv.get", "short"])).toEqual([1]);
    await service.database.query(
      "update connector_value set expires_at = now() - interval '1 second' where name = 'short'",
    );
    expect(await said(["kv.get", "short"], ["kv.cas", "short", null, 2], ["kv.get", "short"])).toEqual([null, true, 2]);
  });

  test("limits keys and bytes, without counting expired values", async () => {
    const [place] = await service.database.query("select bucket, tag from connector_quota where key = $1", [
      connector.key,
    ]);
    await service.database.query(
      `insert into connector_value select $1, $2, $3, 'n' || n, '1', 3, case when n > 9000 then now() - interval '1 second' end
        from generate_series(1, 9999) n`,
      [place?.["bucket"], place?.["tag"], connector.key],
    );
    await service.database.query("update connector_quota set entries = 10000 where key = $1", [connector.key]);
    // A thousand values have expired, and make room.
    expect(await said(["kv.set", "one more", 1])).toEqual([null]);
    await service.database.query(
      `insert into connector_value select $1, $2, $3, 'm' || n, '1', 3, null from generate_series(1, 1000) n`,
      [place?.["bucket"], place?.["tag"], connector.key],
    );
    await service.database.query("update connector_quota set entries = 10000 where key = $1", [connector.key]);
    expect(await said(["kv.set", "too many", 1], ["kv.set", "n1", 2], ["kv.set", "n1", null])).toEqual([
      expect.stringMatching(/^too_large: /),
      null,
      null,
    ]);
  });
});
