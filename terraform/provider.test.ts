import { afterAll, beforeAll, expect, test } from "vitest";
import { richObjects } from "../apps/service/src/testing/rich-objects.ts";
import { startService } from "../apps/service/src/testing/service.ts";
import type { Parsed, TestService } from "../apps/service/src/testing/test-service.ts";
import { chosen, kinds, pathOf, resourceOf, text } from "./testing/described.ts";
import { builtProvider, goRun, workspace } from "./testing/workspace.ts";
import type { Workspace } from "./testing/workspace.ts";

/** The provider, run by the real OpenTofu against a real service. The first run of a machine builds OpenTofu. */

const MINUTES_60 = 3_600_000;
const URL = "http://127.0.0.1:9/hook";
/** The operations whose richest bodies the kinds are tried with. An inbox has only its name. */
const CREATION: Readonly<Record<string, string>> = {
  api_key: "keys.create",
  approval_channel: "approval_channels.create",
  contract: "action_contracts.create",
  event_type: "event_types.create",
  rule: "rules.create",
  secret: "secrets.put",
  source: "inbound_endpoints.create",
  webhook_endpoint: "webhook_endpoints.create",
  workflow: "workflows.create",
};

let service: TestService;
let provider: Awaited<ReturnType<typeof builtProvider>>;
const spaces: Workspace[] = [];

beforeAll(async () => {
  // An installation without mail refuses approval channels by e-mail.
  service = await startService({
    env: { JUNCTION_SMTP_URL: "smtp://127.0.0.1:9", JUNCTION_MAIL_FROM: "a@example.com" },
  });
  provider = await builtProvider();
  await inSpace();
}, MINUTES_60);
afterAll(async () => {
  for (const space of spaces) await space.end();
  await provider.end();
  await service.close();
});

async function inSpace(options: { readonly key?: string; readonly baseUrl?: string } = {}): Promise<Workspace> {
  const space = await workspace({ provider: provider.folder, baseUrl: service.baseUrl, key: service.key, ...options });
  spaces.push(space);
  return space;
}

/** Reads an object as the API shows it. */
async function shown(path: string): Promise<Parsed> {
  const { status, body } = await service.api("GET", path);
  expect(status).toBe(200);
  return body;
}

test("Go's own tests pass, and the module is formatted and complete", async () => {
  await goRun(["vet", "./..."]);
  await goRun(["test", "./..."]);
  await goRun(["mod", "verify"]);
  await goRun(["mod", "tidy", "-diff"]);
  // `go fmt` prints the files that it had to format.
  expect((await goRun(["fmt", "./..."])).stdout).toBe("");
});

test("every member of every kind can be configured, and then nothing is to do", async () => {
  const space = await inSpace();
  const rich = await richObjects(service);
  const bodies = new Map<string, Parsed>();
  const resources: Record<string, Record<string, object>> = {};
  for (const kind of kinds) {
    const { bodies: found, names } = rich[CREATION[kind] ?? ""] ?? { bodies: [{}], names: { name: "orders" } };
    for (const [at, body] of found.entries()) bodies.set(`junction_${kind}.n${at}`, { ...names, ...body });
    resources[`junction_${kind}`] = Object.fromEntries(
      found.map((body, at) => [`n${at}`, resourceOf(kind, { ...names, ...body })]),
    );
  }
  await space.write(resources);
  await space.apply();
  expect(await space.plan()).toEqual({});
  const state = await space.state();
  expect(Object.keys(state).toSorted()).toEqual([...bodies.keys()].toSorted());
  for (const [address, body] of bodies) {
    const [, kind = ""] = /^junction_(\w+)\./.exec(address) ?? [];
    const path = pathOf(kind, state[address]);
    if (path !== undefined) expect(state[address]).toMatchObject(chosen(kind, body, await shown(path)));
  }
  await space.apply("-destroy");
  expect(await space.state()).toEqual({});
});

test("objects that name each other are made in order, before their ids are known", async () => {
  const space = await inSpace();
  await space.write({
    junction_inbox: { trial: { name: "trial" } },
    junction_secret: { crm: { name: "crm", value: "a-secret-value" } },
    junction_workflow: {
      late: {
        name: "Late order",
        trigger: text(JSON.stringify({ event: "order.created" })),
        steps: text(JSON.stringify([{ id: "pause", type: "delay", seconds: 60 }])),
      },
    },
    junction_rule: {
      late: {
        name: "Late order",
        on: ["order.created"],
        then: '${jsonencode([{ type = "start_workflow", workflow_id = junction_workflow.late.id }])}',
      },
    },
    junction_webhook_endpoint: {
      crm: {
        url: "${junction_inbox.trial.url}",
        events: ["order.created"],
        auth: { type: "bearer", secret_ref: "${junction_secret.crm.name}" },
      },
    },
  });
  await space.apply();
  expect(await space.plan()).toEqual({});
  const state = await space.state();
  const rule = await shown(`/v1/rules/${state["junction_rule.late"].id}`);
  expect(rule.then).toEqual([{ type: "start_workflow", workflow_id: state["junction_workflow.late"].id }]);
  await space.apply("-destroy");
});

test("what was changed by hand is shown by the plan, and undone", async () => {
  const space = await inSpace();
  const filter = { all: [{ field: "data.total", op: "gt", value: 1 }] };
  await space.write({
    junction_webhook_endpoint: {
      crm: { url: URL, name: "crm", events: ["a.b", "c.d"], filter: text(JSON.stringify(filter)) },
    },
  });
  await space.apply();
  const address = "junction_webhook_endpoint.crm";
  const { id, secret } = (await space.state())[address];
  const path = `/v1/webhook-endpoints/${id}`;
  const byHand = { events: ["*"], filter: null, description: "Mine", max_in_flight: 3, channels: ["red"] };
  expect((await service.api("PATCH", path, byHand)).status).toBe(200);
  expect(await space.plan()).toEqual({ [address]: "update" });
  await space.apply("plan");
  // The service chose `max_in_flight`, so that it stays.
  const wanted = { events: ["a.b", "c.d"], filter, description: "", max_in_flight: 3, channels: [] };
  expect(await shown(path)).toMatchObject(wanted);
  expect((await space.state())[address]).toMatchObject({ id, secret });
  expect((await service.api("PATCH", path, { active: false })).status).toBe(200);
  expect(await space.plan()).toEqual({});
  expect((await service.api("DELETE", path)).status).toBe(204);
  expect(await space.plan()).toEqual({ [address]: "create" });
  await space.apply();
  const again = (await space.state())[address];
  expect(again.id).not.toBe(id);
  expect(await shown(`/v1/webhook-endpoints/${again.id}`)).toMatchObject({ events: ["a.b", "c.d"] });
  await space.apply("-destroy");
});

test("an object that has ended is made again: a revoked key, an archived type", async () => {
  const space = await inSpace();
  await space.write({
    junction_api_key: { shop: { name: "Shop", permission_mode: "read_only", actor_type: "service", role: "viewer" } },
    junction_event_type: { lost: { name: "parcel.ended", schema: '{"type":"object"}' } },
  });
  await space.apply();
  const { id, key } = (await space.state())["junction_api_key.shop"];
  expect((await service.api("GET", "/v1/keys", undefined, { key })).status).toBe(403);
  expect((await service.api("POST", `/v1/keys/${id}/revoke`)).status).toBe(200);
  expect((await service.api("DELETE", "/v1/event-types/parcel.ended")).status).toBe(204);
  expect(await space.plan()).toEqual({ "junction_api_key.shop": "create", "junction_event_type.lost": "create" });
  await space.apply();
  expect(await space.plan()).toEqual({});
  await space.apply("-destroy");
  expect((await shown("/v1/event-types?archived=true")).data.map((one: Parsed) => one.name)).toContain("parcel.ended");
});

test("an import takes over what exists by its id, name or key", async () => {
  const made = async (path: string, body: object): Promise<Parsed> => (await service.api("POST", path, body)).body;
  const endpoint = await made("/v1/webhook-endpoints", {
    url: URL,
    events: ["a.b"],
    auth: null,
    metadata: { crm: "1" },
  });
  await made("/v1/event-types", { name: "parcel.taken", schema: { type: "object", required: ["b", "a"] } });
  const rule = {
    name: "Taken",
    on: ["a.b"],
    then: [{ type: "add_tag", tag: "x" }],
    when: { field: "event", op: "eq", value: "a.b" },
  };
  const { id } = await made("/v1/rules", rule);
  expect((await service.api("PUT", "/v1/inboxes/taken")).status).toBe(200);
  const space = await inSpace();
  const inbox = { junction_inbox: { one: { name: "taken" } } };
  await space.write(inbox);
  expect(await space.refused()).toContain("It exists already. Import it, or choose another name.");
  const imports = {
    "junction_webhook_endpoint.one": endpoint.id,
    "junction_event_type.one": "parcel.taken",
    "junction_rule.one": id,
    "junction_inbox.one": "taken",
  };
  const resources = {
    ...inbox,
    junction_webhook_endpoint: { one: { url: URL, events: ["a.b"], metadata: { crm: "1" } } },
    junction_event_type: { one: { name: "parcel.taken", schema: '{ "required": ["b", "a"], "type": "object" }' } },
    junction_rule: { one: resourceOf("rule", rule) },
  };
  await space.write(resources, { import: Object.entries(imports).map(([to, of]) => ({ to, id: of })) });
  expect(await space.plan()).toEqual({});
  await space.apply("plan");
  expect(Object.keys(await space.state()).toSorted()).toEqual(Object.keys(imports).toSorted());
  await space.write(resources);
  expect(await space.plan()).toEqual({});
  await space.apply("-destroy");
  expect((await service.api("GET", `/v1/rules/${id}`)).status).toBe(404);
});
