import type { SentEvent } from "../history.ts";
import { EVENTS, keep, LANES, post, take, TENANTS } from "./known.ts";
import type { Act, Acting } from "./known.ts";

interface FiredView {
  readonly id: string;
  readonly deliveries: readonly { readonly id: string }[];
}

export const FIRE = "/v1/events/fire";

/** The next event of a client. */
export function nextEvent({ client, known }: Acting, more: Partial<SentEvent> = {}): SentEvent {
  const { random } = client;
  known.events += 1;
  return {
    n: known.events,
    event: random.pick(EVENTS),
    tenant: random.chance(0.5) ? null : random.pick(TENANTS),
    f: random.between(0, 9),
    lane: String(random.between(1, LANES)),
    ...more,
  };
}

/** The event as the API takes it. */
export function wireOf({ n, event, tenant, f, lane, deliverAtMs }: SentEvent): object {
  return {
    event,
    data: { n, f, lane, tenant },
    ...(tenant === null ? {} : { tenant }),
    ...(deliverAtMs === undefined ? {} : { deliver_at: new Date(deliverAtMs).toISOString() }),
  };
}

const fire: Act = {
  name: "fire",
  weight: 40,
  async run(acting) {
    const event = nextEvent(acting);
    const credential = acting.client.random.chance(0.5) ? acting.world.keys.service : undefined;
    const made = await post(acting, { op: "fire", events: [event] }, { path: FIRE, body: wireOf(event), credential });
    if (made !== undefined) keep(acting.known.deliveries, ...idsIn(made as unknown as FiredView));
  },
};

const batch: Act = {
  name: "batch",
  weight: 6,
  async run(acting) {
    const events = Array.from({ length: acting.client.random.between(2, 8) }, () => nextEvent(acting));
    const body = { events: events.map(wireOf) };
    const made = await post(acting, { op: "fire", events }, { path: "/v1/events/batch", body });
    const fired = (made?.["data"] ?? []) as readonly FiredView[];
    keep(acting.known.deliveries, ...fired.flatMap(idsIn));
  },
};

const schedule: Act = {
  name: "schedule",
  weight: 4,
  async run(acting) {
    const deliverAtMs = Date.now() + acting.client.random.between(1500, 8000);
    const event = nextEvent(acting, { deliverAtMs });
    const made = await post(acting, { op: "fire", events: [event] }, { path: FIRE, body: wireOf(event) });
    if (made !== undefined) keep(acting.known.scheduled, String(made["id"]));
  },
};

const cancelScheduled: Act = {
  name: "cancel-scheduled",
  weight: 2,
  async run({ client, known }) {
    const event = client.random.any(known.scheduled);
    if (event === undefined) return;
    take(known.scheduled, event);
    await client.call({ op: "cancel-scheduled", event }, { method: "DELETE", path: `/v1/events/${event}/schedule` });
  },
};

function idsIn({ deliveries }: FiredView): string[] {
  return deliveries.map(({ id }) => id);
}

export const eventActs: readonly Act[] = [fire, batch, schedule, cancelScheduled];
