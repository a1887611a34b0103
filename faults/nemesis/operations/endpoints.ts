import type { Body, EndpointState } from "../history.ts";
import { EVENTS, ownEndpoint, post, take, TENANTS } from "./known.ts";
import type { Act, Acting, KnownEndpoint } from "./known.ts";

const MOST_OWN = 4;

interface Wanted {
  readonly kind?: "webhook" | "pull";
  readonly isOrdered?: boolean;
  readonly state?: Partial<EndpointState>;
  readonly owner: number | null;
}

/** Creates an endpoint on one of the receivers. */
export async function createEndpoint(acting: Acting, wanted: Wanted): Promise<KnownEndpoint | undefined> {
  const { kind = "webhook", isOrdered = false, owner } = wanted;
  const state: EndpointState = { events: ["nemesis.*"], active: true, tenant: null, least: null, ...wanted.state };
  const { client, known, world } = acting;
  known.paths += 1;
  const path = `/e${known.paths}`;
  const port = client.random.any(world.receivers)?.port;
  const { tenant, events, least, active } = state;
  const body = {
    kind,
    events,
    active,
    ...filterOf(least),
    ...(kind === "pull" ? {} : { url: `http://127.0.0.1:${port}${path}` }),
    ...(isOrdered ? { ordering: { key: "$.data.lane" } } : {}),
    ...(tenant === null ? {} : { tenant }),
  };
  const operation = { op: "create", path, kind, isOrdered, state } as const;
  const made = await post(acting, operation, { path: "/v1/webhook-endpoints", body });
  if (made === undefined) return undefined;
  const endpoint = { id: String(made["id"]), kind, owner, state };
  known.endpoints.push(endpoint);
  return endpoint;
}

function filterOf(least: number | null | undefined): { filter?: Body | null } {
  if (least === undefined) return {};
  return { filter: least === null ? null : { field: "data.f", op: "gte", value: least } };
}

const create: Act = {
  name: "create",
  weight: 3,
  async run(acting) {
    const { client, known } = acting;
    if (known.endpoints.filter(({ owner }) => owner === client.number).length >= MOST_OWN) return;
    const { random, number: owner } = client;
    const state = {
      tenant: random.chance(0.4) ? random.pick(TENANTS) : null,
      least: random.chance(0.3) ? random.between(1, 8) : null,
    };
    await createEndpoint(acting, { owner, state, isOrdered: random.chance(0.4) });
  },
};

const change: Act = {
  name: "change",
  weight: 4,
  async run(acting) {
    const { random } = acting.client;
    const own = ownEndpoint(acting);
    if (own === undefined) return;
    const changed = random.pick<Partial<EndpointState>>([
      { events: ["nemesis.*"] },
      { events: [random.pick(EVENTS)] },
      { least: random.chance(0.5) ? null : random.between(1, 8) },
      { active: random.chance(0.7) },
      { active: true, events: ["nemesis.*"], least: null },
    ]);
    const { least, ...rest } = changed;
    const body = { ...rest, ...filterOf(least) };
    const path = `/v1/webhook-endpoints/${own.id}`;
    const operation = { op: "change", endpoint: own.id, change: changed } as const;
    const made = await acting.client.call(operation, { method: "PATCH", path, body });
    if (made !== undefined) own.state = { ...own.state, ...changed };
  },
};

const toggle: Act = {
  name: "toggle",
  weight: 3,
  async run(acting) {
    const own = ownEndpoint(acting);
    if (own === undefined) return;
    const path = `/v1/webhook-endpoints/${own.id}/toggle`;
    const made = await acting.client.call({ op: "toggle", endpoint: own.id }, { method: "POST", path });
    if (made !== undefined) own.state = { ...own.state, active: made["active"] === true };
  },
};

const rotate: Act = {
  name: "rotate",
  weight: 3,
  async run(acting) {
    const own = ownEndpoint(acting);
    if (own === undefined) return;
    const overlap = acting.client.random.pick([0, 0, 3, 60]);
    const operation = { op: "rotate", endpoint: own.id, overlapMs: overlap * 1000 } as const;
    const body = { overlap_seconds: overlap };
    await post(acting, operation, { path: `/v1/webhook-endpoints/${own.id}/secret/regenerate`, body });
  },
};

const remove: Act = {
  name: "delete",
  weight: 1,
  async run(acting) {
    const own = ownEndpoint(acting);
    if (own === undefined) return;
    take(acting.known.endpoints, own);
    const path = `/v1/webhook-endpoints/${own.id}`;
    await acting.client.call({ op: "delete", endpoint: own.id }, { method: "DELETE", path });
  },
};

export const endpointActs: readonly Act[] = [create, change, toggle, rotate, remove];
