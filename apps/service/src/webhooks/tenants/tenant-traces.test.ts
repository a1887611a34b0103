import { afterAll, beforeAll, expect, test } from "vitest";
import { listen, offered } from "../../testing/assistant.ts";
import { registerContract } from "../../testing/contracts.ts";
import { dump } from "../../testing/dump.ts";
import { makeSource } from "../../testing/inbound.ts";
import { mintKey } from "../../testing/keys.ts";
import { META, send } from "../../testing/mcp.ts";
import { OPERATOR_PATH } from "../../testing/operator-tools.ts";
import { ruleOn } from "../../testing/rules.ts";
import { SHORT_LADDER } from "../../testing/subscription.ts";
import { startWithReceiver } from "../../testing/with-receiver.ts";
import type { ServiceWithReceiver } from "../../testing/with-receiver.ts";
import type { ApiAnswer, Parsed } from "../../testing/test-service.ts";

const CANARY = "CANARY-OF-ACME";
/** Tables that may show the canary, as docs/guide/tenants.md says: evidence, and what belongs to the workspace itself. */
const KEPT = new Set(["ai_history", "ai_history_result", "audit_row"]);

let at: ServiceWithReceiver;
beforeAll(async () => {
  at = await startWithReceiver(SHORT_LADDER);
  // Every receiver answers with what it got.
  at.receiver.answer((response, { body }) => {
    const said = body.includes(CANARY) ? CANARY : "another";
    response.writeHead(200, { "Content-Type": "application/json", "X-Echo": said });
    response.end(body.includes("parameters") ? JSON.stringify({ result: { said } }) : body);
  });
});
afterAll(async () => await at.close());

const post = async (path: string, body: object, key = at.service.key): Promise<Parsed> => {
  const answer = await at.service.api("POST", path, body, { key });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
  return answer.body;
};

/** The events that were made because of the one that starts everything, oldest first. */
async function caused(): Promise<Parsed[]> {
  const pages: ApiAnswer = await at.service.api("GET", "/v1/events?limit=100");
  return pages.body["data"].filter(({ event }: Parsed) => event !== "schedule.due").toReversed();
}

/** Makes rules and workflows with every action and step, on events of every tenant. */
async function automate(): Promise<void> {
  const { service, receiver } = at;
  const { url } = receiver;
  const said = { said: "${$.data.said}" };
  const params = { said: { type: "string", max: 200 } };
  const roles = ["owner", "admin", "developer"];
  const contract = { params, roles, endpoint: url, surface: ["api", "rule", "workflow"] };
  const { key: action } = await registerContract(service, { ...contract, response: { expose: ["said"] } });
  const { key: asks } = await registerContract(service, {
    ...contract,
    requires_confirmation: true,
    approval: { required: 1, approver_roles: ["owner"] },
  });
  await offered(service, { key: "canary.offered", requires_confirmation: true });
  await listen(service, "scripted", {
    events: ["canary.told"],
    script: [{ calls: [{ action: "canary.offered", arguments: { note: "about ${$.data.said}" } }] }],
  });
  const inner = { id: "started", type: "set", values: said };
  const { id: workflowId } = await post("/v1/workflows", {
    name: "Started by a rule",
    trigger: { event: "canary.never" },
    steps: [inner, { id: "wait", type: "wait_event", event: "canary.never", timeout_seconds: 3600 }],
  });
  await ruleOn(service, {
    on: ["canary.fired"],
    then: [
      { type: "fire_event", event: "canary.by.rule", data: said },
      { type: "fire_event", event: "canary.told", data: said },
      { type: "notify", to: ["owner"], message: "${data.said}" },
      { type: "post_webhook", url },
      { type: "post_webhook", url, body: said },
      { type: "http", method: "POST", url, body: said },
      { type: "start_workflow", workflow_id: workflowId, input: said },
      { type: "run_action", action, parameters: said },
      { type: "run_action", action: asks, parameters: said },
    ],
  });
  const step = (type: string, more: object): object => ({ id: type, type, ...more });
  const wait = {
    event: "canary.awaited",
    timeout_seconds: 3600,
    match: { field: "data.said", op: "eq", value: said.said },
  };
  await post("/v1/workflows", {
    name: "Every step",
    trigger: { event: "canary.fired" },
    steps: [
      step("set", { values: said }),
      step("fire_event", { event: "canary.by.workflow", data: said }),
      step("webhook", { url, body: said }),
      step("http", { method: "POST", url, body: said }),
      step("action", { action, parameters: said }),
      step("parallel", {
        branches: [
          [{ id: "in_branch", type: "fire_event", event: "canary.by.branch", data: said }],
          [{ id: "set_branch", type: "set", values: said }],
        ],
      }),
      step("for_each", {
        in: [said],
        steps: [
          { id: "in_item", type: "set", values: { item: "${item}" } },
          { id: "post_item", type: "webhook", url, body: { item: "${item}" } },
        ],
      }),
      step("wait_event", wait),
      step("wait_approval", { approver_roles: ["owner"], title: "${$.data.said}" }),
    ],
  });
  for (const type of ["delay", "wait_approval", "wait_event"])
    await post("/v1/workflows", {
      name: `Waits by ${type}`,
      trigger: { event: "canary.fired" },
      steps: [
        step(type, {
          ...(type === "delay" ? { seconds: 3600 } : {}),
          ...(type === "wait_event" ? { ...wait, event: "canary.never" } : {}),
          ...(type === "wait_approval" ? { approver_roles: ["owner"], title: "${$.data.said}" } : {}),
        }),
      ],
    });
}

/** Plants the canary on every path that begins with a tenant. */
async function plant(tenant: string, said: string): Promise<void> {
  const { service, receiver } = at;
  const { url } = receiver;
  const { key } = await mintKey(service, { tenant });
  await post("/v1/webhook-endpoints", { url: `${url}/${said}`, events: ["*"], tenant, description: said });
  await post("/v1/webhook-endpoints", { url: "http://127.0.0.1:9/", events: ["canary.fired"], tenant });
  const mapping = { event_type_path: "$.type", summary_path: "$.said", idempotency_key_path: "$.id", contact: "none" };
  const source = await makeSource(service, { ...mapping, tenant, name: said });
  await source.send(JSON.stringify({ id: said, type: "canary.inbound", said }));
  await source.send(JSON.stringify({ said }));
  await post("/v1/portal-sessions", { tenant, capabilities: ["endpoints"], contact_email: `${said}@example.com` });
  const later = new Date(Date.now() + 3_600_000).toISOString();
  await post("/v1/events/fire", { event: "canary.later", data: { said }, deliver_at: later }, key);
  await post("/v1/events/fire", { event: "canary.fired", subject: said, data: { said } }, key);
  const agent = await mintKey(service, { tenant, role: "developer", scopes: ["ops:read"] });
  await send(
    service,
    "tools/call",
    { name: "deliveries_read", arguments: { action: "list" }, _meta: { ...META, ...clientInfo(said) } },
    { key: agent.key, path: OPERATOR_PATH },
  );
  await service.service.audit.activityWorker.flush();
}

function clientInfo(name: string): object {
  return { "io.modelcontextprotocol/clientInfo": { name, version: "1" } };
}

const FIRED_BY = [
  "canary.by.rule",
  "canary.by.workflow",
  "canary.by.branch",
  "notification.created",
  "rule.webhook",
  "workflow.webhook",
  "action.proposed",
  "action.executed",
  "inbound.receipt.unmapped",
];

test("what a tenant's events cause carries the tenant, and goes with it", async () => {
  const { service, receiver } = at;
  await post("/v1/webhook-endpoints", { url: receiver.url, events: ["*", "notification.created"] });
  await automate();
  await plant("acme", CANARY);
  await plant("globex", "GLOBEX-SAID");
  const wantedOf = (events: readonly Parsed[], tenant: string): string[] =>
    FIRED_BY.filter((name) => !events.some((one) => one["event"] === name && one["tenant"] === tenant));
  const missing = async (): Promise<string[][]> => {
    const events = await caused();
    return ["acme", "globex"].map((tenant) => wantedOf(events, tenant));
  };
  await expect.poll(missing, { timeout: 60_000, interval: 500 }).toEqual([[], []]);
  // Nothing of a tenant is without it.
  expect(
    (await caused()).filter(({ tenant, ...one }) => tenant === undefined && JSON.stringify(one).includes("SAID")),
  ).toEqual([]);
  const waiting = async (): Promise<unknown[]> =>
    await service.database.query(
      "select from workflow_wait w join workflow_run r on r.id = w.run_id where r.tenant = 'acme'",
    );
  // An event that comes before a run waits is not the one that it waits for.
  await expect.poll(waiting, { timeout: 60_000 }).toHaveLength(3);
  await post("/v1/events/fire", { event: "canary.awaited", data: { said: CANARY }, tenant: "acme" });
  const proposals = async (): Promise<Parsed[]> =>
    (await service.api("GET", "/v1/proposals?state=proposed&limit=100")).body["data"];
  await expect.poll(async () => (await proposals()).length, { timeout: 30_000 }).toBeGreaterThanOrEqual(7);

  const before = await dump(service);
  const full = [...before].filter(([, text]) => text.includes(CANARY)).map(([name]) => name);
  expect(full).toEqual(
    expect.arrayContaining([
      "event",
      "workflow_run",
      "workflow_step",
      "notification",
      "http_call",
      "action_run",
      "action_proposal",
      "endpoint",
      "ai_activity",
    ]),
  );

  await service.api("DELETE", "/v1/tenants/acme");
  await expect
    .poll(
      async () => {
        await service.database.query(
          "update tenant_deletion set due_at = now() where phase = 'deliveries' and due_at > now()",
        );
        return (await service.api("GET", "/v1/tenants/acme")).body["deletion"]?.["state"];
      },
      { timeout: 60_000, interval: 200 },
    )
    .toBe("finished");
  const after = await dump(service);
  const left = [...after].flatMap(([name, text]) =>
    text
      .split("\n")
      .filter((row) => row.includes(CANARY))
      .map((row) => [name, row.slice(0, 300)]),
  );
  expect(left.filter(([name]) => !KEPT.has(name ?? ""))).toEqual([]);
  // Those of the other tenant are all there.
  expect(after.get("ai_activity")).toContain("GLOBEX-SAID");
  expect(wantedOf(await caused(), "globex")).toEqual([]);
  const [runs] = await service.database.query<{ open: number }>(
    "select count(*)::int as open from workflow_run where tenant = 'globex' and ended_at is null",
  );
  expect(runs?.open).toBeGreaterThanOrEqual(4);
  const [open] = await service.database.query<{ n: number }>(
    "select count(*)::int as n from workflow_run r where ended_at is null and tenant is distinct from 'globex' and parent_id is null",
  );
  expect(open?.n).toBe(0);
});

test("a tenant does not see the events about the workspace's own work", async () => {
  const { service, receiver } = at;
  const { key } = await mintKey(service, { tenant: "globex" });
  const isInternal = (name: string): boolean => !name.startsWith("canary.") && name !== "inbound.canary.inbound";
  const { body } = await service.api("GET", "/v1/events?limit=100", undefined, { key });
  const seen = body["data"].map(({ event }: Parsed) => event);
  expect(seen).toContain("canary.by.rule");
  expect(seen.filter(isInternal)).toEqual([]);
  const answers: (readonly [string, number])[] = [];
  for (const { id, event, tenant } of await caused())
    if (tenant === "globex")
      answers.push([event, (await service.api("GET", `/v1/events/${id}`, undefined, { key })).status]);
  expect(answers.map(([name]) => name)).toEqual(expect.arrayContaining(FIRED_BY));
  expect(answers.filter(([name, status]) => (status === 404) !== isInternal(name))).toEqual([]);
  const theirs = receiver.received.filter(({ path }) => path.endsWith("GLOBEX-SAID"));
  expect(theirs.length).toBeGreaterThan(0);
  expect(
    theirs.filter(({ body: text }) => FIRED_BY.some((name) => isInternal(name) && text.includes(`"${name}"`))),
  ).toEqual([]);
});
