import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { exchangeAbout, listen, offered } from "../../testing/assistant.ts";
import { uuidOf } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let model: Receiver;
let backend: Receiver;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  model = await startReceiver();
  backend = await startReceiver();
  backend.answer((response) => response.writeHead(200, { "Content-Type": "application/json" }).end('{"done":true}'));
});
afterAll(async () => {
  await service.close();
  await model.close();
  await backend.close();
});

/** Returns a response in the format of a provider. */
function completion(content: string | null, calls: readonly { name: string; arguments: unknown }[] = []): string {
  return JSON.stringify({
    model: "small-1-2026",
    choices: [
      {
        message: {
          role: "assistant",
          content,
          tool_calls: calls.map((call, at) => ({ id: `call_${at}`, type: "function", function: call })),
        },
      },
    ],
    usage: { prompt_tokens: 120, completion_tokens: 12 },
  });
}

function answers(body: string, status = 200): void {
  model.answer((response) => response.writeHead(status, { "Content-Type": "application/json" }).end(body));
}

async function modelFor(event: string, more: Record<string, unknown> = {}): Promise<void> {
  const base = model.url.replace("/hook", "/v1");
  await listen(service, "openai_compatible", {
    base_url: base,
    model: "small-1",
    events: [event],
    max_per_minute: 1000,
    max_per_day: 1000,
    ...more,
  });
}

covers(
  "dispatch.subscriber.assistant",
  "the assistant receives a fired event that it subscribes to as a stage",
  async () => {
    answers(completion("Nothing to do."));
    await modelFor("ticket.created");
    const before = model.received.length;
    const event = await service.fire("ticket.created", { subject: "Where is my order?" });
    expect(event["subscribers"]).toContainEqual({ kind: "assistant", key: "assistant", priority: 50 });
    const exchange = await exchangeAbout(service, event["id"]);
    expect(exchange).toMatchObject({
      provider: "openai_compatible",
      model: "small-1-2026",
      response: "Nothing to do.",
      status: "ok",
      actor: { type: "ai" },
      usage: { input_tokens: 120, output_tokens: 12 },
    });
    await service.fire("order.paid", {});
    expect(model.received.slice(before).map(({ path }) => path)).toEqual(["/v1/chat/completions"]);
  },
);

covers(
  "assistant.history.recorded",
  "prompt, response, tool calls and their results are in the AI history",
  async () => {
    const contract = await offered(service, { requires_confirmation: true, endpoint: backend.url });
    const name = String(contract["key"]).replace(".", "-");
    answers(
      completion("A note helps.", [
        { name, arguments: '{"note":"call back"}' },
        { name: "made-up", arguments: "{}" },
      ]),
    );
    await modelFor("ticket.escalated");
    const event = await service.fire("ticket.escalated", { subject: "Angry" });
    const exchange = await exchangeAbout(service, event["id"], 2);
    expect(JSON.parse(exchange.prompt)).toMatchObject({ user: expect.stringContaining("Angry") });
    expect(exchange).toMatchObject({
      response: "A note helps.",
      tool_calls: [{ name: contract["key"], arguments: { note: "call back" } }, { name: "made.up" }],
      results: [
        { action: contract["key"], status: "proposed", proposal_id: expect.stringMatching(/^prop_/) },
        { action: "made.up", status: "refused", error_code: "action_unknown" },
      ],
    });
    const proposal = await service.api("GET", `/v1/proposals/${exchange.results[0].proposal_id}`);
    expect(proposal.body).toMatchObject({
      state: "proposed",
      surface: "assistant",
      proposer: { type: "ai" },
      parameters: { note: "call back" },
    });
    // The result of the proposal is added when the proposal ends.
    await service.api("POST", `/v1/proposals/${proposal.body.id}/reject`, { reason: "No" });
    const ended = await exchangeAbout(service, event["id"], 3);
    expect(ended.results[2]).toMatchObject({ tool_call_id: exchange.results[0].tool_call_id, status: "rejected" });
    expect(ended.source).toBe("assistant");
  },
);

covers(
  "assistant.actions.no-destructive",
  "an assistant's action waits for a person although the contract requires no confirmation",
  async () => {
    const contract = await offered(service, { endpoint: backend.url });
    answers(completion(null, [{ name: String(contract["key"]).replace(".", "-"), arguments: '{"note":"now"}' }]));
    await modelFor("order.refunded");
    const before = backend.received.length;
    const event = await service.fire("order.refunded", {});
    const exchange = await exchangeAbout(service, event["id"], 1);
    const { proposal_id: id } = exchange.results[0];
    expect(backend.received.length).toBe(before);
    const proposal = (await service.api("GET", `/v1/proposals/${id}`)).body;
    const approved = await service.api("POST", `/v1/proposals/${id}/approve`, { params_hash: proposal["params_hash"] });
    expect(approved.status).toBe(200);
    expect(backend.received.slice(before).map(({ body }): Parsed => JSON.parse(body))).toMatchObject([
      { action: contract["key"], parameters: { note: "now" }, actor: { type: "ai" } },
    ]);
  },
);

covers(
  "proposal.event.approved",
  "an approved AI proposal fires ai.action.approved, which the assistant does not receive",
  async () => {
    const contract = await offered(service, { endpoint: backend.url, requires_confirmation: true });
    answers(completion(null, [{ name: String(contract["key"]).replace(".", "-"), arguments: '{"note":"loop"}' }]));
    await modelFor("test.loop", { events: ["test.loop", "ai.action.approved", "action.executed"] });
    const event = await service.fire("test.loop", {});
    const { proposal_id: id } = (await exchangeAbout(service, event["id"], 1)).results[0];
    const { params_hash: hash } = (await service.api("GET", `/v1/proposals/${id}`)).body;
    await service.api("POST", `/v1/proposals/${id}/approve`, { params_hash: hash });
    const asked = model.received.length;
    for (const name of ["ai.action.approved", "action.executed"]) {
      const { data } = await service.until(`/v1/events?event=${name}`, (page) => page.data.length > 0);
      const told = await service.until(`/v1/events/${data[0].id}`, ({ stages }) =>
        stages.every(({ state }: { state: string }) => state === "done"),
      );
      expect((await service.api("GET", `/v1/ai-history?event_id=${told.id}`)).body["data"]).toEqual([]);
    }
    expect(model.received.length).toBe(asked);
  },
);

test("secrets never reach the model, and the workspace's instructions do", async () => {
  await service.api("PUT", "/v1/secrets/model_key", { value: "model-credential-canary" });
  answers(completion("ok"));
  await modelFor("test.secrets", { secret_ref: "model_key", instructions: "Always answer in Portuguese." });
  const before = model.received.length;
  const event = await service.fire("test.secrets", {
    note: `my key is ${service.key}`,
    password: "hunter2-canary",
    card: "4242 4242 4242 4242",
    echoed: "model-credential-canary",
    subject: "visible",
  });
  const exchange = await exchangeAbout(service, event["id"]);
  const [request] = model.received.slice(before);
  expect(request?.headers["authorization"]).toBe("Bearer model-credential-canary");
  expect(request?.body).toContain("visible");
  expect(request?.body).toContain("Always answer in Portuguese.");
  for (const secret of [service.key, "hunter2-canary", "4242 4242", "model-credential-canary"]) {
    expect(request?.body).not.toContain(secret);
    expect(JSON.stringify(exchange)).not.toContain(secret);
  }
});

test("a failing model delays no webhook, and the AI history has the error", async () => {
  const hook = await startReceiver();
  await service.endpoint(hook.url, { events: ["test.broken"] });
  const ways: readonly [string, () => void, string][] = [
    ["nonsense", () => answers("<html>busy</html>"), "provider_answer_invalid"],
    ["no choice", () => answers('{"choices":[]}'), "provider_answer_invalid"],
    ["refusal", () => answers("{}", 401), "provider_refused"],
    ["redirect", () => model.status(302, { Location: "http://10.0.0.1/" }), "provider_refused"],
    ["silence", () => model.answer(() => undefined), ""],
  ];
  for (const [what, behave, code] of ways) {
    behave();
    await modelFor("test.broken");
    const before = hook.received.length;
    const event = await service.fire("test.broken", { what });
    await hook.count(before + 1);
    if (code !== "")
      expect(await exchangeAbout(service, event["id"])).toMatchObject({ status: "failed", error_code: code });
  }
  expect((await service.api("GET", "/v1/assistant")).body["waiting"]).toBe(1);
  await hook.close();
});

test("a provider that is down is called again later", async () => {
  answers("{}", 503);
  await modelFor("test.again");
  const event = await service.fire("test.again", {});
  expect(await exchangeAbout(service, event["id"])).toMatchObject({ status: "failed", error_code: "provider_refused" });
  answers(completion("At last."));
  await service.database.query("update assistant_task set due_at = now() where state = 'due' and lease_id is null");
  const page = await service.until(`/v1/ai-history?event_id=${event["id"]}`, ({ data }) => data.length === 2);
  expect(page.data[0]).toMatchObject({ status: "ok", response: "At last." });
});

test("the AI history shows an event whose processing failed too often", async () => {
  answers("{}", 503);
  await modelFor("test.hopeless");
  const event = await service.fire("test.hopeless", {});
  await exchangeAbout(service, event["id"]);
  const before = (await service.api("GET", "/v1/assistant")).body["failed"] as number;
  await service.database.query(
    "update assistant_task set attempts = 10, due_at = now() where event_id = $1 and lease_id is null",
    [uuidOf(String(event["id"]))],
  );
  const page = await service.until(`/v1/ai-history?event_id=${event["id"]}`, ({ data }) => data.length === 2);
  expect(page.data[0]).toMatchObject({ status: "failed", error_code: "internal_error" });
  expect((await service.api("GET", "/v1/assistant")).body["failed"]).toBe(before + 1);
});

test("an exhausted day's budget skips events, and an exhausted minute's budget postpones them", async () => {
  answers(completion("ok"));
  await service.database.query("delete from assistant_ask");
  await modelFor("test.budget", { max_per_minute: 1, max_per_day: 2 });
  const [first, second] = [await service.fire("test.budget", { n: 1 }), await service.fire("test.budget", { n: 2 })];
  // The assistant received one of them; the other waits until the first is a minute old.
  const due =
    "select count(*)::int from assistant_task where event_id = any($1) and lease_id is null and due_at > now()";
  const ids = [first, second].map(({ id }) => uuidOf(String(id)));
  await expect.poll(async () => await service.database.query(due, [ids])).toEqual([{ count: 1 }]);
  await service.api("PATCH", "/v1/assistant", { max_per_minute: 100 });
  await service.database.query("update assistant_task set due_at = now() where state = 'due' and lease_id is null");
  for (const { id } of [first, second]) expect(await exchangeAbout(service, id)).toMatchObject({ status: "ok" });
  const third = await service.fire("test.budget", { n: 3 });
  expect(await exchangeAbout(service, third["id"])).toMatchObject({ status: "skipped", error_code: "budget_exceeded" });
});

test("a model's calls run once although the node could not save their results", async () => {
  const contract = await offered(service, { requires_confirmation: true, endpoint: backend.url });
  answers(completion(null, [{ name: String(contract["key"]).replace(".", "-"), arguments: '{"note":"once"}' }]));
  await modelFor("test.crash");
  // The calls are made, and their results are lost with the transaction that should save them.
  await service.database.query(
    "create function lost() returns trigger language plpgsql as $$ begin raise 'lost'; end $$",
  );
  await service.database.query(
    "create trigger lost before insert on ai_history_result for each row execute function lost()",
  );
  const event = await service.fire("test.crash", {});
  await service.until("/v1/proposals?limit=100", ({ data }) =>
    data.some(({ action }: Parsed) => action === contract["key"]),
  );
  const asked = model.received.length;
  await service.database.query("drop trigger lost on ai_history_result");
  await service.database.query("update assistant_task set due_at = now() where state = 'answered'");
  await exchangeAbout(service, event["id"], 1);
  const { data } = (await service.api("GET", "/v1/proposals?limit=100")).body;
  expect(data.filter(({ action }: Parsed) => action === contract["key"])).toHaveLength(1);
  expect(model.received.length).toBe(asked);
});
