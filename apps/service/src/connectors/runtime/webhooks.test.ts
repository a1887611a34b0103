import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { runConnector, SECRET } from "../../testing/connector-runs.ts";
import type { RunningConnector } from "../../testing/connector-runs.ts";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import { outcome } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let connector: RunningConnector;
let url: string;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  connector = await hooked();
  url = (await connector.show())["webhook_url"];
});
afterAll(async () => await service.close());

const MEMBERS = `async handleWebhook(body, request) {
  this.log("info", "got", { body, headers: request.headers, id: request.id });
  if (body.fail === true && (await this.kv.cas("failed " + body.id, null, true))) throw new Error("not now");
  if (body.fire === true) await this.fire("payment.completed", { id: body.id });
}`;

async function hooked(webhook: object = {}, verify = "sha256=hex"): Promise<RunningConnector> {
  return await runConnector(service, {
    members: MEMBERS,
    description: {
      fires: ["payment.completed"],
      webhook: { verify, header: "X-Signature", secret: "settings.api_key", ...webhook },
    },
    settings: { api_key: SECRET },
  });
}

const mac = (body: string | Buffer, secret = SECRET) => createHmac("sha256", secret).update(body);
const signedBy = (body: string): Record<string, string> => ({ "X-Signature": `sha256=${mac(body).digest("hex")}` });

/** Sends a webhook like the other service, without an API key. */
async function send(to: string, body: string, headers: Record<string, string> = signedBy(body)): Promise<ApiAnswer> {
  const answer = await fetch(to, { method: "POST", body, headers: { "Content-Type": "application/json", ...headers } });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: text === "" ? {} : JSON.parse(text) };
}

let count = 0;
const fresh = (more: object = {}): string => {
  count += 1;
  return JSON.stringify({ id: `evt_${count}`, ...more });
};

covers(
  "connector.hook.handle-webhook",
  "a signed webhook is stored, acknowledged and passed to handleWebhook: 202",
  async () => {
    expect(url).toMatch(
      new RegExp(`^${service.baseUrl}/v1/connectors/${connector.key}/webhook/[0-9a-z]{8}[0-9a-f]{64}$`),
    );
    const body = fresh({ amount: 1250, fire: true });
    const answer = await send(url, body, { ...signedBy(body), Authorization: "Bearer theirs", "X-Topic": "paid" });
    expect([answer.status, answer.body]).toEqual([
      202,
      { id: expect.stringMatching(/^cwh_/), object: "connector_webhook", status: "accepted" },
    ]);
    const [run] = await connector.until((one) => one.log[0]?.fields.id === answer.body["id"]);
    expect(run).toMatchObject({ hook: "webhook", name: "", outcome: "ok", event_id: null });
    expect(run.log[0].fields.body).toEqual(JSON.parse(body));
    const { headers } = run.log[0].fields;
    expect(headers["x-topic"]).toBe("paid");
    // Credentials, including the signature, are not passed on.
    expect([headers.authorization, headers["x-signature"], headers.host]).toEqual([undefined, undefined, undefined]);
    expect((await service.api("GET", "/v1/events?event=payment.completed&limit=1")).body["data"][0].data).toEqual({
      id: JSON.parse(body).id,
    });
  },
);

test("a repeated webhook has no second effect, immediately, later or concurrently", async () => {
  const body = fresh({ fire: true });
  const answers = await Promise.all(Array.from({ length: 20 }, async () => await send(url, body)));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(202));
  expect(answers.filter((one) => one.body["status"] === "accepted")).toHaveLength(1);
  expect(new Set(answers.map((one) => one.body["id"])).size).toBe(1);
  await connector.until((run) => run.log[0]?.fields.body.id === JSON.parse(body).id);
  expect((await send(url, body)).body["status"]).toBe("duplicate");
  const fired = (await service.api("GET", "/v1/events?event=payment.completed&limit=100")).body["data"];
  expect(fired.filter((event: Parsed) => event.data.id === JSON.parse(body).id)).toHaveLength(1);
});

test("a failed webhook is retried, and processed again when it is sent again", async () => {
  const body = fresh({ fail: true, fire: true });
  await send(url, body);
  await connector.until((run) => run.outcome === "threw" && run.error.includes("not now"));
  await service.database.query("update connector_webhook set due_at = now() where state = 'waiting'");
  await connector.until((run) => run.outcome === "ok" && run.log[0]?.fields.body.id === JSON.parse(body).id);
  const lost = fresh();
  const first = await send(url, lost);
  await connector.until((run) => run.log[0]?.fields.body.id === JSON.parse(lost).id);
  // The run is logged before the webhook is marked as done.
  const open = "select 1 from connector_webhook where state = 'waiting'";
  await expect.poll(async () => await service.database.query(open)).toEqual([]);
  await service.database.query(
    "update connector_webhook set state = 'failed', attempts = 6 where body is null and state = 'done'",
  );
  const again = await send(url, lost);
  expect(again.body).toEqual({ ...first.body, status: "accepted" });
  await connector.until((run) => run.log[0]?.fields.body.id === JSON.parse(lost).id, 2);
  await expect.poll(async () => await service.database.query(open)).toEqual([]);
  const [row] = await service.database.query(
    "select body, request from connector_webhook where state = 'done' limit 1",
  );
  expect(row).toEqual({ body: null, request: null });
});

test("a webhook stored by a node that died is processed by another", async () => {
  const body = fresh();
  await service.database.query(
    `insert into connector_webhook (bucket, tag, id, workspace_id, key, dedupe, body, request, state, due_at, lease_id)
      select bucket, tag, gen_random_uuid(), workspace_id, key, sha256($1::bytea), $2, '{"headers":{}}', 'waiting', now() - interval '1 second',
        gen_random_uuid() from connector_webhook where key = $3 limit 1`,
    [Buffer.from(body), body, connector.key],
  );
  const other = await startService({ on: service, env: UNLIMITED });
  await connector.until((run) => run.log[0]?.fields.body.id === JSON.parse(body).id);
  await other.close();
});

describe("signatures", () => {
  test.each<[string, (body: string) => string]>([
    ["hex", (body) => mac(body).digest("hex")],
    ["sha256=hex", (body) => `sha256=${mac(body).digest("hex")}`],
    ["base64", (body) => mac(body).digest("base64")],
    ["t=,v1=", (body) => timed(body)],
    ["token", () => SECRET],
  ])("%s accepts a valid signature and refuses invalid ones: 202, 401", async (verify, sign) => {
    const made = await hooked({}, verify);
    const to = (await made.show())["webhook_url"];
    const body = fresh();
    expect(outcome(await send(to, body, { "X-Signature": sign(body) }))).toBe("202");
    const right = sign(body);
    const wrong: Record<string, string>[] = [
      {},
      { "X-Signature": "" },
      { "X-Signature": right.slice(0, -1) },
      { "X-Signature": `${right.slice(0, -1)}${right.endsWith("0") ? "1" : "0"}` },
      { "X-Signature": `${right}, ${right}` },
      { "X-Other": right },
      { "X-Signature": sign("{}").replace(SECRET, "another secret") },
    ];
    const answers = await Promise.all(wrong.map(async (headers) => await send(to, body, headers)));
    expect(answers.map(outcome)).toEqual(Array(wrong.length).fill("401 signature_invalid"));
    for (const { text } of answers) expect(text).not.toContain(SECRET);
    const refused = await made.until((run) => run.outcome === "refused");
    expect(refused[0].log).toEqual([]);
  });

  test("a time that is five minutes off, missing or repeated is refused: 401", async () => {
    const made = await hooked({}, "t=,v1=");
    const to = (await made.show())["webhook_url"];
    const body = fresh();
    const now = Math.floor(Date.now() / 1000);
    const headers = [
      timed(body, now - 301),
      timed(body, now + 330),
      timed(body).replace(/t=\d+,/, ""),
      `t=${now},${timed(body)}`,
    ];
    const answers = await Promise.all(headers.map(async (one) => await send(to, body, { "X-Signature": one })));
    expect(answers.map(outcome)).toEqual(Array(headers.length).fill("401 signature_invalid"));
    const rolled = `t=${now},v1=${"0".repeat(64)},v0=x,${timed(body, now).split(",")[1] ?? ""}`;
    expect(outcome(await send(to, body, { "X-Signature": rolled }))).toBe("202");
  });

  test("the signature covers the raw bytes, regardless of their meaning", async () => {
    const spaced = `{ "id" : "evt_raw_${Date.now()}" , "n": 1.0 }\n`;
    expect(outcome(await send(url, spaced))).toBe("202");
    expect(outcome(await send(url, spaced.replace("1.0", "1.00"), signedBy(spaced)))).toBe("401 signature_invalid");
  });
});

test("a delivery id in a header or in the body identifies repeats", async () => {
  const byHeader = (await (await hooked({ delivery_id: "header:X-Delivery" })).show())["webhook_url"];
  const body = fresh();
  const sent = async (to: string, text: string, id?: string) =>
    (await send(to, text, { ...signedBy(text), ...(id === undefined ? {} : { "X-Delivery": id }) })).body["status"];
  expect([
    await sent(byHeader, body, "1"),
    await sent(byHeader, body, "2"),
    await sent(byHeader, fresh(), "1"),
  ]).toEqual(["accepted", "accepted", "duplicate"]);
  const byPath = (await (await hooked({ delivery_id: "$.event.id" })).show())["webhook_url"];
  const of = (id: unknown, at: number): string => JSON.stringify({ event: { id }, at });
  expect([
    await sent(byPath, of("a", 1)),
    await sent(byPath, of("a", 2)),
    await sent(byPath, of("b", 3)),
    await sent(byPath, of(7, 1)),
  ]).toEqual(["accepted", "duplicate", "accepted", "accepted"]);
});

test("a form is passed as its fields, and other content is refused: 202, 400", async () => {
  const form = "payload=%7B%7D&user=ada";
  const headers = { ...signedBy(form), "Content-Type": "application/x-www-form-urlencoded" };
  expect(outcome(await send(url, form, headers))).toBe("202");
  const [run] = await connector.until((one) => one.log[0]?.fields.body.user === "ada");
  expect(run.log[0].fields.body).toEqual({ payload: "{}", user: "ada" });
  for (const body of ["", "nonsense", "1", '"text"', '{"a":1,"a":2}'])
    expect([body, outcome(await send(url, body))]).toEqual([body, "400 malformed_json"]);
});

test("an unknown, changed or foreign URL is not found: 404", async () => {
  const body = fresh();
  const token = url.slice(-72);
  const other = await hooked();
  const places = [
    `${service.baseUrl}/v1/connectors/${connector.key}/webhook/x`,
    `${service.baseUrl}/v1/connectors/${connector.key}/webhook/${"0".repeat(72)}`,
    `${service.baseUrl}/v1/connectors/${connector.key}/webhook/${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`,
    `${service.baseUrl}/v1/connectors/${other.key}/webhook/${token}`,
    `${service.baseUrl}/v1/connectors/no-such/webhook/${token}`,
  ];
  for (const place of places) expect(outcome(await send(place, body))).toBe("404 not_found");
});

test("the sandbox has its own URL, and its webhooks take effect only there", async () => {
  const sandboxUrl = (await connector.show(service.sandboxKey))["webhook_url"];
  expect(sandboxUrl).not.toBe(url);
  const body = fresh({ fire: true });
  await send(sandboxUrl, body);
  await connector.until((run) => run.log[0]?.fields.body.id === JSON.parse(body).id, 1, service.sandboxKey);
  // The live URL has not received this body yet.
  expect((await send(url, body)).body["status"]).toBe("accepted");
  const { data } = (
    await service.api("GET", "/v1/events?event=payment.completed&limit=1", undefined, { key: service.sandboxKey })
  ).body;
  expect(data[0]).toMatchObject({ environment: "sandbox", data: { id: JSON.parse(body).id } });
});

test("a body in another coding or character set is decoded, or refused with 415", async () => {
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  const repeated = "id=form_1&tag=a&tag=b&name=caf%C3%A9";
  expect(outcome(await send(url, repeated, { ...signedBy(repeated), ...form }))).toBe("202");
  await connector.until((run) => run.log[0]?.fields.body.name === "café", 1);
  const [{ log } = { log: [] }] = await connector.until((run) => run.log[0]?.fields.body.id === "form_1", 1);
  expect(log[0].fields.body.tag).toEqual(["a", "b"]);
  const body = fresh();
  for (const headers of [
    { "Content-Encoding": "gzip" },
    { "Content-Type": "application/json; charset=klingon" },
    { ...form, "Content-Type": "application/x-www-form-urlencoded; charset=utf-16" },
  ])
    expect(outcome(await send(url, body, { ...signedBy(body), ...headers }))).toBe("415 unsupported_media_type");
  const latin1 = "id=%E9";
  expect(outcome(await send(url, latin1, { ...signedBy(latin1), ...form }))).toBe("415 unsupported_media_type");
});

test("a disabled, deaf or overloaded connector refuses webhooks: 403, 404, 413, 429", async () => {
  const off = await hooked();
  const to = (await off.show())["webhook_url"];
  await off.disable();
  const body = fresh();
  expect(outcome(await send(to, body))).toBe("403 inbound_inactive");
  await off.enable();
  expect(outcome(await send(to, body))).toBe("202");
  const deaf = await runConnector(service, { members: "" });
  expect((await deaf.show())["webhook_url"]).toBeNull();
  expect(outcome(await send(to.replace(off.key, deaf.key), body))).toBe("404 not_found");
  expect(outcome(await send(to, "x".repeat(1024 * 1024 + 1), {}))).toBe("413 payload_too_large");
  await service.database.query(
    `select rate_take(bucket, 'connector:' || tag || ':' || $1, 'connector.webhook', 600, 1000000000, 600) from connector_webhook where key = $1 limit 1`,
    [off.key],
  );
  const limited = await send(to, fresh());
  expect(outcome(limited)).toBe("429 rate_limited");
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
});

describe("with an API key", () => {
  test("the path without a token accepts signed and unsigned webhooks: 202, 401, 403, 404", async () => {
    const path = `/v1/connectors/${connector.key}/webhook`;
    const body = fresh();
    const answer = await service.api("POST", path, body, { headers: signedBy(body) });
    expect([answer.status, answer.body["status"]]).toEqual([202, "accepted"]);
    await connector.until((run) => run.log[0]?.fields.body.id === JSON.parse(body).id);
    expect((await send(url, body)).body["status"]).toBe("duplicate");
    const wrong = { "X-Signature": `sha256=${"0".repeat(64)}` };
    expect(outcome(await service.api("POST", path, fresh(), { headers: wrong }))).toBe("401 signature_invalid");
    const unsigned = fresh();
    expect((await service.api("POST", path, unsigned)).body["status"]).toBe("accepted");
    await connector.until((run) => run.log[0]?.fields.body.id === JSON.parse(unsigned).id);
    const reader = await mintKey(service, { permission_mode: "read_only" });
    expect(outcome(await service.api("POST", path, body, { key: reader.key, headers: signedBy(body) }))).toBe(
      "403 key_read_only",
    );
    const other = await otherWorkspace(service);
    expect(outcome(await service.api("POST", path, body, { key: other.key, headers: signedBy(body) }))).toBe(
      "403 inbound_inactive",
    );
    expect(
      outcome(await service.api("POST", "/v1/connectors/no-such/webhook", body, { headers: signedBy(body) })),
    ).toBe("404 not_found");
  });
});

function timed(body: string, seconds = Math.floor(Date.now() / 1000)): string {
  return `t=${seconds},v1=${mac(`${seconds}.${body}`).digest("hex")}`;
}
