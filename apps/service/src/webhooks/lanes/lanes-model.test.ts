import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { Subscription } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const PROGRAMS = 3;
const STEPS = 30;
const LANES = ["a", "b"];

let service: TestService;
beforeAll(async () => {
  // One retry, so that a failure is quick.
  service = await startService({ env: { ...UNLIMITED, JUNCTION_RETRY_LADDER: "1ms" } });
});
afterAll(async () => await service.close());

interface Entry {
  readonly n: number;
  readonly lane: string;
  readonly sequence: number;
  state: string;
  /** The state before a replay; undefined for none. */
  resting: string | undefined;
}

/** The lanes of one endpoint as the contract describes them, without any time in between. */
class Model {
  readonly entries: Entry[] = [];
  readonly sent = new Map<string, number[]>();
  /** The numbers of the deliveries that the receiver refuses. */
  readonly refused = new Set<number>();
  blocks = true;
  active = true;
  readonly #queues = new Map<string, Entry[]>();
  readonly #heads = new Map<string, Entry>();

  fire(lane: string): void {
    const entry: Entry = {
      n: this.entries.length + 1,
      lane,
      sequence: this.entries.filter((one) => one.lane === lane).length + 1,
      state: "pending",
      resting: undefined,
    };
    this.entries.push(entry);
    this.#queueOf(lane).push(entry);
  }

  headOf(lane: string): Entry | undefined {
    return this.#heads.get(lane);
  }

  /** Lets everything happen that happens by itself. */
  settle(): void {
    for (const lane of LANES)
      for (let head = this.#next(lane); head !== undefined && this.#send(head); head = this.#next(lane));
  }

  retry(lane: string): void {
    const head = this.#heads.get(lane);
    if (head !== undefined) Object.assign(head, { state: "pending", resting: head.resting ?? "failed" });
  }

  skip(lane: string): void {
    const head = this.#heads.get(lane);
    if (head === undefined) return;
    this.cancel(head);
  }

  replay(entry: Entry): void {
    if (this.#heads.get(entry.lane) === entry) return this.retry(entry.lane);
    Object.assign(entry, { resting: entry.state, state: "pending" });
    this.#queueOf(entry.lane).push(entry);
  }

  cancel(entry: Entry): void {
    Object.assign(entry, { state: "cancelled", resting: undefined });
    this.#holds.delete(entry);
    if (this.#heads.get(entry.lane) === entry) this.#heads.delete(entry.lane);
    this.#queues.set(
      entry.lane,
      this.#queueOf(entry.lane).filter((one) => one !== entry),
    );
  }

  #queueOf(lane: string): Entry[] {
    const known = this.#queues.get(lane) ?? [];
    this.#queues.set(lane, known);
    return known;
  }

  #next(lane: string): Entry | undefined {
    const head = this.#heads.get(lane) ?? this.#queueOf(lane).shift();
    if (head !== undefined) this.#heads.set(lane, head);
    return head;
  }

  /** Makes the attempts of a head. Returns true if its lane continues. */
  #send(head: Entry): boolean {
    if (head.state !== "failed") {
      if (!this.active) return false;
      this.#attempt(head);
    }
    head.resting = undefined;
    if (head.state === "failed" && this.#holds.has(head) && this.blocks) return false;
    this.#holds.delete(head);
    this.#heads.delete(head.lane);
    return true;
  }

  #attempt(head: Entry): void {
    const isRefused = this.refused.has(head.n);
    const sent = this.sent.get(head.lane) ?? [];
    this.sent.set(head.lane, sent);
    sent.push(head.n);
    if (head.resting === undefined) {
      this.#holds.add(head);
      if (isRefused) sent.push(head.n);
    }
    head.state = isRefused ? (head.resting ?? "failed") : "delivered";
  }

  /** The heads whose failure holds their lane: those that were not replayed before they became heads. */
  readonly #holds = new Set<Entry>();
}

interface Program {
  readonly one: Subscription;
  readonly model: Model;
  readonly ids: string[];
  random(below: number): number;
}

type Step = (program: Program) => Promise<void>;

const post = async (path: string, body?: object): Promise<Parsed> => {
  const answer = await service.api("POST", path, body);
  expect([path, answer.status]).toEqual([path, answer.status < 300 ? answer.status : 202]);
  return answer.body;
};

const anyLane = ({ random }: Program): string => LANES[random(LANES.length)] ?? "";

const STEPS_OF: readonly Step[] = [
  async (program) => {
    const { one, model, ids, random } = program;
    if (!model.active) return;
    const count = 1 + random(4);
    const events = Array.from({ length: count }, () => {
      model.fire(anyLane(program));
      const { lane: order, n } = model.entries.at(-1) ?? { lane: "", n: 0 };
      if (random(4) === 0) model.refused.add(n);
      return { event: one.event, data: { order, n } };
    });
    const { data } = await post("/v1/events/batch", { events });
    ids.push(...(data as Parsed[]).map((fired) => fired["deliveries"][0].id as string));
  },
  async (program) => {
    const { one, model } = program;
    const lane = anyLane(program);
    if (model.headOf(lane)?.state !== "failed" || !model.active) return;
    await post(`${one.path}/lanes/retry`, { key: `"${lane}"` });
    model.retry(lane);
  },
  async (program) => {
    const { one, model } = program;
    const lane = anyLane(program);
    if (model.headOf(lane) === undefined) return;
    await post(`${one.path}/lanes/skip`, { key: `"${lane}"` });
    model.skip(lane);
  },
  async ({ model, ids, random }) => {
    const entry = model.entries[random(model.entries.length)];
    if (entry === undefined || entry.state === "pending" || !model.active) return;
    await post(`/v1/deliveries/${ids[entry.n - 1]}/replay`);
    model.replay(entry);
  },
  async ({ model, ids, random }) => {
    const entry = model.entries[random(model.entries.length)];
    if (entry?.state !== "pending") return;
    await post(`/v1/deliveries/${ids[entry.n - 1]}/cancel`);
    model.cancel(entry);
  },
  async ({ model, random }) => {
    const entry = model.entries[random(model.entries.length)];
    if (entry === undefined) return await Promise.resolve();
    if (!model.refused.delete(entry.n)) model.refused.add(entry.n);
  },
  async ({ one, model, random }) => {
    if (random(3) > 0) return;
    model.blocks = !model.blocks;
    const ordering = { key: "$.data.order", on_failed: model.blocks ? "block" : "skip" };
    await service.api("PATCH", one.path, { ordering });
  },
  async ({ one, model, random }) => {
    if (random(3) > 0) return;
    model.active = !model.active;
    await post(`${one.path}/toggle`);
  },
];

async function shown({ one, model, ids }: Program): Promise<unknown> {
  const { body } = await service.api("GET", `/v1/deliveries?endpoint_id=${one.endpoint.id}&limit=100`);
  const byId = new Map((body["data"] as Parsed[]).map((delivery) => [delivery["id"], delivery]));
  const sent = new Map<string, number[]>();
  for (const { body: text } of one.receiver.received) {
    const { data } = JSON.parse(text) as { data: { order: string; n: number } };
    sent.set(data.order, [...(sent.get(data.order) ?? []), data.n]);
  }
  const lanes = (await service.api("GET", `${one.path}/lanes`)).body["data"] as Parsed[];
  return {
    heads: lanes.map(({ key, head }) => [key, model.entries[ids.indexOf(head.delivery_id)]?.n, head.state]),
    deliveries: model.entries.map(({ n }) => {
      const { state, sequence } = byId.get(ids[n - 1] ?? "") ?? {};
      return { n, state, sequence };
    }),
    sent: Object.fromEntries(LANES.map((lane) => [lane, sent.get(lane) ?? []])),
  };
}

function expected({ model }: Program): unknown {
  return {
    heads: LANES.flatMap((lane) => {
      const head = model.headOf(lane);
      return head === undefined ? [] : [[`"${lane}"`, head.n, head.state]];
    }),
    deliveries: model.entries.map(({ n, state, sequence }) => ({ n, state, sequence })),
    sent: Object.fromEntries(LANES.map((lane) => [lane, model.sent.get(lane) ?? []])),
  };
}

/** Returns a generator of numbers that a failing test can repeat. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("random programs lead to the states and the order that a model predicts", { timeout: 240_000 }, async () => {
  for (let seed = 0; seed < PROGRAMS; seed += 1) {
    const base = Number(process.env["JUNCTION_LANES_SEED"] ?? Date.now() % 1_000_000) + seed;
    const one = await subscribe(service, { more: { ordering: { key: "$.data.order" } } });
    const program: Program = { one, model: new Model(), ids: [], random: randomOf(base) };
    one.receiver.answer((response, { body }) => {
      const { data } = JSON.parse(body) as { data: { n: number } };
      response.writeHead(program.model.refused.has(data.n) ? 500 : 200).end();
    });
    for (let at = 0; at < STEPS; at += 1) {
      const step = STEPS_OF[program.random(10) < 4 ? 0 : program.random(STEPS_OF.length)];
      await step?.(program);
      program.model.settle();
      await expect
        .poll(async () => await shown(program), { timeout: 20_000, interval: 20, message: `seed ${base}, step ${at}` })
        .toEqual(expected(program));
    }
  }
});
