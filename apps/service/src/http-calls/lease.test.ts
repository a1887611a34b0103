import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { uuidOf } from "../testing/keys.ts";
import { startHttpCalls } from "../testing/http-calls.ts";
import type { Receiver } from "../testing/receiver.ts";
import { freshEvent, ruleOn } from "../testing/rules.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;
let origin: string;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ service, receiver, origin, close } = await startHttpCalls());
});
afterAll(async () => await close());

/** Makes a call whose first try fails, so that it waits for the second one. */
async function waitingCall(retries: number): Promise<string> {
  receiver.status(503, { "Retry-After": "600" });
  const event = freshEvent();
  const rule = await ruleOn(service, {
    on: [event],
    then: [{ type: "http", method: "POST", url: `${origin}/${event}`, text: "x", retries }],
  });
  await service.fire(event, {});
  const path = `/v1/http-calls?rule_id=${rule}`;
  const { data } = await service.until(
    path,
    ({ data: [call] }) => call?.next_attempt_at !== null && call?.attempts > 0,
  );
  return data[0].id;
}

/** Leaves the call as a process does that is killed while it sends the request. */
async function kill(id: string): Promise<void> {
  const left = "update http_call set lease_id = $2, attempts = attempts + 1, due_at = now() where id = $1";
  await service.database.query(left, [uuidOf(id), randomUUID()]);
}

const ended = async (id: string): Promise<Parsed> =>
  await service.until(`/v1/http-calls/${id}`, ({ state }) => state === "succeeded" || state === "failed");

test("another node sends the request of a dead one again, with the same key", async () => {
  const id = await waitingCall(3);
  receiver.status(200);
  await kill(id);
  expect(await ended(id)).toMatchObject({ state: "succeeded", attempts: 3 });
  const keys = receiver.received.map(({ headers }) => headers["idempotency-key"]);
  expect(keys.filter((key) => key === id)).toHaveLength(2);
});

test("a call whose process was lost in the last try fails as unknown", async () => {
  const id = await waitingCall(1);
  receiver.status(200);
  await kill(id);
  expect(await ended(id)).toMatchObject({ state: "failed", error_class: "lost" });
});

test("a slow node does not end a call that another one has taken", async () => {
  const id = await waitingCall(3);
  receiver.answer((response) => setTimeout(() => response.writeHead(200).end("slow"), 1500));
  await service.database.query("update http_call set due_at = now() where id = $1", [uuidOf(id)]);
  await service.until(`/v1/http-calls/${id}`, ({ attempts }) => attempts === 2);
  const taken = "update http_call set lease_id = $2, due_at = now() + interval '1 hour' where id = $1";
  await service.database.query(taken, [uuidOf(id), randomUUID()]);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  expect((await service.api("GET", `/v1/http-calls/${id}`)).body).toMatchObject({ state: "waiting", status_code: 503 });
});

test("two nodes send 60 calls once each, and a slow API leaves slots to others", async () => {
  const second = await startService({ on: service, env: UNLIMITED });
  receiver.answer((response) => setTimeout(() => response.writeHead(200).end(), 50));
  const event = freshEvent();
  await ruleOn(service, { on: [event], then: [{ type: "http", method: "GET", url: `${origin}/once/\${$.data.n}` }] });
  await Promise.all(Array.from({ length: 60 }, async (_, n) => await service.fire(event, { n })));
  const sent = (): string[] => receiver.received.map(({ path }) => path).filter((path) => path.startsWith("/once/"));
  await expect.poll(() => new Set(sent()).size).toBe(60);
  await second.close();
  expect(sent()).toHaveLength(60);
});
