import { beforeEach, expect, onTestFinished } from "vitest";
import { startEventsClient } from "../../../../conformance/mcp-events-client.ts";
import type { EventsClient, EventsClientOptions } from "../../../../conformance/mcp-events-client.ts";
import { mintKey } from "./keys.ts";
import type { TestKey } from "./keys.ts";
import type { Parsed, TestService } from "./test-service.ts";

export const SUBSCRIBER_SCOPES = ["events:read", "event_subscriptions:write"];
/** A secret that no client of these tests has. */
export const OTHER_SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

export interface CallbackTests {
  /** The key and the client of the current test. */
  readonly key: TestKey;
  readonly client: EventsClient;
  subscriber(more?: Record<string, unknown>): Promise<TestKey>;
  /** Starts a further client, which is closed with the test. */
  open(more?: Partial<EventsClientOptions>): Promise<EventsClient>;
  /** Fires an event. Returns its id. */
  fire(event: string, data?: unknown, more?: Record<string, unknown>): Promise<string>;
  /** Creates an event type that no other test uses. */
  typed(schema?: object, more?: object): Promise<string>;
  endpoints(): Promise<Parsed[]>;
  /** Returns the endpoints that subscribe to an event. */
  subscribedTo(event: string): Promise<Parsed[]>;
  recent(given: Record<string, unknown>, by?: EventsClient): Promise<Parsed>;
}

/** Gives each test a key and a client of its own. */
export function callbackTests(service: () => TestService): CallbackTests {
  let named = 0;
  const current: { key?: TestKey; client?: EventsClient } = {};
  const tests: CallbackTests = {
    get key() {
      if (current.key === undefined) throw new Error("no test is running");
      return current.key;
    },
    get client() {
      if (current.client === undefined) throw new Error("no test is running");
      return current.client;
    },
    subscriber: async (more = {}) =>
      await mintKey(service(), { role: "ai", actor_type: "ai", scopes: SUBSCRIBER_SCOPES, ...more }),
    async open(more = {}) {
      const server = `${service().baseUrl}/mcp`;
      const opened = await startEventsClient({ server, token: tests.key.key, ...more });
      onTestFinished(async () => await opened.close());
      return opened;
    },
    async fire(event, data = {}, more = {}) {
      const answer = await service().api("POST", "/v1/events/fire", { event, data, ...more });
      expect(answer.status).toBe(202);
      return answer.body["id"];
    },
    async typed(schema = { type: "object" }, more = {}) {
      named += 1;
      const name = `woken${named}.happened`;
      const input = { name, title: name, description: "x", schema, ...more };
      const { status, text } = await service().api("POST", "/v1/event-types", input);
      if (status !== 201) throw new Error(text);
      return name;
    },
    endpoints: async () => (await service().api("GET", "/v1/webhook-endpoints?limit=100")).body["data"],
    subscribedTo: async (event) => (await tests.endpoints()).filter(({ events }) => events.includes(event)),
    async recent(given, by = tests.client) {
      const { result, body } = await by.ask("tools/call", { name: "get_recent_events", arguments: given });
      if (result === undefined) throw new Error(JSON.stringify(body));
      return (result["structuredContent"] as Parsed)["events"];
    },
  };
  beforeEach(async () => {
    current.key = await tests.subscriber();
    current.client = await tests.open();
  });
  return tests;
}
