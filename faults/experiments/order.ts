import { setTimeout as sleep } from "node:timers/promises";
import { recordLanes } from "../../apps/service/src/testing/lane-record.ts";
import type { LaneRecord } from "../../apps/service/src/testing/lane-record.ts";
import { startReceiver } from "../../apps/service/src/testing/receiver.ts";
import { until } from "../cluster.ts";
import type { Cluster } from "../cluster.ts";
import type { Experiment } from "../experiment.ts";
import type { Fired } from "../load.ts";
import { tracked } from "../running.ts";
import { EVENT, assess, call, startWithCluster } from "../scene.ts";
import type { Scene } from "../scene.ts";

const WRITERS = 8;
const LANES = 4;
const LEASE_SECONDS = 5;
/** In a full run, the leases of a killed node end by themselves. */
const ARRIVAL_LIMIT_MS = 150_000;

export const order: Experiment = {
  name: "order",
  done: "Sessions of the database are ended at random while eight clients fire at two nodes, for an ordered endpoint and a pull endpoint; in the long form, a node is killed with `kill -9` too",
  promised:
    "Each lane gets its deliveries one at a time, in the order of each client and with rising numbers; pulled offsets have no gap and each client's order; nothing that was accepted is missing",
  async run({ full }) {
    const { scene, cluster } = await startWithCluster({ nodes: 2 });
    const lanes = await orderedLanes(scene);
    await scene.endpoint("slow", [EVENT]);
    const pulled = await startPulling(scene);
    const dataOf = (n: number, client: number): object => ({ w: `w${client}`, order: String((n * 7) % LANES) });
    const load = scene.load({ clients: WRITERS, dataOf });
    const kills = full ? 60 : 12;
    for (let kill = 0; kill < kills; kill += 1) {
      await load.more(20);
      await sleep(Math.random() * 300);
      await endSessions(cluster);
      if (full && kill % 20 === 10) await restart(scene);
    }
    await load.more(50);
    const fired = await load.stop();
    const outcome = await assess(scene, fired, { what: `${kills} × two sessions` });
    const broken = [...(await faultsOfLanes(lanes, fired)), ...(await pulled.end(fired))];
    return { ...outcome, broken: [...outcome.broken, ...broken] };
  },
};

async function orderedLanes(scene: Scene): Promise<LaneRecord> {
  const receiver = await startReceiver();
  tracked(async () => await receiver.close());
  const ordering = { key: "$.data.order" };
  const endpoint = { url: receiver.url, events: [EVENT], max_in_flight: 64, ordering };
  await call(scene.nodes[0]?.port ?? 0, scene.key, "/v1/webhook-endpoints", endpoint);
  return recordLanes(receiver, () => 200);
}

async function endSessions(cluster: Cluster): Promise<void> {
  await cluster.query(
    `select pg_terminate_backend(pid) from (select pid from pg_stat_activity where application_name like 'junction%'
      and state in ('active', 'idle in transaction') order by random() limit 2) p`,
  );
}

async function restart({ nodes: [node] }: Scene): Promise<void> {
  await node?.kill();
  await node?.start();
}

async function faultsOfLanes({ lanes, faults }: LaneRecord, { accepted }: Fired): Promise<string[]> {
  const missing = (): number[] => {
    const got = new Set([...lanes.values()].flatMap((attempts) => attempts.map(({ n }) => n)));
    return [...accepted.keys()].filter((n) => !got.has(n));
  };
  await allHere("the lanes", missing);
  return [...faults(), ...lost("from a lane", missing())];
}

async function allHere(where: string, missing: () => readonly number[]): Promise<void> {
  const isDone = async (): Promise<boolean> => await Promise.resolve(missing().length === 0);
  await until(`what was accepted in ${where}`, isDone, ARRIVAL_LIMIT_MS).catch(() => undefined);
}

function lost(where: string, missing: readonly number[]): string[] {
  return missing.length === 0 ? [] : [`${missing.length} events are missing ${where}, such as number ${missing[0]}`];
}

interface Pulled {
  readonly messages: readonly { readonly offset: number; readonly body: string }[];
  readonly lease: { readonly id: string } | null;
}

interface Pulling {
  /** Reads the rest, and returns what contradicts the order. */
  end(fired: Fired): Promise<string[]>;
}

/** Pulls and commits all messages, at either node. */
async function startPulling(scene: Scene): Promise<Pulling> {
  const { nodes, key } = scene;
  const made = await call<{ id: string }>(nodes[0]?.port ?? 0, key, "/v1/webhook-endpoints", {
    kind: "pull",
    events: [EVENT],
  });
  const seen = new Set<number>();
  const last = new Map<string, number>();
  const faults: string[] = [];
  let next = 1;
  let turn = 0;
  let isOver = false;
  /** Undefined if there was no answer, or a refusal. */
  const post = async <Answer>(what: string, body: object): Promise<Answer | undefined> => {
    const node = nodes[(turn += 1) % nodes.length];
    const answer = await fetch(`http://127.0.0.1:${node?.port}/v1/webhook-endpoints/${made.id}/${what}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ consumer: "faults", ...body }),
    }).catch(() => undefined);
    const text = await answer?.text().catch(() => undefined);
    return answer?.ok === true && text !== undefined ? (JSON.parse(text === "" ? "{}" : text) as Answer) : undefined;
  };
  const note = (offset: number, { n, w }: { readonly n: number; readonly w: string }): void => {
    if (offset !== next) faults.push(`offset ${offset} in place of ${next}`);
    if (seen.has(n)) faults.push(`number ${n} has two offsets`);
    if (n <= (last.get(w) ?? 0)) faults.push(`${w} ${n} after ${last.get(w)}`);
    next = offset + 1;
    seen.add(n);
    last.set(w, n);
  };
  const read = async (): Promise<void> => {
    const pulled = await post<Pulled>("pull", { limit: 50, wait_seconds: 1, lease_seconds: LEASE_SECONDS });
    if (pulled?.lease === null || pulled === undefined) return await sleep(100);
    for (const { offset, body } of pulled.messages)
      note(offset, (JSON.parse(body) as { data: { n: number; w: string } }).data);
    const committed = { lease_id: pulled.lease.id };
    while ((await post("commit", committed)) === undefined && !isOver) await sleep(50);
  };
  const reading = (async () => {
    while (!isOver) await read();
  })();
  return {
    async end({ accepted }) {
      const missing = (): number[] => [...accepted.keys()].filter((n) => !seen.has(n));
      await allHere("the log", missing);
      isOver = true;
      await reading;
      return [...faults, ...lost("from the log", missing())];
    },
  };
}
