import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { absentId, mintKey, otherWorkspace, tagOfId } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../testing/test-service.ts";

let service: TestService;
let made = 0;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

function ownId(): string {
  made += 1;
  return `cus_${made}`;
}

async function put(externalId: string, body: Record<string, unknown> = {}): Promise<ApiAnswer> {
  return await service.api("PUT", `/v1/customers/${encodeURIComponent(externalId)}`, body);
}

async function customer(body: Record<string, unknown> = {}): Promise<Parsed> {
  const answer = await put(ownId(), body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

async function putTicket(externalId: string, body: Record<string, unknown> = {}): Promise<ApiAnswer> {
  return await service.api("PUT", `/v1/tickets/${encodeURIComponent(externalId)}`, body);
}

covers("contact.customers.get", "GET /v1/customers/{id} returns the customer with this id", async () => {
  const externalId = ownId();
  const { body } = await put(externalId, { email: `${externalId}@example.com`, name: "Ada", tags: ["vip"], score: 7 });
  await putTicket(`${externalId}-1`, { customer_external_id: externalId });
  await putTicket(`${externalId}-2`, { customer_external_id: externalId, status: "pending" });
  await putTicket(`${externalId}-3`, { customer_external_id: externalId, status: "closed" });
  await putTicket(`${externalId}-4`, { customer_external_id: externalId, status: "resolved" });
  const occurred_at = "2026-11-20T09:00:00.000Z";
  await service.api("POST", `/v1/contacts/${body["id"]}/activities`, { summary: "Called", occurred_at });
  const answer = await service.api("GET", `/v1/customers/${body["id"]}`);
  expect(answer).toMatchObject({ status: 200 });
  expect(answer.body).toEqual({
    id: body["id"],
    object: "customer",
    email: `${externalId}@example.com`,
    email_aliases: [],
    name: "Ada",
    external_ids: [externalId],
    lifecycle_stage: null,
    score: 7,
    tags: ["vip"],
    tickets_open: 2,
    last_activity_at: occurred_at,
    context: {},
    scope_kind: "workspace",
    scope_key: expect.stringMatching(/^ws_/),
    environment: "live",
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
});

describe("GET /v1/customers", () => {
  test("200: an external id finds one customer, and lists show open ticket counts", async () => {
    const [busy, idle] = [await customer({ tags: ["listed"] }), await customer({ tags: ["listed"] })];
    await putTicket(`t-${busy.id}`, { customer_id: busy.id });
    const byId = await service.api("GET", `/v1/customers?external_id=${busy.external_ids[0]}`);
    expect(byId.body).toMatchObject({ object: "list", data: [{ id: busy.id, object: "customer" }], has_more: false });
    const list = await service.api("GET", "/v1/customers?tag=listed");
    expect(list.body["data"].map((row: Parsed) => [row.id, row.tickets_open])).toEqual([
      [idle.id, 0],
      [busy.id, 1],
    ]);
  });

  test("400: an unknown query", async () => {
    expect(await service.api("GET", "/v1/customers?name=Ada")).toMatchObject({
      status: 400,
      body: { code: "query_invalid" },
    });
  });
});

describe("PUT /v1/customers/{external_id}", () => {
  test("201, then 200: named members are set, and the others are kept", async () => {
    const externalId = ownId();
    const first = await put(externalId, { name: "Ada", lifecycle_stage: "trial", tags: ["a"] });
    expect(first).toMatchObject({ status: 201, body: { external_ids: [externalId], email: null } });
    const second = await put(externalId, { email: `${externalId}@Example.com`, lifecycle_stage: "enterprise" });
    expect(second).toMatchObject({
      status: 200,
      body: {
        id: first.body["id"],
        name: "Ada",
        tags: ["a"],
        email: `${externalId}@example.com`,
        lifecycle_stage: "enterprise",
      },
    });
  });

  test("200: a contact with the same address gets the external id", async () => {
    const externalId = ownId();
    const contact = await service.api("POST", "/v1/contacts", { email: `${externalId}@example.com`, name: "Ada" });
    const answer = await put(externalId, { email: `${externalId}@example.com` });
    expect(answer).toMatchObject({
      status: 200,
      body: { id: contact.body["id"], external_ids: [externalId], name: "Ada" },
    });
  });

  test("external ids may contain slashes, spaces, signs and letters of any script", async () => {
    for (const externalId of ["a/b c?d=e&f#g%", "顧客-1", "con_x", "7"]) {
      const answer = await put(externalId);
      expect(answer).toMatchObject({ status: 201, body: { external_ids: [externalId] } });
    }
  });

  test("409: external id and address lead to two customers, and neither changes", async () => {
    const [one, two] = [await customer(), await customer({ email: "two@example.com" })];
    const answer = await put(one.external_ids[0], { email: "two@example.com", name: "Both" });
    expect(answer).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect(answer.body["detail"]).toContain(two.id);
    expect((await service.api("GET", `/v1/customers/${one.id}`)).body).toEqual(one);
  });

  test("twenty concurrent requests create one customer", async () => {
    const externalId = ownId();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => put(externalId, { email: `${externalId}@example.com`, score: at })),
    );
    expect(new Set(answers.map((answer) => answer.body["id"])).size).toBe(1);
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
  });

  test.each([
    [{ email: "no" }, "/email"],
    [{ external_ids: ["x"] }, "/external_ids"],
    [{ score: 1e13 }, "/score"],
  ])("422: %j", async (body, pointer) => {
    expect(await put(ownId(), body)).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
  });

  test("404: an id of this service is not accepted as an external id", async () => {
    const { id } = await customer();
    expect(await put(id)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await putTicket(absentId({ tag: tagOfId(id) }, "tkt"))).toMatchObject({ status: 404 });
    expect((await service.api("GET", `/v1/customers?external_id=${id}`)).body["data"]).toEqual([]);
  });

  test("404: an id that contains NUL is refused", async () => {
    expect(await put("a\u0000b")).toMatchObject({ status: 404 });
  });

  test("403: a viewer and a read-only key cannot write", async () => {
    const viewer = await mintKey(service, { role: "viewer", actor_type: "service" });
    const reader = await mintKey(service, { permission_mode: "read_only" });
    for (const path of ["/v1/customers/x", "/v1/tickets/x"]) {
      expect(await service.api("PUT", path, {}, { key: viewer.key })).toMatchObject({
        status: 403,
        body: { code: "role_not_allowed" },
      });
      expect(await service.api("PUT", path, {}, { key: reader.key })).toMatchObject({
        status: 403,
        body: { code: "key_read_only" },
      });
    }
  });
});

describe("/v1/customers/{id} and /v1/tickets/{id}", () => {
  test("404 for absent ids, and 403 for ids of another workspace or environment", async () => {
    const { id } = await customer();
    const ticket = await putTicket(`t-${id}`);
    const other = await otherWorkspace(service);
    for (const [path, prefix, own] of [
      ["/v1/customers", "con", id],
      ["/v1/tickets", "tkt", ticket.body["id"]],
    ] as const) {
      const absent = absentId({ tag: tagOfId(id) }, prefix);
      expect(await service.api("GET", `${path}/${absent}`)).toMatchObject({ status: 404, body: { code: "not_found" } });
      expect(await service.api("GET", `${path}/nonsense`)).toMatchObject({ status: 404 });
      expect(await service.api("GET", `${path}/${other.id(prefix)}`)).toMatchObject({
        status: 403,
        body: { code: "workspace_mismatch" },
      });
      expect(await service.api("GET", `${path}/${own}`, undefined, { key: service.sandboxKey })).toMatchObject({
        status: 403,
        body: { code: "environment_mismatch" },
      });
    }
  });
});

describe("tickets", () => {
  covers("contact.tickets.list", "GET /v1/tickets returns the tickets that match the filters", async () => {
    const { id } = await customer();
    const tickets: Record<string, Parsed> = {};
    for (const [name, body] of Object.entries({
      one: { status: "open", priority: "high", assignee: "jonas@example.com", customer_id: id, subject: "Printer" },
      two: { status: "pending", priority: "high" },
      three: { status: "open", priority: "low", assignee: "ines@example.com" },
    }))
      tickets[name] = (await putTicket(`list-${name}`, body)).body;
    const found = async (query: string): Promise<string[]> => {
      const answer = await service.api("GET", `/v1/tickets?${query}`);
      expect(answer).toMatchObject({ status: 200 });
      return answer.body["data"]
        .map((row: Parsed) => row.external_id)
        .filter((name: string) => name.startsWith("list-"));
    };
    expect(tickets["one"]).toEqual({
      id: expect.stringMatching(/^tkt_[0-9a-z]{34}$/),
      object: "ticket",
      external_id: "list-one",
      customer_id: id,
      subject: "Printer",
      status: "open",
      priority: "high",
      assignee: "jonas@example.com",
      scope_kind: "workspace",
      scope_key: expect.stringMatching(/^ws_/),
      environment: "live",
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await found("limit=100")).toEqual(["list-three", "list-two", "list-one"]);
    expect(await found("status=open")).toEqual(["list-three", "list-one"]);
    expect(await found("priority=high&status=pending")).toEqual(["list-two"]);
    expect(await found("assignee=ines@example.com")).toEqual(["list-three"]);
    expect(await found(`customer_id=${id}`)).toEqual(["list-one"]);
    expect(await found("external_id=list-two")).toEqual(["list-two"]);
    expect(await found(`created_after=${tickets["two"].created_at}`)).toEqual(["list-three", "list-two"]);
    expect(await found(`created_before=${tickets["two"].created_at}`)).toEqual(["list-one"]);
    expect((await service.api("GET", `/v1/tickets/${tickets["one"].id}`)).body).toEqual(tickets["one"]);
  });

  test("pages stay complete while tickets arrive", async () => {
    for (let i = 0; i < 5; i += 1) await putTicket(`page-${i}`, { status: "paged" });
    const seen: string[] = [];
    let query = "status=paged&limit=2";
    for (let page = 0; page < 3; page += 1) {
      const { body } = await service.api("GET", `/v1/tickets?${query}`);
      seen.push(...body["data"].map((row: Parsed) => row.external_id));
      query = `status=paged&limit=2&cursor=${body["next_cursor"]}`;
      await putTicket(`page-new-${page}`, { status: "paged" });
    }
    expect(seen).toEqual(["page-4", "page-3", "page-2", "page-1", "page-0"]);
  });

  test("PUT: 201, then 200; named members are set, null clears, and others are kept", async () => {
    const first = await putTicket("put-1", { subject: "Help", priority: "low", assignee: "ines@example.com" });
    expect(first).toMatchObject({ status: 201, body: { status: "open", customer_id: null } });
    const externalId = ownId();
    const second = await putTicket("put-1", { assignee: null, status: "closed", customer_external_id: externalId });
    expect(second).toMatchObject({
      status: 200,
      body: { id: first.body["id"], subject: "Help", priority: "low", assignee: null, status: "closed" },
    });
    const customers = await service.api("GET", `/v1/customers?external_id=${externalId}`);
    expect(customers.body["data"][0]["id"]).toBe(second.body["customer_id"]);
    expect((await putTicket("put-1", { customer_id: null })).body).toMatchObject({ customer_id: null });
  });

  test("PUT: twenty concurrent requests create one ticket", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => putTicket("race", { subject: String(at) })),
    );
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
    expect(new Set(answers.map((answer) => answer.body["id"])).size).toBe(1);
  });

  test("PUT: 422, 404 and 403", async () => {
    const { id } = await customer();
    const other = await otherWorkspace(service);
    expect(await putTicket("bad", { customer_id: id, customer_external_id: "x" })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/customer_external_id" }] },
    });
    expect(await putTicket("bad", { status: "" })).toMatchObject({ status: 422 });
    expect(await putTicket("bad", { customer_id: absentId({ tag: tagOfId(id) }, "con") })).toMatchObject({
      status: 404,
    });
    expect(await putTicket("bad", { customer_id: other.id("con") })).toMatchObject({ status: 403 });
    expect((await service.api("GET", "/v1/tickets?external_id=bad")).body["data"]).toEqual([]);
  });

  test("GET: 400 for an unknown query, 403 for another workspace's customer", async () => {
    const other = await otherWorkspace(service);
    expect(await service.api("GET", "/v1/tickets?colour=red")).toMatchObject({ status: 400 });
    expect(await service.api("GET", `/v1/tickets?customer_id=${other.id("con")}`)).toMatchObject({ status: 403 });
  });

  test("the sandbox has its own tickets and customers under the same external ids", async () => {
    await putTicket("both", { subject: "live", customer_external_id: "both" });
    const sandbox = { key: service.sandboxKey };
    const sandboxed = await service.api("PUT", "/v1/tickets/both", { customer_external_id: "both" }, sandbox);
    expect(sandboxed).toMatchObject({ status: 201, body: { environment: "sandbox", subject: null } });
    const list = await service.api("GET", "/v1/tickets?external_id=both", undefined, sandbox);
    expect(list.body["data"].map((row: Parsed) => row.id)).toEqual([sandboxed.body["id"]]);
  });
});
