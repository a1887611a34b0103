import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { newTag, parseId, wireId } from "../../lib/lib.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let log: DeliveryLog;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  log = deliveryLog(service);
});
afterAll(async () => await service.close());

const list = async (query: string): Promise<ApiAnswer> => await service.api("GET", `/v1/deliveries?${query}`);
const idsOf = ({ body }: ApiAnswer): string[] => body["data"].map((one: { id: string }) => one.id);

async function fireBatch(event: string, count: number): Promise<string[]> {
  const events = Array.from({ length: count }, (_, n) => ({ event, data: { n } }));
  const fired = await service.api("POST", "/v1/events/batch", { events });
  return fired.body["data"].map((one: Parsed) => one["deliveries"][0].id);
}

test("the log is newest first and can be filtered and searched", async () => {
  const good = await subscribe(service);
  const bad = await subscribe(service, { status: 503 });
  const delivered = [await good.fire(), await good.fire()];
  const between = new Date().toISOString();
  await new Promise((resolve) => setTimeout(resolve, 5));
  const pending = [await bad.fire()];
  const cancelled = [await bad.fire()];
  for (const id of delivered) await log.in(id, "delivered");
  for (const id of [...pending, ...cancelled]) await log.attempted(id, 1);
  await service.api("POST", `/v1/deliveries/${cancelled[0]}/cancel`);
  const newestFirst = [...cancelled, ...pending, ...delivered.toReversed()];

  expect(idsOf(await list("limit=100"))).toEqual(newestFirst);
  expect((await list("limit=100")).body).toMatchObject({ object: "list", has_more: false, next_cursor: null });
  const found: Readonly<Record<string, string[]>> = {
    "state=delivered": delivered.toReversed(),
    "state=pending": pending,
    "state=cancelled": cancelled,
    "state=failed": [],
    [`endpoint_id=${good.endpoint.id}`]: delivered.toReversed(),
    [`endpoint_id=${bad.endpoint.id}&state=pending`]: pending,
    [`event=${bad.event}`]: [...cancelled, ...pending],
    "status_code=503": [...cancelled, ...pending],
    "status_code=200": delivered.toReversed(),
    [`created_after=${between}`]: [...cancelled, ...pending],
    [`created_before=${between}`]: delivered.toReversed(),
    [`q=${delivered[0]}`]: [delivered[0] ?? ""],
    [`q=${good.event}`]: delivered.toReversed(),
    [`q=${good.event}&state=pending`]: [],
    "event=never.fired": [],
  };
  for (const [query, ids] of Object.entries(found)) expect([query, idsOf(await list(query))]).toEqual([query, ids]);
  const eventId = (await log.get(pending[0] ?? ""))["event_id"];
  expect(idsOf(await list(`q=${eventId}`))).toEqual(pending);
});

test("pages contain each delivery once while rows arrive and states change", async () => {
  const { event, receiver, endpoint } = await subscribe(service, { status: 500 });
  const first = await fireBatch(event, 25);
  const seen: string[] = [];
  let cursor: string | null = "";
  for (let page = 0; cursor !== null; page += 1) {
    const more: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const answer = await list(`endpoint_id=${endpoint.id}&limit=10${more}`);
    expect(answer.body["has_more"]).toBe(page < 2);
    seen.push(...idsOf(answer));
    cursor = answer.body["next_cursor"];
    // New deliveries arrive, and pending ones end.
    await fireBatch(event, 3);
    receiver.status(page % 2 === 0 ? 200 : 500);
    await log.hurry();
  }
  expect(seen).toEqual(first.toReversed());
});

test("a cursor is refused when it is changed or used with another list", async () => {
  const { event } = await subscribe(service);
  await fireBatch(event, 3);
  const { next_cursor: cursor } = (await list(`event=${event}&limit=1`)).body;
  expect((await list(`event=${event}&limit=2&cursor=${cursor}`)).status).toBe(200);
  const refused = async (path: string, key = service.key): Promise<void> => {
    const { status, body } = await service.api("GET", path, undefined, { key });
    expect([path, status, body["code"]]).toEqual([path, 400, "cursor_invalid"]);
  };
  await refused(`/v1/deliveries?limit=1&cursor=${cursor}`);
  await refused(`/v1/deliveries?event=other&limit=1&cursor=${cursor}`);
  await refused(`/v1/deliveries?event=${event}&state=failed&cursor=${cursor}`);
  await refused(`/v1/webhook-endpoints?cursor=${cursor}`);
  await refused(`/v1/deliveries?event=${event}&cursor=${cursor}`, service.sandboxKey);
  await refused(
    `/v1/deliveries?event=${event}&cursor=${String(cursor).replace(/.(?=.$)/, (one) => (one === "A" ? "B" : "A"))}`,
  );
  await refused(`/v1/deliveries?event=${event}&cursor=x`);
});

test("the order of the filters in a query does not matter to its cursor", async () => {
  const { event } = await subscribe(service);
  await fireBatch(event, 3);
  const { next_cursor: cursor } = (await list(`event=${event}&status_code=200&state=delivered&limit=1`)).body;
  await service.until(`/v1/deliveries?event=${event}&state=delivered`, (page) => page["data"].length === 3);
  const page = cursor ?? (await list(`event=${event}&status_code=200&state=delivered&limit=1`)).body["next_cursor"];
  const answer = await list(`state=delivered&limit=1&cursor=${page}&status_code=200&event=${event}`);
  expect(answer.status).toBe(200);
});

test("unknown or malformed query parameters are refused: 400 query_invalid", async () => {
  for (const query of [
    "limit=0",
    "limit=101",
    "limit=x",
    "state=parked",
    "status_code=99",
    "since=1",
    "created_after=yesterday",
  ]) {
    const { status, body } = await list(query);
    expect([query, status, body["code"]]).toEqual([query, 400, "query_invalid"]);
  }
});

/** Returns every route that names a delivery or an endpoint. */
function routes(delivery: string, endpoint: string): readonly (readonly [string, string, unknown?])[] {
  const replay = { since: "2026-01-01T00:00:00Z", until: "2027-01-01T00:00:00Z" };
  return [
    ["GET", `/v1/deliveries/${delivery}`],
    ["GET", `/v1/deliveries/${delivery}/attempts`],
    ["POST", `/v1/deliveries/${delivery}/replay`],
    ["POST", `/v1/deliveries/${delivery}/cancel`],
    ["GET", `/v1/deliveries?endpoint_id=${endpoint}`],
    ["GET", `/v1/deliveries?q=${delivery}`],
    ["GET", `/v1/webhook-endpoints/${endpoint}`],
    ["PATCH", `/v1/webhook-endpoints/${endpoint}`, { description: "x" }],
    ["DELETE", `/v1/webhook-endpoints/${endpoint}`],
    ["POST", `/v1/webhook-endpoints/${endpoint}/toggle`],
    ["POST", `/v1/webhook-endpoints/${endpoint}/secret/regenerate`, {}],
    ["GET", `/v1/webhook-endpoints/${endpoint}/secret`],
    ["POST", `/v1/webhook-endpoints/${endpoint}/replay-failed`, replay],
    ["GET", `/v1/webhook-endpoints/${endpoint}/stats`],
  ];
}

covers(
  ["error.workspace.403", "workspace.belongs.delivery", "workspace.belongs.endpoint"],
  "ids of another workspace get 403 workspace_mismatch, whether or not the object exists",
  async () => {
    const { fire, endpoint } = await subscribe(service);
    const id = await fire();
    const tag = newTag();
    const foreign = (own: string): string => {
      const parsed = parseId(own);
      if (parsed === undefined) throw new Error(`${own} is an id`);
      return wireId(parsed.prefix, tag, parsed.uuid);
    };
    for (const [method, path, body] of routes(foreign(id), foreign(endpoint.id))) {
      const answer = await service.api(method, path, body);
      expect([path, answer.status, answer.body["code"]]).toEqual([path, 403, "workspace_mismatch"]);
    }
  },
);

covers(
  "sandbox.data.apart",
  "a sandbox key gets 403 environment_mismatch for live ids and never lists them",
  async () => {
    const { fire, endpoint, receiver } = await subscribe(service);
    const id = await fire();
    await log.in(id, "delivered");
    for (const [method, path, body] of routes(id, endpoint.id)) {
      const answer = await service.api(method, path, body, { key: service.sandboxKey });
      expect([path, answer.status, answer.body["code"]]).toEqual([path, 403, "environment_mismatch"]);
    }
    const sandbox = { key: service.sandboxKey };
    for (const path of ["/v1/deliveries", "/v1/webhook-endpoints"]) {
      expect((await service.api("GET", path, undefined, sandbox)).body["data"]).toEqual([]);
    }
    expect((await service.api("GET", `/v1/webhook-endpoints/${endpoint.id}`)).body["active"]).toBe(true);
    expect(receiver.received).toHaveLength(1);
  },
);

covers("sandbox.surface.same", "a sandbox event goes only to the sandbox's endpoints and is marked", async () => {
  const live = await subscribe(service, { more: { events: ["*"] } });
  const sandbox = { key: service.sandboxKey };
  const other = await subscribe(service);
  const made = await service.api("POST", "/v1/webhook-endpoints", { url: other.receiver.url, events: ["*"] }, sandbox);
  expect(made.body).toMatchObject({ environment: "sandbox" });
  const fired = await service.api("POST", "/v1/events/fire", { event: "order.created", data: {} }, sandbox);
  expect(fired.body["deliveries"]).toEqual([
    { id: expect.any(String), endpoint_id: made.body["id"], state: "pending" },
  ]);
  const [first] = await other.receiver.count(1);
  expect(JSON.parse(first?.body ?? "").environment).toBe("sandbox");
  expect(live.receiver.received).toHaveLength(0);
  await service.api("DELETE", `/v1/webhook-endpoints/${made.body["id"]}`, undefined, sandbox);
});

test("absent and malformed ids and ids of another kind get 404 not_found", async () => {
  const { fire, endpoint } = await subscribe(service);
  const id = await fire();
  const absent = (own: string): string => own.slice(0, -4) + (own.endsWith("0000") ? "1111" : "0000");
  const pairs = [
    [absent(id), absent(endpoint.id)],
    ["dlv_x", "ep_x"],
    [id.slice(0, -1), endpoint.id.slice(0, -1)],
    [id.toUpperCase(), endpoint.id.toUpperCase()],
    [endpoint.id, id],
    ["1", "1"],
    ["%00", "..%2f"],
  ];
  for (const [delivery = "", ep = ""] of pairs) {
    for (const [method, path, body] of routes(delivery, ep)) {
      // Ids in a filter or a search text are not part of the path: an absent id finds nothing there, and a text is an
      // event type.
      if (path.includes("?")) continue;
      const answer = await service.api(method, path, body);
      expect([method, path, answer.status, answer.body["code"]]).toEqual([method, path, 404, "not_found"]);
    }
  }
});
