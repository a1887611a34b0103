import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { until } from "../cluster.ts";
import { ACTIONS } from "./schedule.ts";
import type { FaultKind, PlannedFault } from "./schedule.ts";
import { OK } from "./receivers.ts";
import type { Mode, NemesisReceiver } from "./receivers.ts";
import type { World, WorldNode } from "./world.ts";

/** Begins a fault, and returns what ends it. */
type Begin = (world: World, fault: PlannedFault) => Promise<() => Promise<void>>;

const SESSIONS_PAUSE_MS = 400;
/** The share of the passes of a failpoint that it disturbs. */
const SHARES = { delay: 0.3, throw: 0.3, kill: 0.2 } as const;
/** Long enough for a busy machine. */
const NODE_LIMIT_MS = 420_000;

/** Does the faults at their times. Resolves when all are over. */
export async function doFaults(world: World, faults: readonly PlannedFault[]): Promise<void> {
  await Promise.all(faults.map(async (fault) => await atItsTime(world, fault)));
}

async function atItsTime(world: World, fault: PlannedFault): Promise<void> {
  await sleep(Math.max(0, fault.startMs - world.history.now()));
  // A fault that took longer than planned moves the next one of its target.
  await world.inTurn(fault.target, async () => {
    const startMs = world.history.now();
    const end = await BEGINS[fault.kind](world, fault);
    await sleep(fault.lengthMs);
    await end();
    world.history.add({ kind: "fault", fault: { ...fault, startMs, endMs: world.history.now() } });
  });
}

/** Starts a node until it is ready: one whose database is gone may end. */
export async function startNode(one: WorldNode): Promise<void> {
  await until(
    "a node to start",
    async () => {
      if (!one.node.isRunning()) await one.node.start();
      return await one.node.isReady();
    },
    NODE_LIMIT_MS,
  );
  one.mustRun = true;
}

const nodeKilled: Begin = async (world, fault) => {
  const one = nodeOf(world, fault);
  one.mustRun = false;
  await one.node.kill();
  return async () => await startNode(one);
};

const nodeStopped: Begin = async (world, fault) => {
  const one = nodeOf(world, fault);
  one.mustRun = false;
  await one.node.stop();
  return async () => await startNode(one);
};

const nodePaused: Begin = async (world, fault) => {
  const pid = nodeOf(world, fault).node.pid();
  process.kill(pid, "SIGSTOP");
  return async () => await Promise.resolve(void process.kill(pid, "SIGCONT"));
};

const sessionsEnded: Begin = async ({ cluster }, { strength }) => {
  let isOver = false;
  const work = (async () => {
    while (!isOver) {
      await cluster
        .query(
          `select pg_terminate_backend(pid) from (select pid from pg_stat_activity where application_name like 'junction%'
            order by random() limit $1) p`,
          [strength],
        )
        .catch(() => undefined);
      await sleep(SESSIONS_PAUSE_MS);
    }
  })();
  return async () => {
    isOver = true;
    await work;
  };
};

const databaseKilled: Begin = async ({ cluster }) => {
  await cluster.kill();
  return async () => await cluster.start();
};

const databaseStopped: Begin = async ({ cluster }) => {
  await cluster.stopAtOnce();
  return async () => await cluster.start();
};

const wayDisturbed =
  (disturb: "hold" | "cut"): Begin =>
  async (world, fault) => {
    const { way } = nodeOf(world, fault);
    way[disturb]();
    return async () => await Promise.resolve(way.restore());
  };

const waySlow: Begin = async (world, fault) => {
  const { way } = nodeOf(world, fault);
  way.slow(fault.strength);
  return async () => await Promise.resolve(way.slow(0));
};

const commitsSlow: Begin = async ({ cluster }, { strength }) => {
  const set = async (delay: number): Promise<void> => {
    await cluster.query("alter system set commit_siblings = 0");
    await cluster.query(`alter system set commit_delay = ${delay}`);
    await cluster.query("select pg_reload_conf()");
  };
  await set(strength).catch(() => undefined);
  return async () => await surely("commits to be fast again", async () => await set(0));
};

const snapshotHeld: Begin = async ({ cluster }) => {
  const client = new Client({ connectionString: cluster.url });
  client.on("error", () => undefined);
  const held = await client
    .connect()
    .then(async () => await client.query("begin isolation level repeatable read; select count(*) from pg_class"))
    .catch(() => undefined);
  return async () => {
    if (held !== undefined) await client.end().catch(() => undefined);
  };
};

const SLOT = "nemesis";

const slotIdle: Begin = async ({ cluster }) => {
  await cluster.query("select pg_create_physical_replication_slot($1, true)", [SLOT]).catch(() => undefined);
  const drop = "select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1";
  return async () => await surely("the slot to be dropped", async () => await cluster.query(drop, [SLOT]));
};

const receiverIn =
  (modeOf: (strength: number) => Mode): Begin =>
  async (world, fault) => {
    const receiver = receiverOf(world, fault);
    receiver.set(modeOf(fault.strength));
    return async () => await Promise.resolve(receiver.set(OK));
  };

const receiverGone: Begin = async (world, fault) => {
  const receiver = receiverOf(world, fault);
  await receiver.refuse();
  return receiver.listen;
};

const failpoint: Begin = async (world, fault) => {
  const one = nodeOf(world, fault);
  const action = ACTIONS[fault.strength] ?? "delay";
  if (action === "kill") one.mustRun = false;
  await writeFile(one.failpoints, `${fault.place} ${action} ${SHARES[action]}`);
  return async () => {
    await writeFile(one.failpoints, "");
    if (action === "kill") await startNode(one);
  };
};

const BEGINS: Readonly<Record<FaultKind, Begin>> = {
  "node-killed": nodeKilled,
  "node-stopped": nodeStopped,
  "node-paused": nodePaused,
  "node-paused-long": nodePaused,
  "sessions-ended": sessionsEnded,
  "database-killed": databaseKilled,
  "database-stopped": databaseStopped,
  "way-held": wayDisturbed("hold"),
  "way-cut": wayDisturbed("cut"),
  "way-slow": waySlow,
  "commits-slow": commitsSlow,
  "snapshot-held": snapshotHeld,
  "slot-idle": slotIdle,
  "receiver-refuses": receiverIn((status) => ({ kind: "status", status })),
  "receiver-hangs": receiverIn(() => ({ kind: "hang" })),
  "receiver-resets": receiverIn(() => ({ kind: "reset" })),
  "receiver-slow": receiverIn((ms) => ({ kind: "slow", ms })),
  "receiver-gone": receiverGone,
  failpoint,
};

/** The targets of nodes and ways end with the number of their node. */
function nodeOf({ nodes }: World, { target }: PlannedFault): WorldNode {
  const one = nodes[Number(target.at(-1))];
  if (one === undefined) throw new Error(`there is no ${target}`);
  return one;
}

function receiverOf({ receivers }: World, { target }: PlannedFault): NemesisReceiver {
  const one = receivers[Number(target.at(-1))];
  if (one === undefined) throw new Error(`there is no ${target}`);
  return one;
}

/** Repeats what has to succeed, as the database may be gone at the moment. */
async function surely(what: string, work: () => Promise<unknown>): Promise<void> {
  await until(what, async () => {
    await work();
    return true;
  });
}
