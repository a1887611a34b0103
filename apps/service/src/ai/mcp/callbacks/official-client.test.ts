import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "@modelcontextprotocol/client";
import { connectClient, ERAS } from "../../../testing/mcp.ts";
import { callbackTests } from "../../../testing/mcp-callbacks.ts";
import { startService } from "../../../testing/service.ts";
import { SHORT_LADDER } from "../../../testing/subscription.ts";
import type { Parsed, TestService } from "../../../testing/test-service.ts";

/** The official client sends the requests, and the mock client receives the callbacks: the official one has no receiver. */

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: SHORT_LADDER });
});
afterAll(async () => await service.close());

const tests = callbackTests(() => service);

/** Accepts each result. The library has no schemas for methods that are not in its specification. */
const ANY = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } } as const;

async function ask(client: Client, method: string, params: Record<string, unknown> = {}): Promise<Parsed> {
  return await client.request({ method, params }, ANY);
}

describe.each(ERAS.map((era) => [typeof era === "string" ? era : era.pin, era] as const))(
  "the official client (%s)",
  (_name, era) => {
    test("finds the capability and the events", async () => {
      const client = await connectClient(service, tests.key.key, era);
      const name = await tests.typed();
      expect(client.getServerCapabilities()).toMatchObject({
        extensions: { "io.modelcontextprotocol/events": {} },
        experimental: { events: { delivery: ["poll", "push", "webhook"] } },
      });
      const found: Parsed[] = [];
      for (let cursor: unknown, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
        const page = await ask(client, "events/list", cursor === undefined ? {} : { cursor });
        found.push(...page.events);
        cursor = page.nextCursor;
      }
      expect(found).toContainEqual(expect.objectContaining({ name, delivery: ["webhook"] }));
    });

    test("subscribes, is challenged, receives, refreshes, rotates and unsubscribes", async () => {
      const client = await connectClient(service, tests.key.key, era);
      const name = await tests.typed();
      const { url } = tests.client;
      const delivery = (): object => ({ mode: "webhook", url, secret: tests.client.secret() });
      const made = await ask(client, "events/subscribe", { name, delivery: delivery() });
      expect(made).toMatchObject({ id: expect.stringMatching(/^sub_/), cursor: null, truncated: false });
      expect(tests.client.challenges).toMatchObject([{ faults: [] }]);
      const id = await tests.fire(name, { n: 1 });
      expect((await tests.client.count(1))[0]).toMatchObject({ faults: [], event: { eventId: id, name } });
      const more = { name, delivery: delivery(), ttlMs: 7_200_000 };
      const refreshed = await ask(client, "events/subscribe", more);
      expect(refreshed.id).toBe(made.id);
      expect(Date.parse(refreshed.refreshBefore)).toBeLessThan(Date.parse(made.refreshBefore));
      tests.client.rotate();
      expect((await ask(client, "events/subscribe", { name, delivery: delivery() })).id).toBe(made.id);
      tests.client.endOverlap();
      await tests.fire(name, { n: 2 });
      expect((await tests.client.count(2))[1]).toMatchObject({ faults: [] });
      const { events } = (await client.callTool({ name: "get_recent_events", arguments: { event_name: name } }))
        .structuredContent as Parsed;
      expect(events.map(({ data }: Parsed) => data.n)).toEqual([2, 1]);
      await ask(client, "events/unsubscribe", { name, delivery: { url } });
      await tests.fire(name, { n: 3 });
      expect(await tests.subscribedTo(name)).toEqual([]);
      expect(tests.client.received).toHaveLength(2);
    });

    test("gets a failed challenge and unknown members as errors with their codes", async () => {
      const client = await connectClient(service, tests.key.key, era);
      const name = await tests.typed();
      const delivery = { mode: "webhook", url: tests.client.url, secret: tests.client.secret() };
      await expect(ask(client, "events/subscribe", { name, delivery, events: [name] })).rejects.toMatchObject({
        code: -32_602,
      });
      tests.client.answerChallenges("forge");
      await expect(ask(client, "events/subscribe", { name, delivery })).rejects.toMatchObject({
        code: -32_015,
        data: { reason: "challenge_failed" },
      });
      expect(await tests.subscribedTo(name)).toEqual([]);
    });
  },
);
