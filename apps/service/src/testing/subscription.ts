import { onTestFinished } from "vitest";
import type { Receiver } from "./receiver.ts";
import { startReceiver } from "./receiver.ts";
import type { TestService } from "./test-service.ts";

/** For services whose log a test polls: the limits are proven elsewhere. */
export const UNLIMITED = {
  JUNCTION_RATE_LIMITS:
    '{"management.read": 100000, "management.write": 100000, "events.fire": 100000, "actions.run": 100000}',
};

/** The ladder with waits that a test can sit through: six attempts in one second. */
export const SHORT_LADDER = { ...UNLIMITED, JUNCTION_RETRY_LADDER: "100ms,150ms,200ms,250ms,300ms" };

export interface Subscription {
  readonly receiver: Receiver;
  readonly endpoint: { readonly id: string; readonly secret: string };
  /** The endpoint's path in the API. */
  readonly path: string;
  /** An event that only this endpoint takes, unless `events` said otherwise. */
  readonly event: string;
  /** Fires the event; answers the id of the delivery to this endpoint. */
  fire(data?: unknown): Promise<string>;
}

export interface SubscriptionOptions {
  /** How the receiver answers. Default: 200. */
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** Instead of the receiver's own. */
  readonly url?: string;
  /** More fields of the endpoint. */
  readonly more?: Record<string, unknown>;
}

let subscriptions = 0;

/** A receiver of its own, an endpoint on it, and an event of its own: tests of one service do not meet. Ends with the test. */
export async function subscribe(service: TestService, options: SubscriptionOptions = {}): Promise<Subscription> {
  subscriptions += 1;
  const event = `test.event-${subscriptions}`;
  const receiver = await startReceiver();
  if (options.status !== undefined) receiver.status(options.status, options.headers);
  const endpoint = await service.endpoint(options.url ?? receiver.url, { events: [event], ...options.more });
  const path = `/v1/webhook-endpoints/${endpoint.id}`;
  onTestFinished(async () => {
    // Deleted first, or its retries would go on in the next test; a service that is gone already sends none.
    await service.api("DELETE", path).catch(() => undefined);
    await receiver.close();
  });
  return {
    receiver,
    endpoint,
    path,
    event,
    async fire(data = { order: { id: "ord_1" } }) {
      const fired = await service.fire(event, data);
      const made = fired["deliveries"].find(
        (delivery: { endpoint_id: string }) => delivery.endpoint_id === endpoint.id,
      );
      if (made === undefined) throw new Error(`no delivery for ${endpoint.id}: ${JSON.stringify(fired)}`);
      return made.id;
    },
  };
}
