import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLaneProgram, expectedOf, fireSome, firstSeed, shownOf, takeStep } from "../../testing/lane-model.ts";
import type { LaneProgram, LaneResults } from "../../testing/lane-model.ts";
import { freePort, startProcess } from "../../testing/process.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

/** The random programs. One takes some ten seconds. */
const PROGRAMS = Number(process.env["JUNCTION_LANES_PROGRAMS"] ?? 1);
const STEPS = 18;
const STOPPED_AT = 6;
const KILLED_AT = 12;
const ENV = { ...UNLIMITED, JUNCTION_RETRY_LADDER: "1ms" };

let service: TestService;
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "junction-lanes-"));
  service = await startService({ env: ENV });
});
afterAll(async () => {
  await service.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** The second node of the installation. */
interface Node {
  readonly baseUrl: string;
  end(): Promise<unknown>;
}

async function stoppable(): Promise<Node> {
  const { baseUrl, close } = await startService({ on: service, env: ENV });
  return { baseUrl, end: close };
}

async function killable(): Promise<Node> {
  const own = { DATABASE_URL: service.database.url, JUNCTION_MASTER_KEY: MASTER_KEY, JUNCTION_DATA_DIR: dataDir };
  const node = startProcess({ ...ENV, ...own, JUNCTION_ALLOW_TARGETS: "127.0.0.0/8" }, await freePort());
  await node.ready();
  return { baseUrl: node.baseUrl, end: node.kill };
}

/** Sends a request to one of the nodes at random. One that the second node did not answer is repeated with its key. */
function apiOf(second: () => Node, random: () => number): TestService["api"] {
  return async (method, path, body) => {
    const headers = { "Idempotency-Key": randomUUID() };
    const first = random() === 0 ? undefined : await from(second(), { method, path, body, headers });
    return first ?? (await service.api(method, path, body, { headers }));
  };
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

async function from({ baseUrl }: Node, { method, path, body, headers }: Sent): Promise<ApiAnswer | undefined> {
  try {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: {
        ...headers,
        Authorization: `Bearer ${service.key}`,
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return answer.status >= 500
      ? undefined
      : { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Fires events while the second node ends. */
async function loseWhileFiring(program: LaneProgram, node: Node): Promise<void> {
  const firing = fireSome(program);
  await sleep(program.random(40));
  await Promise.all([firing, node.end()]);
}

/** Ends the leases that a killed node left. Those of the other node last a few milliseconds. */
async function endOldLeases(): Promise<void> {
  await service.database.query(
    "update pending_delivery set due_at = now() where lease_id is not null and due_at < now() + interval '57 seconds'",
  );
  await service.database.query("select pg_notify('junction_due', '')");
}

/** A killed node's last attempts are made again, each before the next delivery of its lane. */
function withoutRepeats({ sent, ...results }: LaneResults): LaneResults {
  const once = Object.entries(sent).map(([lane, all]) => [lane, all.filter((n, at) => n !== all[at - 1])]);
  return { ...results, sent: Object.fromEntries(once) };
}

async function run(seed: number): Promise<void> {
  const nodes = { second: await stoppable(), isKilled: false };
  const random = (): number => program.random(2);
  const program: LaneProgram = await createLaneProgram(service, { seed, api: apiOf(() => nodes.second, random) });
  try {
    for (let at = 0; at < STEPS; at += 1) {
      if (at === STOPPED_AT || at === KILLED_AT) {
        await loseWhileFiring(program, nodes.second);
        nodes.isKilled = at === KILLED_AT;
        // A node looks for lanes that others left when it starts.
        nodes.second = await (nodes.isKilled ? stoppable() : killable());
      } else await takeStep(program);
      program.model.settle();
      const seen = nodes.isKilled ? withoutRepeats : (results: LaneResults) => results;
      await expect
        .poll(
          async () => {
            if (nodes.isKilled) await endOldLeases();
            return seen(await shownOf(service, program));
          },
          { timeout: 30_000, interval: 30, message: `JUNCTION_LANES_SEED=${seed}, step ${at}` },
        )
        .toEqual(seen(expectedOf(program)));
    }
  } finally {
    await nodes.second.end();
  }
}

test(
  "random programs on two nodes, of which one is killed, agree with the model",
  { timeout: 60_000 + PROGRAMS * 60_000 },
  async () => {
    const first = firstSeed();
    for (let seed = first; seed < first + PROGRAMS; seed += 1) await run(seed);
  },
);
