import { createHmac } from "node:crypto";
import type { InboundEndpointWithSecret, Junction } from "../../../../sdks/node/src/index.ts";
import { clearDemo } from "./clear.ts";
import {
  CONTRACTS,
  EVENTS,
  inboundBodies,
  INBOXES,
  MISMATCH,
  PREFIX,
  PULLED,
  RULE,
  SOURCE,
  titled,
  TYPE,
  TYPE_VERSION,
} from "./scene.ts";
import type { Inbound, InboxScene } from "./scene.ts";

export { clearDemo } from "./clear.ts";

export interface Demo {
  readonly object: "demo";
  readonly endpoints: number;
  /** Only in the live environment. */
  readonly event_types: number;
  readonly events: number;
  readonly receipts: number;
  readonly contacts: number;
  readonly proposals: number;
}

/** Reports the current step and the number of steps. */
export type TellStep = (label: string, done: number, total: number) => void;

const STEPS = INBOXES.length + CONTRACTS.length + inboundBodies().length + 5;
const PULL_SECONDS = 10;

/**
 * Fills the key's environment with sample data, only through the documented API: endpoints that succeed, fail twice,
 * always fail, are slow and keep an order, each a built-in inbox, and one whose messages are pulled. Adds a source with receipts of every kind and the contacts that they
 * create, a rule, and actions with proposals that wait for a person. In the live environment also an event type with two
 * versions, and an event that does not match it. Replaces the data of an earlier demo.
 */
export async function seedDemo(junction: Junction, tell: TellStep = () => undefined): Promise<Demo> {
  let done = 0;
  const step = (label: string): void => tell(label, (done += 1), STEPS);
  await clearDemo(junction);
  step("cleared");
  for (const scene of INBOXES) {
    await makeEndpoint(junction, scene);
    step(scene.name);
  }
  const pulled = await junction.webhookEndpoints.create({
    kind: "pull",
    events: [...PULLED.events],
    description: titled(PULLED.about),
  });
  const isLive = (await junction.me.get()).environment === "live";
  if (isLive) await makeType(junction);
  await junction.rules.create(RULE);
  step("rule");
  const source = await junction.inboundEndpoints.create(SOURCE);
  step("source");
  const bodies = inboundBodies();
  for (const inbound of bodies) {
    await sendInbound(source, inbound);
    step("inbound webhooks");
  }
  const events = [...EVENTS(), ...(isLive ? [MISMATCH()] : [])];
  const fired = events.length;
  await junction.events.batch(events);
  step("events");
  await readSome(junction, pulled.id);
  step("consumer");
  const backend = await junction.inboxes.put(`${PREFIX}backend`);
  let proposals = 0;
  for (const { contract, asks } of CONTRACTS) {
    await junction.actionContracts.create({ ...contract, endpoint: backend.url });
    for (const { parameters, prompt } of asks) {
      await junction.actions.run(contract.key, parameters, { prompt });
      proposals += 1;
    }
    step(contract.key);
  }
  const contacts = new Set(bodies.filter(({ makesContact }) => makesContact).map(({ email }) => email)).size;
  return {
    object: "demo",
    endpoints: INBOXES.length + 1,
    event_types: isLive ? 1 : 0,
    events: fired,
    receipts: bodies.length,
    contacts,
    proposals,
  };
}

/** Returns true if a complete demo exists in the key's environment: its last part does. */
export async function hasDemo(junction: Junction): Promise<boolean> {
  const last = CONTRACTS.at(-1)?.contract.key;
  const own = (await junction.me.get()).environment;
  for await (const { key, environment } of junction.actionContracts.list({ limit: 100 }))
    if (key === last && environment === own) return true;
  return false;
}

async function makeEndpoint(junction: Junction, scene: InboxScene): Promise<void> {
  const { name, behaviour, events, about, transform = null, filter = null, ...more } = scene;
  const { url } = await junction.inboxes.put(PREFIX + name);
  // The route is public: the address is the credential.
  await junction.request("PUT", `${new URL(url).pathname}/behaviour`, { body: behaviour });
  const description = titled(about);
  await junction.webhookEndpoints.create({ url, events: [...events], description, transform, filter, ...more });
}

/** Pulls as the consumer, which then has a position and a lag. */
async function readSome({ webhooks }: Junction, id: string): Promise<void> {
  const { consumer, read: limit } = PULLED;
  const { lease } = await webhooks.pull(id, { consumer, limit, wait_seconds: PULL_SECONDS });
  if (lease !== null) await webhooks.commit(id, { consumer, lease_id: lease.id });
}

async function makeType(junction: Junction): Promise<void> {
  await junction.eventTypes.create(TYPE);
  await junction.eventTypes.versions.create(TYPE.name, TYPE_VERSION);
}

/** Sends a webhook like a sender: to the source's address, with its signature. */
async function sendInbound(source: InboundEndpointWithSecret, { body, isForged }: Inbound): Promise<void> {
  const signature = createHmac("sha256", isForged ? "not the secret" : source.secret)
    .update(body)
    .digest("hex");
  await fetch(source.url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Service-Inbound-Signature": signature },
    body,
    redirect: "error",
    signal: AbortSignal.timeout(30_000),
  });
}
