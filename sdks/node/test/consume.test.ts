import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { pullEndpoint } from "../../../apps/service/src/testing/pull-endpoint.ts";
import { startService } from "../../../apps/service/src/testing/service.ts";
import { UNLIMITED } from "../../../apps/service/src/testing/subscription.ts";
import type { TestService } from "../../../apps/service/src/testing/test-service.ts";
import { wayTo } from "../../../apps/service/src/testing/way.ts";
import { Junction, webhooks } from "../src/index.ts";
import type { ConsumedMessage } from "../src/index.ts";

let service: TestService;
let junction: Junction;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  junction = new Junction({ apiKey: service.key, baseUrl: service.baseUrl });
});
afterAll(async () => await service.close());

const numberOf = ({ body }: ConsumedMessage): unknown =>
  body === null ? null : (JSON.parse(body) as { data: { n: unknown } }).data.n;

async function positionOf(path: string): Promise<number> {
  return (await service.api("GET", `${path}/consumers`)).body["data"][0]["position"] as number;
}

test("a message is committed after the body of the loop", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 }, { n: 2 }, { n: 3 });
  const seen: unknown[] = [];
  const positions: number[] = [];
  for await (const message of junction.consume(endpoint.id, { consumer: "a", limit: 2, once: true })) {
    seen.push(numberOf(message));
    positions.push(await positionOf(endpoint.path));
    expect(webhooks.verify(message.body ?? "", message.headers, endpoint.secret)).toMatchObject({
      event: endpoint.event,
    });
  }
  expect([seen, positions, await positionOf(endpoint.path)]).toEqual([[1, 2, 3], [1, 2, 3], 4]);
});

test("a body that throws gives its message back", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 }, { n: 2 });
  const seen: unknown[] = [];
  const consume = async (): Promise<void> => {
    for await (const message of junction.consume(endpoint.id, { consumer: "a", once: true })) {
      seen.push(numberOf(message));
      if (seen.length === 2) throw new Error("no");
    }
  };
  await expect(consume()).rejects.toThrow("no");
  await consume();
  expect(seen).toEqual([1, 2, 2]);
});

test("the iterator pulls again after its lease was lost", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 }, { n: 2 }, { n: 3 });
  const seen: unknown[] = [];
  for await (const message of junction.consume(endpoint.id, { consumer: "a", once: true })) {
    seen.push(numberOf(message));
    if (seen.length === 2) await endpoint.call("seek", { consumer: "a", to: { offset: 2 } });
  }
  expect(seen).toEqual([1, 2, 2, 3]);
});

test("the iterator waits for messages, for a busy consumer, and ends with its signal", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 });
  const other = await endpoint.call("pull", { consumer: "a" });
  const end = new AbortController();
  const seen: unknown[] = [];
  const waits: string[] = [];
  const onWait = ({ code }: { code: string }): void => {
    waits.push(code);
    void endpoint.call("release", { consumer: "a", lease_id: other.body["lease"]["id"] });
  };
  const consuming = (async () => {
    for await (const message of junction.consume(endpoint.id, { consumer: "a", signal: end.signal, onWait })) {
      seen.push(numberOf(message));
      if (seen.length === 1) void endpoint.fire({ n: 2 });
      if (seen.length === 2) end.abort();
    }
  })();
  await consuming;
  expect([seen, waits]).toEqual([[1, 2], ["consumer_busy"]]);
  expect(await positionOf(endpoint.path)).toBe(3);
});

test("the iterator waits while the service is away, and repeats and loses nothing", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 }, { n: 2 }, { n: 3 });
  const way = await wayTo(service);
  onTestFinished(way.close);
  const client = new Junction({ apiKey: service.key, baseUrl: way.url });
  const end = new AbortController();
  const seen: unknown[] = [];
  for await (const message of client.consume(endpoint.id, { consumer: "a", signal: end.signal })) {
    seen.push(numberOf(message));
    // The service goes away before a commit, and while the next pull waits.
    if (seen.length === 2) way.cut(300);
    if (seen.length === 3) {
      setTimeout(() => way.cut(300), 300);
      setTimeout(() => void endpoint.fire({ n: 4 }), 700);
    }
    if (seen.length === 4) end.abort();
  }
  expect(seen).toEqual([1, 2, 3, 4]);
  expect(await positionOf(endpoint.path)).toBe(5);
});

test("an endpoint that cannot be pulled is an error at once", async () => {
  const { id } = await service.endpoint("http://127.0.0.1:9/", { events: ["consume.nothing"] });
  await expect(junction.consume(id, { consumer: "a" }).next()).rejects.toMatchObject({ code: "conflict" });
});
