import { afterAll, beforeAll, expect, test } from "vitest";
import { createIdMaker, newTag, systemClock } from "../../lib/lib.ts";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import { joined } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { provesSuccesses } from "../../testing/successes.ts";
import type { RequestRow } from "./request-log.store.ts";
import { createRequestWriter } from "./request-log.worker.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

const idOf = (answer: ApiAnswer): string => answer.headers.get("x-service-request-id") ?? "";
const logged = async (answer: ApiAnswer): Promise<Parsed> => {
  const list = await service.until("/v1/requests?limit=100", ({ data }) =>
    data.some((one: Parsed) => one.id === idOf(answer)),
  );
  return list.data.find((one: Parsed) => one.id === idOf(answer));
};

test("every success that the routes declare", async () => {
  const row = await logged(await service.api("GET", "/v1/me"));
  await provesSuccesses(service, ["/v1/requests"], {
    "GET /v1/requests 200": async () => await service.api("GET", "/v1/requests"),
    "GET /v1/requests/{id} 200": async () => await service.api("GET", `/v1/requests/${row.id}`),
  });
});

test("a request is logged with operation and response, but without arguments", async () => {
  const key = await mintKey(service);
  const { id } = await service.fire();
  const refused = await service.api("POST", `/v1/events/${id}x/refire`, undefined, { key: key.key });
  const row = await logged(refused);
  expect(row).toMatchObject({
    object: "request",
    operation: "events.refire",
    method: "POST",
    path: "/v1/events/{id}/refire",
    status: 404,
    error_code: "not_found",
    key_id: key.id,
    member_id: null,
    ip: "127.0.0.1",
    environment: "live",
  });
  expect(row.duration_ms).toBeGreaterThan(0);
  expect((await service.api("GET", `/v1/requests/${row.id}`)).body).toEqual(row);
  expect(JSON.stringify(row)).not.toContain(id);
});

test("refused requests and General API calls are logged under their operation", async () => {
  const { key } = await mintKey(service, { permission_mode: "read_only" });
  const refused = await logged(await service.api("POST", "/v1/events/fire", { event: "a.b", data: {} }, { key }));
  expect([refused.operation, refused.error_code, refused.status]).toEqual(["events.fire", "key_read_only", 403]);
  const called = await logged(
    await service.api("POST", "/api/v1.php", { action: "events.fire", event: "a.b", data: {} }),
  );
  expect([called.operation, called.path, called.status, called.error_code]).toEqual([
    "events.fire",
    "/api/v1.php",
    202,
    null,
  ]);
});

test("a console request is logged with its member unless it only reads", async () => {
  const person = await joined(service, "developer");
  const shown = await person.call("GET", "/v1/events");
  const refused = await person.call("GET", "/v1/audit");
  const row = await logged(refused);
  expect([row.key_id, row.member_id, row.status]).toEqual([null, person.memberId, 403]);
  expect((await service.api("GET", `/v1/requests/${idOf(shown)}`)).status).toBe(404);
});

test("the filters find what they say, and nothing else", async () => {
  const key = await mintKey(service);
  const call = async (method: string, path: string): Promise<ApiAnswer> =>
    await service.api(method, path, undefined, { key: key.key });
  await call("GET", "/v1/me");
  await call("GET", "/v1/events?limit=0");
  await logged(await call("DELETE", "/v1/webhook-endpoints/ep_1"));
  const found = async (query: string): Promise<string[]> =>
    (await service.api("GET", `/v1/requests?key_id=${key.id}&${query}`)).body.data.map((one: Parsed) => one.operation);
  const [me, list, remove] = ["me.get", "events.list", "webhook_endpoints.delete"];
  expect(await found("")).toEqual([remove, list, me]);
  expect(await found("status_class=4xx")).toEqual([remove, list]);
  expect(await found("status_class=2xx")).toEqual([me]);
  expect(await found("status=404")).toEqual([remove]);
  expect(await found("error_code=query_invalid")).toEqual([list]);
  expect(await found("operation=me.get")).toEqual([me]);
  expect(await found("method=DELETE")).toEqual([remove]);
  expect(await found("ip=203.0.113.1")).toEqual([]);
  expect(await found(`created_after=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
  expect(await found(`created_before=${new Date(Date.now() + 60_000).toISOString()}`)).toHaveLength(3);
  const { body: first } = await service.api("GET", `/v1/requests?key_id=${key.id}&limit=2`);
  expect(await found(`limit=2&cursor=${first.next_cursor}`)).toEqual([me]);
});

test("403 and 404: other workspaces' requests and keys are theirs", async () => {
  const row = await logged(await service.api("GET", "/v1/me"));
  const { key, id } = await otherWorkspace(service);
  expect((await service.api("GET", `/v1/requests/${row.id}`, undefined, { key })).status).toBe(404);
  expect((await service.api("GET", `/v1/requests/${row.id}`, undefined, { key: service.sandboxKey })).status).toBe(404);
  expect((await service.api("GET", `/v1/requests?key_id=${id("key")}`)).body.code).toBe("workspace_mismatch");
});

const ids = createIdMaker(systemClock);
const place = { bucket: 1, tag: newTag() };

function rowOf(status: number): RequestRow {
  const row = { ...place, id: ids.uuid(), operation: "events.fire", method: "POST", path: "/" };
  return { ...row, status, error_code: null, duration_ms: 1, key_id: null, member_id: null, ip: "127.0.0.1" };
}

test("requests above the limit per second are only counted; refusals have their own limit", () => {
  const unlogged: string[] = [];
  const { note } = createRequestWriter({
    db: service.service.db,
    log: service.service.telemetry.log,
    clock: { ...systemClock, monotonicMs: () => 5000 },
    signals: { requestUnlogged: (tag) => unlogged.push(tag) },
  });
  for (let n = 0; n < 700; n += 1) note(rowOf(202));
  expect(unlogged).toHaveLength(200);
  for (let n = 0; n < 500; n += 1) note(rowOf(429));
  expect(unlogged).toHaveLength(200);
});

test("successes do not crowd out refusals while the database is unavailable", async () => {
  const unlogged: string[] = [];
  let second = 0;
  const { note, stop } = createRequestWriter({
    db: { ...service.service.db, soft: async () => await Promise.reject(new Error("no database")) },
    log: service.service.telemetry.log,
    clock: { ...systemClock, monotonicMs: () => second * 1000 },
    signals: { requestUnlogged: (tag) => unlogged.push(tag) },
  });
  for (; second < 12; second += 1) for (let n = 0; n < 500; n += 1) note(rowOf(200));
  expect(unlogged).toHaveLength(1000);
  for (let n = 0; n < 500; n += 1) note(rowOf(429));
  expect(unlogged).toHaveLength(1000);
  await stop();
  // Rows that are put back leave room for those of a second.
  expect(unlogged).toHaveLength(1500);
  second += 1;
  for (let n = 0; n < 500; n += 1) note(rowOf(200));
  note(rowOf(429));
  expect(unlogged).toHaveLength(1500);
});

test("refused rows delay no others, and are written once they are accepted", async () => {
  const foreign = await otherWorkspace(service);
  await service.database.query(
    `alter table request_log add constraint refused check (tag <> '${foreign.tag}') not valid`,
  );
  const refused = await service.api("GET", "/v1/me", undefined, { key: foreign.key });
  for (let n = 0; n < 3; n += 1) {
    const answer = await service.api("GET", "/v1/me");
    expect((await logged(answer)).id).toBe(idOf(answer));
  }
  const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
  expect(metrics).toMatch(/^junction_unwritten_rows\{of="requests"\} [1-9]/m);
  await service.database.query("alter table request_log drop constraint refused");
  const path = `/v1/requests/${idOf(refused)}`;
  await expect
    .poll(async () => (await service.api("GET", path, undefined, { key: foreign.key })).status, { timeout: 5000 })
    .toBe(200);
});
