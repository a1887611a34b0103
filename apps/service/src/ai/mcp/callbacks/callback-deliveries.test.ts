import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callbackTests, OTHER_SECRET } from "../../../testing/mcp-callbacks.ts";
import { startService } from "../../../testing/service.ts";
import { SHORT_LADDER } from "../../../testing/subscription.ts";
import type { TestService } from "../../../testing/test-service.ts";

/** How a receiver is challenged, and what it then gets. */

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: SHORT_LADDER });
});
afterAll(async () => await service.close());

const tests = callbackTests(() => service);
const HOUR_MS = 3_600_000;

describe("the challenge", () => {
  test("a receiver that does not repeat it gets nothing", async () => {
    const name = await tests.typed();
    for (const [how, reason] of [
      ["forge", "challenge_failed"],
      [204, "challenge_failed"],
      [302, "challenge_failed"],
      [404, "http_4xx"],
      [503, "http_5xx"],
    ] as const) {
      tests.client.answerChallenges(how);
      const { error } = await tests.client.subscribe(name);
      expect([how, error?.code, error?.data]).toEqual([how, -32015, { reason }]);
    }
    await tests.fire(name);
    const closed = { mode: "webhook", url: "http://127.0.0.1:9/", secret: OTHER_SECRET };
    expect((await tests.client.subscribe(name, undefined, { delivery: closed })).error).toMatchObject({
      code: -32015,
      data: { reason: "connection_refused" },
    });
    expect((await tests.endpoints()).filter(({ events }) => events.includes(name))).toEqual([]);
    tests.client.answerChallenges("echo");
    await tests.client.subscribe(name);
    await tests.fire(name, { after: true });
    expect((await tests.client.count(1)).map(({ event }) => event["data"])).toEqual([{ after: true }]);
  });

  test("an address inside the network is refused before anything is sent", async () => {
    const name = await tests.typed();
    for (const url of ["http://169.254.169.254/latest", "http://10.0.0.1/", "https://[::1]:1/", "ftp://example.com/"]) {
      const { error } = await tests.client.subscribe(name, undefined, {
        delivery: { mode: "webhook", url, secret: OTHER_SECRET },
      });
      expect([url, error?.code, error?.data?.["code"]]).toEqual([url, -32602, "url_blocked"]);
    }
  });

  test("is asked again after a day and for other clients; a failure changes nothing", async () => {
    const name = await tests.typed();
    const { result } = await tests.client.subscribe(name);
    await service.database.query(
      "update endpoint set callback_verified_at = now() - interval '25 hours' where subscription_id is not null",
    );
    tests.client.answerChallenges("forge");
    expect((await tests.client.subscribe(name)).error).toMatchObject({ code: -32015 });
    await tests.fire(name);
    expect(await tests.client.count(1)).toMatchObject([{ faults: [] }]);
    tests.client.answerChallenges("echo");
    expect((await tests.client.subscribe(name)).result?.["id"]).toBe(result?.["id"]);
    const other = await tests.subscriber();
    const delivery = { mode: "webhook", url: tests.client.url, secret: OTHER_SECRET };
    const theirs = await tests.open({ token: other.key });
    const made = await theirs.subscribe(name, undefined, { delivery });
    expect(tests.client.challenges).toHaveLength(4);
    expect(made.result?.["id"]).not.toBe(result?.["id"]);
  });
});

describe("a new secret", () => {
  test("signs together with the one before, also after a refresh", async () => {
    const name = await tests.typed();
    await tests.client.subscribe(name);
    tests.client.rotate();
    await tests.client.subscribe(name);
    await tests.client.subscribe(name);
    await tests.fire(name);
    const [got] = await tests.client.count(1);
    expect(got?.headers["webhook-signature"]?.toString().split(" ")).toHaveLength(2);
    tests.client.endOverlap();
    await tests.fire(name);
    expect((await tests.client.count(2)).map(({ faults }) => faults)).toEqual([[], []]);
    const [row] = await service.database.query<{ ends: Date }>(
      "select previous_expires_at as ends from endpoint where subscription_id is not null and previous_expires_at is not null order by created_at desc limit 1",
    );
    expect(Math.round((Number(row?.ends) - Date.now()) / HOUR_MS)).toBe(24);
  });

  test("that arrives with others at once leaves one subscription with one of them", async () => {
    const name = await tests.typed();
    const secrets = Array.from({ length: 8 }, (_, at) => `whsec_${Buffer.alloc(32, at + 1).toString("base64")}`);
    const made = await Promise.all(
      secrets.map(
        async (secret) =>
          await tests.client.subscribe(name, undefined, {
            delivery: { mode: "webhook", url: tests.client.url, secret },
          }),
      ),
    );
    expect(new Set(made.map(({ result }) => result?.["id"])).size).toBe(1);
    expect((await tests.endpoints()).filter(({ events }) => events.includes(name))).toHaveLength(1);
    await tests.client.subscribe(name);
    await tests.fire(name);
    expect(await tests.client.count(1)).toMatchObject([{ faults: [] }]);
  });
});

describe("a delivery", () => {
  test("is tried again after 503 with the same id, and is logged", async () => {
    const name = await tests.typed();
    await tests.client.subscribe(name);
    tests.client.answerEvents(503);
    const id = await tests.fire(name);
    await tests.client.count(1);
    tests.client.answerEvents(200);
    const got = await tests.client.count(2);
    expect(got.map(({ event }) => event["eventId"])).toEqual([id, id]);
    await expect
      .poll(async () => (await service.api("GET", `/v1/deliveries?event=${name}`)).body["data"])
      .toMatchObject([{ state: "delivered", attempt_count: 2 }]);
    const [delivery] = (await service.api("GET", `/v1/deliveries?event=${name}`)).body["data"];
    const { request } = (await service.api("GET", `/v1/deliveries/${delivery.id}`)).body;
    expect([request.body, request.headers["webhook-id"]]).toEqual([got[0]?.body, id]);
    expect((await service.api("POST", `/v1/deliveries/${delivery.id}/replay`, {})).status).toBe(202);
    expect((await tests.client.count(3))[2]).toMatchObject({ isRepeated: true, faults: [] });
  });

  test.each([410, 413])("that the receiver refuses with %i is not tried again, and ends nothing", async (status) => {
    const name = await tests.typed();
    await tests.client.subscribe(name);
    tests.client.answerEvents(status);
    await tests.fire(name);
    await expect
      .poll(async () => (await service.api("GET", `/v1/deliveries?event=${name}`)).body["data"])
      .toMatchObject([{ state: "failed", attempt_count: 1, last_status_code: status }]);
    tests.client.answerEvents(200);
    await tests.fire(name);
    expect((await tests.client.count(2)).map(({ isRepeated }) => isRepeated)).toEqual([false, false]);
    expect((await tests.endpoints()).find(({ events }) => events.includes(name))).toMatchObject({ active: true });
  });

  test("of data that is too large is a stub, and get_recent_events has the data", async () => {
    const name = await tests.typed();
    await tests.client.subscribe(name);
    const [fits, large] = ["x".repeat(261_000), "é".repeat(131_000)];
    await tests.fire(name, { text: fits });
    await tests.client.count(1);
    const id = await tests.fire(name, { text: large });
    const [whole, stub] = await tests.client.count(2);
    expect(whole).toMatchObject({ faults: [], event: { data: { text: fits } } });
    expect(stub).toMatchObject({
      faults: [],
      event: { eventId: id, data: { truncated: true, event_id: id, read_tool: "get_recent_events" } },
    });
    const read = await tests.recent({ event_id: id });
    expect(read).toMatchObject([{ eventId: id, name, data: { text: large }, delivery: { state: "delivered" } }]);
  });
});
