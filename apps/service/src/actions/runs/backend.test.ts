import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { newSigningSecret } from "../../lib/lib.ts";
import { callOnce } from "../testing/backend.ts";
import type { Called } from "../testing/backend.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Received, Receiver } from "../../testing/receiver.ts";
import { macHex, macStandard } from "../../testing/signature.ts";
import type { ContractInput } from "../contracts/contracts.schemas.ts";

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(async () => await receiver.close());

/** Returns the last request that the backend received. */
function last(): Received {
  const one = receiver.received.at(-1);
  if (one === undefined) throw new Error("nothing was received");
  return one;
}

function answering(body: string, type = "application/json", status = 200): void {
  receiver.answer((response) => response.writeHead(status, { "Content-Type": type }).end(body));
}

async function call(more: Partial<ContractInput> = {}, way: Parameters<typeof callOnce>[1] = {}): Promise<Called> {
  return await callOnce({ endpoint: receiver.url, ...more }, way);
}

covers(
  ["action.state.executed", "action.remote.same-scheme"],
  "a call is one POST, signed in the same way as a webhook",
  async () => {
    answering('{"ok":true}');
    const { outcome, call: made, contract, signing } = await call();
    const { method, headers, body } = last();
    expect(method).toBe("POST");
    expect(JSON.parse(body)).toEqual({
      action: contract.key,
      run_id: made.runId,
      proposal_id: made.proposalId,
      parameters: { reason: "because" },
      actor: { type: "user", id: made.actor.id, display: "Ada" },
      scope_kind: "workspace",
      scope_key: expect.stringMatching(/^ws_/),
      environment: "live",
      requested_at: "2026-11-21T12:00:00.000Z",
    });
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "x-service-event": "action.execute",
      "x-service-delivery": made.runId,
      "x-service-signature": macHex(signing, body),
      "x-service-idempotency": `idk_${made.runId.slice(4)}`,
      "webhook-id": made.runId,
    });
    expect(headers["user-agent"]).toMatch(/^Junction\//);
    const timestamp = headers["x-service-timestamp"];
    expect(timestamp).toMatch(/^\d{10}$/);
    expect(headers["webhook-timestamp"]).toBe(timestamp);
    expect(headers["webhook-signature"]).toBe(macStandard(signing, { id: made.runId, timestamp, body }));
    expect(headers["authorization"]).toBeUndefined();
    expect(outcome).toMatchObject({
      ok: true,
      simulated: false,
      result: '{"ok":true}',
      status: 200,
      host: new URL(receiver.url).host,
      durationMs: expect.any(Number),
    });
  },
);

test("a repeated call has the same body and nonce", async () => {
  answering("{}");
  const { call: made } = await call();
  const first = last();
  await call({ key: "test.same" }, { call: made });
  const second = last();
  await call({ key: "test.same" }, { call: made });
  expect([last().body, last().headers["x-service-idempotency"]]).toEqual([
    second.body,
    first.headers["x-service-idempotency"],
  ]);
});

test("a regenerated secret signs together with the old one only during the overlap", async () => {
  answering("{}");
  const previous = newSigningSecret().reveal();
  const { signing } = await call({}, { previous: { secret: previous, forMs: 60_000 } });
  const { headers, body } = last();
  const of = { id: headers["webhook-id"], timestamp: headers["webhook-timestamp"], body };
  expect(headers["webhook-signature"]).toBe(`${macStandard(signing, of)} ${macStandard(previous, of)}`);
  expect(headers["x-service-signature"]).toBe(macHex(signing, body));
  await call({}, { previous: { secret: previous, forMs: -1 } });
  expect(last().headers["webhook-signature"]).not.toContain(" ");
});

covers("action.remote.auth", "each kind of authentication reaches the backend", async () => {
  answering("{}");
  const secret = "user:pass wörd";
  const auth = async (of: ContractInput["auth"], way = { secret }): Promise<Received["headers"]> => {
    const { outcome } = await call(of === undefined ? {} : { auth: of }, way);
    expect(outcome.ok).toBe(true);
    return last().headers;
  };
  const token = { secret: "token-123" };
  expect(await auth({ type: "bearer", secret_ref: "s" }, token)).toMatchObject({ authorization: "Bearer token-123" });
  expect(await auth({ type: "api_key", secret_ref: "s" }, token)).toMatchObject({ "x-api-key": "token-123" });
  expect(await auth({ type: "api_key", secret_ref: "s", header: "Authorization" }, token)).toMatchObject({
    authorization: "token-123",
  });
  expect(await auth({ type: "basic", secret_ref: "s" })).toMatchObject({
    authorization: `Basic ${Buffer.from(secret).toString("base64")}`,
  });
  const plain = await auth({ type: "hmac", secret_ref: "s" }, token);
  const { body } = last();
  expect(plain["x-service-signature"]).toBe(macHex("token-123", body));
  const signed = `${String(plain["webhook-id"])}.${String(plain["webhook-timestamp"])}.${body}`;
  expect(plain["webhook-signature"]).toBe(`v1,${createHmac("sha256", "token-123").update(signed).digest("base64")}`);
  const whsec = newSigningSecret().reveal();
  const standard = await auth({ type: "hmac", secret_ref: "s" }, { secret: whsec });
  expect(standard["webhook-signature"]).toBe(
    macStandard(whsec, { id: standard["webhook-id"], timestamp: standard["webhook-timestamp"], body: last().body }),
  );
});

test("nothing is sent if the secret that the contract names is missing", async () => {
  const before = receiver.received.length;
  const { outcome } = await call({ auth: { type: "bearer", secret_ref: "billing" } });
  expect(outcome).toMatchObject({ ok: false, errorCode: "secret_missing", outcomeUnknown: false, retryable: false });
  expect(outcome).toMatchObject({ detail: expect.stringContaining("billing") });
  expect(receiver.received.length).toBe(before);
});

test("a secret that no header can contain is neither sent nor shown", async () => {
  const { outcome } = await call({ auth: { type: "bearer", secret_ref: "s" } }, { secret: "snowman ☃" });
  expect(outcome).toMatchObject({ ok: false, errorCode: "action_endpoint_failed", outcomeUnknown: false });
  expect(JSON.stringify(outcome)).not.toContain("☃");
});

test("a sandbox run calls only the sandbox endpoint, or nothing", async () => {
  answering("{}");
  const before = receiver.received.length;
  const sandbox = { endpoint: "http://127.0.0.1:9/production", sandbox_endpoint: receiver.url };
  expect((await callOnce(sandbox, { sandbox: true })).outcome).toMatchObject({ ok: true, simulated: false });
  expect(JSON.parse(last().body).environment).toBe("sandbox");
  const { outcome } = await callOnce({ endpoint: receiver.url }, { sandbox: true });
  expect(outcome).toMatchObject({ ok: true, simulated: true, result: "null", status: null, host: null, durationMs: 0 });
  const undo = { undo: { endpoint: receiver.url } };
  expect((await callOnce(undo, { sandbox: true, call: { kind: "undo" } })).outcome).toMatchObject({ simulated: true });
  expect(receiver.received.length).toBe(before + 1);
});

covers("action.reversible.undo", "an undo is called at its own address, as a delivery of its own", async () => {
  answering("{}");
  const undo = { endpoint: receiver.url.replace("/hook", "/undo") };
  const { call: made } = await call({ undo }, { call: { kind: "undo", result: '{"refund_id":12345678901234567890}' } });
  const { path, headers, body } = last();
  expect([path, headers["x-service-event"]]).toEqual(["/undo", "action.undo"]);
  expect([headers["x-service-delivery"], headers["webhook-id"]]).toEqual([`${made.runId}-undo`, `${made.runId}-undo`]);
  expect(headers["x-service-idempotency"]).toBe(`idk_${made.runId.slice(4)}-undo`);
  expect(body).toMatch(/"result":\{"refund_id":12345678901234567890\}\}$/);
  expect(JSON.parse(body).run_id).toBe(made.runId);
});

covers("target.action.unsafe", "an address that has become unsafe is not called", async () => {
  const before = receiver.received.length;
  for (const [endpoint, reason] of [
    [receiver.url, "not_https"],
    [receiver.url.replace("http:", "https:"), "loopback"],
    ["https://10.0.0.1/", "private"],
    ["https://169.254.169.254/", "metadata"],
  ] as const) {
    const { outcome } = await callOnce({ endpoint }, { allow: "" });
    expect(outcome).toMatchObject({
      ok: false,
      errorCode: "url_blocked",
      extra: { reason },
      status: null,
      outcomeUnknown: false,
      retryable: false,
    });
  }
  expect(receiver.received.length).toBe(before);
});

covers("target.action.redirect", "a redirect is not followed", async () => {
  const before = receiver.received.length;
  for (const status of [301, 302, 303, 307, 308]) {
    receiver.answer((response) => response.writeHead(status, { Location: receiver.url }).end());
    const { outcome } = await call({ idempotent: true });
    expect(outcome).toMatchObject({
      ok: false,
      errorCode: "action_endpoint_redirect",
      status,
      outcomeUnknown: false,
      retryable: false,
    });
  }
  expect(receiver.received.length).toBe(before + 5);
});

covers(
  "action.remote.response",
  "the contract defines the success condition, the result's path and the exposed members",
  async () => {
    const answer = '{"status":"ok","data":{"id":12345678901234567890,"card":"4242","n":-0, "list":[1.10]},"n":null}';
    const cases: [string, NonNullable<ContractInput["response"]>, string | false][] = [
      [answer, {}, answer],
      [answer, { success_when: { path: "$.status", equals: "ok" } }, answer],
      [answer, { success_when: { path: "$.status", equals: "OK" } }, false],
      [answer, { success_when: { path: "$.missing", equals: null } }, false],
      [answer, { success_when: { path: "$.n", equals: null } }, answer],
      [answer, { result_path: "$.data" }, '{"id":12345678901234567890,"card":"4242","n":-0, "list":[1.10]}'],
      [answer, { result_path: "$.data.list[0]" }, "1.10"],
      [answer, { result_path: "$.data.missing" }, "null"],
      [answer, { result_path: "$.data", expose: ["id", "n", "other"] }, '{"id":12345678901234567890,"n":-0}'],
      [answer, { result_path: "$.data.list", expose: ["id"] }, "null"],
      ["[1,2]", {}, "[1,2]"],
      ['"text"', {}, '"text"'],
      ['{"constructor":1}', { expose: ["constructor", "toString"] }, '{"constructor":1}'],
    ];
    for (const [body, response, result] of cases) {
      answering(body);
      const { outcome } = await call({ response });
      if (result === false)
        expect(outcome).toMatchObject({
          ok: false,
          errorCode: "action_endpoint_failed",
          outcomeUnknown: false,
          status: 200,
        });
      else expect([response, outcome]).toEqual([response, expect.objectContaining({ ok: true, result })]);
    }
  },
);

test("a failure quotes the backend's own message, shortened and on one line", async () => {
  const response = { error_path: "$.error.message", success_when: { path: "$.ok", equals: true } };
  answering('{"ok":false,"error":{"message":"No such\\n\\u0007 payment"}}');
  expect((await call({ response })).outcome).toMatchObject({
    detail: expect.stringMatching(/It says: No such payment$/),
  });
  answering(`{"error":{"message":"${"x".repeat(5000)}"}}`, "application/json", 422);
  const { outcome } = await call({ response });
  expect(outcome).toMatchObject({ ok: false, status: 422, detail: expect.stringContaining("HTTP 422. It says: xxx") });
  expect(outcome.detail?.length).toBeLessThan(400);
  answering('{"error":{"message":{"code":7}}}', "application/json", 500);
  expect((await call({ response })).outcome).toMatchObject({ detail: expect.stringContaining('{"code":7}') });
});

test("secrets that the backend sends back are removed", async () => {
  const secret = "s3cret-t0ken";
  receiver.answer((response, request) => {
    const echo = { [`key ${secret}`]: request.headers, big: "BIG", nested: [{ body: request.body }, secret] };
    const text = JSON.stringify(echo).replace('"BIG"', "12345678901234567890");
    response.writeHead(200, { "Content-Type": "application/json" }).end(text);
  });
  const bearer = await call({ auth: { type: "bearer", secret_ref: "s" } }, { secret });
  expect(bearer.outcome).toMatchObject({ ok: true, result: expect.stringContaining("Bearer [redacted]") });
  expect(JSON.stringify(bearer.outcome)).not.toContain(secret);
  expect(JSON.stringify(bearer.outcome)).toContain("12345678901234567890");
  const login = "user:correct horse";
  const basic = await call({ auth: { type: "basic", secret_ref: "s" } }, { secret: login });
  expect(JSON.stringify(basic.outcome)).not.toContain(Buffer.from(login).toString("base64"));
  answering(String.raw`{"error":"bad token s3cret\u002dt0ken"}`, "application/json", 401);
  const refused = await call(
    { auth: { type: "bearer", secret_ref: "s" }, response: { error_path: "$.error" } },
    { secret },
  );
  expect(refused.outcome).toMatchObject({
    detail: "The backend responded with HTTP 401. It says: bad token [redacted]",
  });
});
