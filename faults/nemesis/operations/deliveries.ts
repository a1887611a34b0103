import { ownEndpoint, post } from "./known.ts";
import type { Act, Acting } from "./known.ts";

/** A backfill reads the events of this time. */
const BACK_MS = 20_000;

const replay: Act = {
  name: "replay",
  weight: 4,
  run: async (acting) => await ofOne(acting, "replay"),
};

const cancel: Act = {
  name: "cancel-delivery",
  weight: 2,
  run: async (acting) => await ofOne(acting, "cancel-delivery"),
};

async function ofOne(acting: Acting, op: "replay" | "cancel-delivery"): Promise<void> {
  const delivery = acting.client.random.any(acting.known.deliveries);
  if (delivery === undefined) return;
  const what = op === "replay" ? "replay" : "cancel";
  await acting.client.call({ op, delivery }, { method: "POST", path: `/v1/deliveries/${delivery}/${what}` });
}

const replayFailed: Act = {
  name: "replay-failed",
  weight: 2,
  async run(acting) {
    const endpoint = acting.client.random.any(acting.known.endpoints.filter(({ kind }) => kind === "webhook"));
    if (endpoint === undefined) return;
    const times = { since: new Date(Date.now() - 60_000).toISOString(), until: new Date().toISOString() };
    const path = `/v1/webhook-endpoints/${endpoint.id}/replay-failed`;
    await post(acting, { op: "replay-failed", endpoint: endpoint.id }, { path, body: times });
  },
};

const backfill: Act = {
  name: "backfill",
  weight: 1,
  async run(acting) {
    const own = ownEndpoint(acting);
    if (own === undefined) return;
    const from = new Date(Date.now() - BACK_MS).toISOString();
    const path = `/v1/webhook-endpoints/${own.id}/backfill`;
    await post(acting, { op: "backfill", endpoint: own.id }, { path, body: { from } });
  },
};

export const deliveryActs: readonly Act[] = [replay, cancel, replayFailed, backfill];
