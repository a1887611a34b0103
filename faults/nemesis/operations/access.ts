import { createEndpoint } from "./endpoints.ts";
import { FIRE, nextEvent, wireOf } from "./events.ts";
import { keep, post, take, TENANTS } from "./known.ts";
import type { Act } from "./known.ts";

const makeKey: Act = {
  name: "make-key",
  weight: 2,
  async run(acting) {
    const { random, number: owner } = acting.client;
    const tenant = random.chance(0.6) ? random.pick(TENANTS) : null;
    const body = { name: "nemesis", permission_mode: "all", ...(tenant === null ? {} : { tenant }) };
    const made = await post(acting, { op: "make-key", tenant }, { path: "/v1/keys", body });
    if (made !== undefined)
      keep(acting.known.keys, { id: String(made["id"]), key: String(made["key"]), tenant, owner });
  },
};

const useKey: Act = {
  name: "use-key",
  weight: 4,
  async run({ client, known }) {
    const key = client.random.any(known.keys);
    if (key === undefined) return;
    const request = { method: "GET", path: "/v1/me", credential: key.key, once: true } as const;
    await client.call({ op: "use-key", key: key.id }, request);
  },
};

/** Keys stay known after that, so that they are used again. */
const revokeKey: Act = {
  name: "revoke-key",
  weight: 1,
  async run(acting) {
    const { client, known } = acting;
    const key = client.random.any(known.keys.filter(({ owner }) => owner === client.number));
    if (key === undefined) return;
    await client.call({ op: "revoke-key", key: key.id }, { method: "POST", path: `/v1/keys/${key.id}/revoke` });
  },
};

const list: Act = {
  name: "list",
  weight: 3,
  async run({ client, known }) {
    const key = client.random.any(known.keys.filter(({ tenant }) => tenant !== null));
    if (key === undefined || key.tenant === null) return;
    const what = client.random.pick(["events", "deliveries"]);
    const request = { method: "GET", path: `/v1/${what}?limit=50`, credential: key.key, once: true } as const;
    await client.call({ op: "list", what, tenant: key.tenant }, request);
  },
};

/** Makes a tenant, fires events for it, and deletes it. */
const passingTenant: Act = {
  name: "passing-tenant",
  weight: 1,
  async run(acting) {
    const { client, known } = acting;
    known.paths += 1;
    const tenant = `passing-${known.paths}`;
    const endpoint = await createEndpoint(acting, { owner: client.number, state: { tenant } });
    for (let fired = 0; fired < 3; fired += 1) {
      const event = nextEvent(acting, { tenant });
      await post(acting, { op: "fire", events: [event] }, { path: FIRE, body: wireOf(event) });
    }
    if (endpoint !== undefined) take(known.endpoints, endpoint);
    await client.call({ op: "delete-tenant", tenant }, { method: "DELETE", path: `/v1/tenants/${tenant}` });
  },
};

export const accessActs: readonly Act[] = [makeKey, useKey, revokeKey, list, passingTenant];
