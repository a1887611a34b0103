import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const template = (body: unknown, more: object = {}): object => ({ kind: "template", body, ...more });

async function tried(path: string, body: unknown): Promise<ApiAnswer> {
  return await service.api("POST", `${path}/transform/test`, body);
}

async function versions(path: string): Promise<Parsed[]> {
  return (await service.api("GET", `${path}/transform/versions`)).body["data"];
}

describe("a test of a transformation", () => {
  test("shows the event before and the request after it, and sends nothing", async () => {
    const { path, receiver } = await subscribe(service, {
      more: { transform: template({ n: "${$.data.n}", x: "${$.data.x}" }, { headers: { "X-A": "${$.event}" } }) },
    });
    const { status, body } = await tried(path, '{"event":"order.created","data":{"n":1.50}}');
    expect(status).toBe(200);
    expect(body).toEqual({
      before:
        '{"id":"evt_test","timestamp":"2026-01-01T00:00:00.000Z","tenant":null,"attempt":1,"event":"order.created","data":{"n":1.50}}',
      after: { method: "POST", headers: { "X-A": "order.created" }, body: '{"n":1.50,"x":null}' },
      filtered: false,
      error: null,
      log: ["There is no value at $.data.x."],
    });
    expect(receiver.received).toHaveLength(0);
  });

  test("takes a past event and a transformation that is not saved", async () => {
    const { path, event } = await subscribe(service);
    const fired = await service.fire(event, { n: 7 });
    const transform = template({ id: "${$.id}", n: "${$.data.n}" });
    const { body } = await tried(path, { event_id: fired["id"], transform });
    expect(JSON.parse(body["after"].body)).toEqual({ id: fired["id"], n: 7 });
    expect((await service.api("GET", path)).body["transform"]).toBeNull();
  });

  test("refuses what it cannot run", async () => {
    const { path } = await subscribe(service);
    const pointers = ({ status, body }: ApiAnswer): unknown[] => [status, body["errors"]?.[0]?.pointer];
    expect(pointers(await tried(path, { event: "order.created" }))).toEqual([422, "/transform"]);
    expect(pointers(await tried(path, { event: "a..b", transform: template({}) }))).toEqual([422, "/event"]);
    expect(pointers(await tried(path, { transform: template({}) }))).toEqual([422, ""]);
    const faulty = template("${$.nothing}");
    expect(pointers(await tried(path, { event: "a.b", transform: faulty }))).toEqual([422, "/transform/body"]);
  });

  test("does not read an event of another workspace or of the other environment", async () => {
    const { path } = await subscribe(service);
    const other = await otherWorkspace(service);
    const foreign = await service.api("POST", "/v1/events/fire", { event: "a.b", data: {} }, { key: other.key });
    const sandbox = await service.api(
      "POST",
      "/v1/events/fire",
      { event: "a.b", data: {} },
      { key: service.sandboxKey },
    );
    for (const { body } of [foreign, sandbox])
      expect((await tried(path, { event_id: body["id"], transform: template({}) })).status).toBe(403);
  });
});

describe("the versions of a transformation", () => {
  test("tell who changed it, when and to what, digit by digit", async () => {
    const { path } = await subscribe(service, { more: { transform: template({ v: 1 }) } });
    const second = '{"kind":"template","body":{"v":2.00}}';
    await service.api("PATCH", path, `{"transform":${second}}`);
    await service.api("PATCH", path, `{"transform":${second},"description":"the same"}`);
    await service.api("PATCH", path, { transform: null });
    const { text, body } = await service.api("GET", `${path}/transform/versions`);
    expect(body["data"].map((one: Parsed) => one["version"])).toEqual([3, 2, 1]);
    expect(body["data"][0]).toMatchObject({
      transform: null,
      author: { kind: "key", id: expect.stringMatching(/^key_/) },
    });
    expect(text).toContain(second);
    expect((await service.api("GET", path)).body).toMatchObject({ transform: null, transform_version: 3 });
    const page = await service.api("GET", `${path}/transform/versions?limit=1`);
    const next = await service.api("GET", `${path}/transform/versions?limit=5&cursor=${page.body["next_cursor"]}`);
    expect(next.body["data"].map((one: Parsed) => one["version"])).toEqual([2, 1]);
  });

  test("are the last fifty", async () => {
    const { path } = await subscribe(service, { more: { transform: template({ v: 1 }) } });
    for (let v = 2; v <= 52; v += 1) await service.api("PATCH", path, { transform: template({ v }) });
    const found = (await service.api("GET", `${path}/transform/versions?limit=100`)).body["data"];
    expect([found.length, found.at(-1)["version"]]).toEqual([50, 3]);
  });

  test("number two changes at the same time one after the other", async () => {
    const { path } = await subscribe(service, { more: { transform: template({ v: 1 }) } });
    await Promise.all([2, 3, 4, 5].map(async (v) => await service.api("PATCH", path, { transform: template({ v }) })));
    expect((await versions(path)).map((one) => one["version"])).toEqual([5, 4, 3, 2, 1]);
  });

  test("are not those of another workspace", async () => {
    const { path } = await subscribe(service);
    const other = await otherWorkspace(service);
    expect((await service.api("GET", `${path}/transform/versions`, undefined, { key: other.key })).status).toBe(403);
    const reader = await mintKey(service, { permission_mode: "read_only" });
    expect((await service.api("GET", `${path}/transform/versions`, undefined, { key: reader.key })).status).toBe(200);
  });
});

describe("the cases of a transformation", () => {
  const one = (expected: string, data = '{"n":9007199254740993}'): string =>
    `{"event":"order.created","data":${data},"expect":${expected}}`;
  const withCases = (...cases: string[]): string =>
    `{"transform":{"kind":"template","body":{"n":"\${$.data.n}","id":"\${$.id}"},"cases":[${cases.join(",")}]}}`;

  test("have to pass before it is saved", async () => {
    const { path } = await subscribe(service);
    const good = one('{"id":"evt_test","n":9007199254740993.0}');
    const wrong = one('{"n":9007199254740992,"id":"evt_test"}');
    const refused = await service.api("PATCH", path, withCases(good, wrong));
    expect([refused.status, refused.body["code"]]).toEqual([409, "transform_cases_failed"]);
    expect(refused.body["errors"]).toEqual([
      {
        pointer: "/transform/cases/1",
        code: "case_failed",
        message: expect.stringContaining('but got {"n":9007199254740993,"id":"evt_test"}'),
      },
    ]);
    expect((await service.api("GET", path)).body).toMatchObject({ transform: null, transform_version: null });
    expect(await versions(path)).toEqual([]);
    expect((await service.api("PATCH", path, withCases(good))).status).toBe(200);
  });

  test("are required of a new endpoint too", async () => {
    const body = `{"url":"http://127.0.0.1:9/x","events":["a.b"],${withCases(one("null")).slice(1)}`;
    expect((await service.api("POST", "/v1/webhook-endpoints", body)).status).toBe(409);
  });

  test("have names of events that can be fired", async () => {
    const { path } = await subscribe(service);
    const cases = [{ event: "a..b", data: {}, expect: {} }];
    const { status, body } = await service.api("PATCH", path, { transform: template({}, { cases }) });
    expect([status, body["errors"]?.[0].pointer]).toEqual([422, "/transform/cases/0/event"]);
  });
});
