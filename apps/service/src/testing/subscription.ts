import { onTestFinished } from "vitest";
import type { Receiver } from "./receiver.ts";
import { startReceiver } from "./receiver.ts";
import type { Parsed, TestService } from "./test-service.ts";

/** Raises the rate limits for services that a test polls. Other tests cover the limits. */
export const UNLIMITED = {
  JUNCTION_RATE_LIMITS:
    '{"management.read": 100000, "management.write": 100000, "events.fire": 100000, "actions.run": 100000}',
};

/** A short retry schedule for tests: six attempts in one second. */
export const SHORT_LADDER = { ...UNLIMITED, JUNCTION_RETRY_LADDER: "100ms,150ms,200ms,250ms,300ms" };

export interface Subscription {
  readonly receiver: Receiver;
  readonly endpoint: { readonly id: string; readonly secret: string };
  /** The endpoint's path in the API. */
  readonly path: string;
  /** The event that only this endpoint receives, unless `more` replaces its events. */
  readonly event: string;
  /** Fires the event. Returns the id of the delivery to this endpoint. */
  fire(data?: unknown): Promise<string>;
}

export interface SubscriptionOptions {
  /** The status of the receiver's responses. Default: 200. */
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** The endpoint's URL. Default: that of the receiver. */
  readonly url?: string;
  /** Additional fields of the endpoint. */
  readonly more?: Record<string, unknown>;
}

let subscriptions = 0;

/** Creates a receiver, an endpoint and an event, so that tests of one service do not affect each other. All end with the test. */
export async function subscribe(service: TestService, options: SubscriptionOptions = {}): Promise<Subscription> {
  subscriptions += 1;
  const event = `test.event-${subscriptions}`;
  const { tenant } = options.more ?? {};
  const receiver = await startReceiver();
  if (options.status !== undefined) receiver.status(options.status, options.headers);
  const endpoint = await service.endpoint(options.url ?? receiver.url, { events: [event], ...options.more });
  const path = `/v1/webhook-endpoints/${endpoint.id}`;
  onTestFinished(async () => {
    // The endpoint is deleted first, because its retries would continue in the next test. A stopped service sends none.
    await service.api("DELETE", path).catch(() => undefined);
    await receiver.close();
  });
  return {
    receiver,
    endpoint,
    path,
    event,
    async fire(data = { order: { id: "ord_1" } }) {
      const fired =
        tenant === undefined ? await service.fire(event, data) : await fireFor(service, { event, data, tenant });
      const made = fired["deliveries"].find(
        (delivery: { endpoint_id: string }) => delivery.endpoint_id === endpoint.id,
      );
      if (made === undefined) throw new Error(`no delivery for ${endpoint.id}: ${JSON.stringify(fired)}`);
      return made.id;
    },
  };
}

async function fireFor(service: TestService, body: object): Promise<Parsed> {
  return (await service.api("POST", "/v1/events/fire", body)).body;
}
