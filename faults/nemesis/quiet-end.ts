import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../cluster.ts";
import { startNode } from "./faults.ts";
import type { Body, End, EndAuditRow, EndDelivery, EndMessage, EndProposal } from "./history.ts";
import type { KnownEndpoint } from "./operations/known.ts";
import { OK } from "./receivers.ts";
import type { World } from "./world.ts";

/** Leases last a minute, the retry schedule 16 s, and a request without a response 15 s. */
const QUIET_LIMIT_MS = 150_000;
/** Usage is written every five seconds. */
const USAGE_MS = 6000;
const PULL_LIMIT = 500;

/** Ends what disturbs: a fault that failed to end itself too. */
export async function endAll(world: World): Promise<void> {
  for (const receiver of world.receivers) {
    receiver.set(OK);
    await receiver.listen();
  }
  await until("the database to be there", async () => (await world.cluster.query("select 1")).length === 1);
  for (const one of world.nodes) await startNode(one);
}

/** Waits until nothing is pending, and reads what the service says about all that happened. */
export async function readEnd(
  world: World,
  endpoints: readonly KnownEndpoint[],
  ended: readonly string[],
): Promise<End> {
  const stuck = await quiet(world);
  await sleep(USAGE_MS);
  const pulls = endpoints.filter(({ kind }) => kind === "pull");
  const pulled: Record<string, readonly EndMessage[]> = {};
  for (const { id } of pulls) pulled[id] = await drain(world, id);
  const usage = (await read(world, "/v1/usage"))["total"] as End["usage"];
  const verified = await read(world, "/v1/audit/verify");
  return {
    kind: "end",
    deliveries: await all<EndDelivery>(world, "/v1/deliveries"),
    pulled,
    proposals: await all<EndProposal>(world, "/v1/proposals"),
    audit: await all<EndAuditRow>(world, "/v1/audit"),
    auditIsWhole: verified["ok"] === true,
    usage,
    stuck,
    ended,
  };
}

/** Deliveries that wait for an inactive endpoint, or for their turn in a lane that a failed one blocks, may wait. */
const PENDING = `select 'delivery ' || p.id || ' of ' || p.event_name || ' due ' || p.due_at::text as what from pending_delivery p
    left join endpoint e on e.bucket = p.bucket and e.tag = p.tag and e.id = p.endpoint_id and e.deleted_at is null
    where e.active is distinct from false
  union all select 'scheduled event ' || id from scheduled_event where due_at is not null
  union all select 'replay ' || id from replay_job where finished_at is null and cancelled_at is null`;

async function quiet({ cluster }: World): Promise<string[]> {
  const pending = async (): Promise<string[]> =>
    (await cluster.query<{ what: string }>(PENDING)).map(({ what }) => what);
  await until("nothing to be pending", async () => (await pending()).length === 0, QUIET_LIMIT_MS).catch(
    () => undefined,
  );
  return await pending();
}

async function all<Item>(world: World, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const more = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Body = await read(world, `${path}?limit=100${more}`);
    items.push(...(page["data"] as Item[]));
    cursor = page["has_more"] === true ? (page["next_cursor"] as string) : null;
  }
  return items;
}

/** Everything in the log of a pull endpoint, as a consumer that begins at its start. */
async function drain(world: World, id: string): Promise<EndMessage[]> {
  const messages: EndMessage[] = [];
  const path = `/v1/webhook-endpoints/${id}`;
  for (;;) {
    const body = { consumer: "judge", limit: PULL_LIMIT };
    const pulled = await read(world, `${path}/pull`, body);
    const lease = pulled["lease"] as { readonly id: string } | null;
    if (lease === null) return messages;
    messages.push(...(pulled["messages"] as EndMessage[]));
    await read(world, `${path}/commit`, { consumer: "judge", lease_id: lease.id });
  }
}

/** Sends a request that has to succeed. */
export async function read(world: World, path: string, body?: object): Promise<Body> {
  const port = world.nodes[0]?.node.port;
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${world.keys.owner}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`);
  return text === "" ? {} : (JSON.parse(text) as Body);
}
