import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { runConnector, SECRET } from "../../testing/connector-runs.ts";
import type { RunningConnector } from "../../testing/connector-runs.ts";
import { freshKey } from "../../testing/connectors.ts";
import { outcome } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;
let base: string;
let connector: RunningConnector;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  receiver = await startReceiver();
  base = new URL(receiver.url).origin;
  connector = await acting({ "fixtures/http.json": FIXTURES });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const FIXTURES = JSON.stringify([
  {
    request: { method: "POST", url: "{settings.base_url}/refunds/*" },
    response: { status: 201, json: { id: "re_fixture" } },
  },
]);

function contract(key: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    key,
    label: "Refund",
    surface: ["api"],
    roles: ["owner", "admin", "developer"],
    requires_confirmation: false,
    audit: true,
    params: { how: { type: "string", required: true, max: 50 } },
    ...more,
  };
}

async function acting(files: Record<string, string>): Promise<RunningConnector> {
  const key = freshKey();
  const space = key.replaceAll("-", "_");
  return await runConnector(
    service,
    {
      members: `registerActions() { return { "${space}.refund": "refund", "${space}.refund:undo": "back" }; }
        async refund(parameters, run) {
          this.log("info", "asked", { parameters, run });
          if (parameters.how === "throws") throw new Error("the account is closed");
          if (parameters.how === "hangs") await new Promise(() => setTimeout(() => {}, 1e6));
          if (parameters.how === "lost") {
            await this.http({ method: "POST", url: this.settings("base_url") + "/lost", json: {}, timeout_ms: 300 });
          }
          if (parameters.how === "calls") {
            const { status, json } = await this.http({ method: "POST", url: this.settings("base_url") + "/refunds/1", json: {}, auth: "settings.api_key" });
            return { status, id: json.id, token: "keep", nested: { a: 1 } };
          }
          return { done: parameters.how };
        }
        async back(parameters, run) { this.log("info", "undone", { parameters, run }); return { back: run.result }; }`,
      actions: [
        contract(`${space}.refund`, { reversible: true, undo: { window_seconds: 600 }, timeout_ms: 1000 }),
        contract(`${space}.remote`, { endpoint: `${base}/remote`, params: {} }),
      ],
      description: { egress: ["settings.base_url", new URL(base).host] },
      settings: { base_url: base, api_key: SECRET },
      files,
    },
    key,
  );
}

async function run(how: string, as = service.key, on = connector): Promise<ApiAnswer> {
  return await service.api(
    "POST",
    "/v1/actions/run",
    { action: `${on.namespace}.refund`, parameters: { how } },
    { key: as },
  );
}

covers(
  "connector.hook.register-actions",
  "an action without an address runs, is audited and undone by the connector's code",
  async () => {
    expect([connector.enabled.status, connector.enabled.text]).toEqual([200, expect.any(String)]);
    expect(connector.enabled.body["actions"]).toEqual([
      `${connector.namespace}.refund`,
      `${connector.namespace}.remote`,
    ]);
    const answer = await run("plain");
    expect([answer.status, answer.body["status"], answer.body["result"]]).toEqual([200, "executed", { done: "plain" }]);
    const [logged] = await connector.until((one) => one.log[0]?.message === "asked");
    expect(logged).toMatchObject({ hook: "action", name: `${connector.namespace}.refund`, outcome: "ok" });
    expect(logged.log[0].fields).toEqual({
      parameters: { how: "plain" },
      run: { id: answer.body["id"], idempotency_key: expect.stringMatching(/^idk_/), dry_run: false },
    });
    const row = (await service.api("GET", `/v1/audit/${answer.body["audit_id"]}`)).body;
    expect(row).toMatchObject({
      action: `${connector.namespace}.refund`,
      status: "executed",
      backend: { host: connector.key, status: null },
    });
    const undone = await service.api("POST", `/v1/runs/${answer.body["id"]}/undo`);
    expect([undone.status, undone.body["status"]]).toEqual([200, "undone"]);
    const [back] = await connector.until((one) => one.name.endsWith(":undo"));
    expect(back.log[0].fields.run).toMatchObject({ id: answer.body["id"], result: { done: "plain" } });
    expect(back.log[0].fields.run.idempotency_key).not.toBe(logged.log[0].fields.run.idempotency_key);
  },
);

test("an action with its own address is sent there, as for any contract", async () => {
  receiver.answer((response) =>
    response.writeHead(200, { "Content-Type": "application/json" }).end('{"from":"backend"}'),
  );
  const answer = await service.api("POST", "/v1/actions/run", {
    action: `${connector.namespace}.remote`,
    parameters: {},
  });
  receiver.status(200);
  expect(answer.body["result"]).toEqual({ from: "backend" });
  expect(receiver.received.at(-1)?.path).toBe("/remote");
});

test("an error fails the run, and a timeout or lost request is unknown: 502, 504", async () => {
  const threw = await run("throws");
  expect(outcome(threw)).toBe("502 action_endpoint_failed");
  expect(threw.body["detail"]).toContain("the account is closed");
  expect(threw.body["execution"]).toMatchObject({ status: "failed", outcome_unknown: false });
  const hung = await run("hangs");
  expect(outcome(hung)).toBe("504 action_endpoint_timeout");
  expect(hung.body["execution"]).toMatchObject({ status: "failed", outcome_unknown: true });
  receiver.answer(() => undefined);
  const lost = await run("lost");
  receiver.status(200);
  expect(outcome(lost)).toBe("502 action_endpoint_failed");
  expect(lost.body["execution"]["outcome_unknown"]).toBe(true);
});

covers(
  "sandbox.data.apart",
  "the sandbox uses the folder's fixtures, and simulates the action without fixtures",
  async () => {
    const before = receiver.received.length;
    const answer = await run("calls", service.sandboxKey);
    expect(answer.body).toMatchObject({
      status: "executed",
      simulated: true,
      result: { status: 201, id: "re_fixture" },
    });
    const unmatched = await run("lost", service.sandboxKey);
    expect(outcome(unmatched)).toBe("502 action_endpoint_failed");
    expect(unmatched.body["detail"]).toContain("fixtures/http.json has no response for POST");
    const bare = await acting({});
    expect((await run("throws", service.sandboxKey, bare)).body).toMatchObject({
      status: "executed",
      simulated: true,
      result: null,
    });
    expect(await bare.runs("", service.sandboxKey)).toEqual([]);
    expect(receiver.received.length).toBe(before);
  },
);

test("concurrent requests with the same idempotency key run the code once", async () => {
  const body = { action: `${connector.namespace}.refund`, parameters: { how: "same" } };
  const answers = await Promise.all(
    Array.from(
      { length: 10 },
      async () => await service.api("POST", "/v1/actions/run", body, { headers: { "Idempotency-Key": "k3-once" } }),
    ),
  );
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  await connector.until((one) => one.log[0]?.fields.parameters?.how === "same");
  const runs = await connector.runs("&hook=action");
  expect(runs.filter((one) => one.log[0]?.fields.parameters?.how === "same")).toHaveLength(1);
});

test("actions of a disabled connector are not found: 404", async () => {
  const other = await acting({});
  await other.disable();
  expect(outcome(await run("plain", service.key, other))).toBe("404 action_unknown");
});
