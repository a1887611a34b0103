import { post } from "./known.ts";
import type { Act, Acting } from "./known.ts";

interface PulledView {
  readonly messages: readonly { readonly offset: number }[];
  readonly lease: { readonly id: string } | null;
}

/** Pulls as a consumer of this client alone, and commits all, a part or nothing. */
const pull: Act = {
  name: "pull",
  weight: 8,
  async run(acting) {
    const { random } = acting.client;
    const endpoint = random.any(acting.known.endpoints.filter(({ kind }) => kind === "pull"));
    if (endpoint === undefined) return;
    const consumer = `client-${acting.client.number}`;
    const path = `/v1/webhook-endpoints/${endpoint.id}`;
    const body = { consumer, limit: random.between(1, 50), lease_seconds: 5 };
    const operation = { op: "pull", endpoint: endpoint.id, consumer } as const;
    const made = await post(acting, operation, { path: `${path}/pull`, body, once: true });
    const pulled = made as unknown as PulledView | undefined;
    if (pulled === undefined || pulled.lease === null || random.chance(0.1)) return;
    await commit(acting, { id: endpoint.id, path, consumer }, pulled);
  },
};

async function commit(
  acting: Acting,
  { id, path, consumer }: { readonly id: string; readonly path: string; readonly consumer: string },
  { messages, lease }: PulledView,
): Promise<void> {
  const last = acting.client.random.chance(0.3) ? acting.client.random.any(messages) : messages.at(-1);
  if (last === undefined || lease === null) return;
  const { offset } = last;
  const operation = { op: "commit", endpoint: id, consumer, offset } as const;
  await post(acting, operation, { path: `${path}/commit`, body: { consumer, lease_id: lease.id, offset }, once: true });
}

const seek: Act = {
  name: "seek",
  weight: 1,
  async run(acting) {
    const endpoint = acting.client.random.any(acting.known.endpoints.filter(({ kind }) => kind === "pull"));
    if (endpoint === undefined) return;
    const consumer = `client-${acting.client.number}`;
    const path = `/v1/webhook-endpoints/${endpoint.id}/seek`;
    await post(acting, { op: "seek", endpoint: endpoint.id, consumer }, { path, body: { consumer, to: "start" } });
  },
};

export const pullActs: readonly Act[] = [pull, seek];
