import { subscribe } from "./subscription.ts";
import type { Subscription } from "./subscription.ts";
import type { Parsed, TestService } from "./test-service.ts";

const LANES = ["a", "b"];

interface Entry {
  readonly n: number;
  readonly lane: string;
  readonly sequence: number;
  state: string;
  /** The state before a replay; undefined for none. */
  resting: string | undefined;
}

/** The lanes of one endpoint as the contract describes them, without any time in between. */
export class LaneModel {
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

/** The endpoint with lanes of a random program, and their model. */
export interface LaneProgram {
  readonly one: Subscription;
  readonly model: LaneModel;
  /** The ids of the deliveries, in the order of the model's entries. */
  readonly ids: string[];
  /** Sends a request to some node of the service. */
  readonly api: TestService["api"];
  random(below: number): number;
}

/** Creates the endpoint. The seed determines the steps. */
export async function createLaneProgram(
  service: TestService,
  { seed, api = service.api }: { readonly seed: number; readonly api?: TestService["api"] },
): Promise<LaneProgram> {
  const one = await subscribe(service, { more: { ordering: { key: "$.data.order" } } });
  const model = new LaneModel();
  one.receiver.answer((response, { body }) => {
    const { data } = JSON.parse(body) as { data: { n: number } };
    response.writeHead(model.refused.has(data.n) ? 500 : 200).end();
  });
  return { one, model, ids: [], api, random: randomOf(seed) };
}

/** Returns the seed of the first program of a test; `JUNCTION_LANES_SEED` repeats one. */
export function firstSeed(): number {
  return Number(process.env["JUNCTION_LANES_SEED"] ?? Date.now() % 1_000_000);
}

/** Takes a random step, on the service and in the model. */
export async function takeStep(program: LaneProgram): Promise<void> {
  await STEPS[program.random(10) < 4 ? 0 : program.random(STEPS.length)]?.(program);
}

/** The results that are compared between steps. */
export interface LaneResults {
  /** The key, the number and the state of each head. */
  readonly heads: readonly unknown[];
  readonly deliveries: readonly unknown[];
  /** The numbers that the receiver got, by lane. */
  readonly sent: Readonly<Record<string, readonly number[]>>;
}

type Step = (program: LaneProgram) => Promise<void>;

async function send({ api }: LaneProgram, method: string, path: string, body?: object): Promise<Parsed> {
  const answer = await api(method, path, body);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
  return answer.body;
}

async function post(program: LaneProgram, path: string, body?: object): Promise<Parsed> {
  return await send(program, "POST", path, body);
}

const anyLane = ({ random }: LaneProgram): string => LANES[random(LANES.length)] ?? "";

/** Fires some events in one batch, a part of which the receiver refuses. */
export async function fireSome(program: LaneProgram): Promise<void> {
  const { one, model, ids, random } = program;
  if (!model.active) return;
  const count = 1 + random(4);
  const events = Array.from({ length: count }, () => {
    model.fire(anyLane(program));
    const { lane: order, n } = model.entries.at(-1) ?? { lane: "", n: 0 };
    if (random(4) === 0) model.refused.add(n);
    return { event: one.event, data: { order, n } };
  });
  const { data } = await post(program, "/v1/events/batch", { events });
  ids.push(...(data as Parsed[]).map((fired) => fired["deliveries"][0].id as string));
}

const STEPS: readonly Step[] = [
  fireSome,
  async (program) => {
    const { one, model } = program;
    const lane = anyLane(program);
    if (model.headOf(lane)?.state !== "failed" || !model.active) return;
    await post(program, `${one.path}/lanes/retry`, { key: `"${lane}"` });
    model.retry(lane);
  },
  async (program) => {
    const { one, model } = program;
    const lane = anyLane(program);
    if (model.headOf(lane) === undefined) return;
    await post(program, `${one.path}/lanes/skip`, { key: `"${lane}"` });
    model.skip(lane);
  },
  async (program) => {
    const { model, ids, random } = program;
    const entry = model.entries[random(model.entries.length)];
    if (entry === undefined || entry.state === "pending" || !model.active) return;
    await post(program, `/v1/deliveries/${ids[entry.n - 1]}/replay`);
    model.replay(entry);
  },
  async (program) => {
    const { model, ids, random } = program;
    const entry = model.entries[random(model.entries.length)];
    if (entry?.state !== "pending") return;
    await post(program, `/v1/deliveries/${ids[entry.n - 1]}/cancel`);
    model.cancel(entry);
  },
  async ({ model, random }) => {
    const entry = model.entries[random(model.entries.length)];
    if (entry === undefined) return await Promise.resolve();
    if (!model.refused.delete(entry.n)) model.refused.add(entry.n);
  },
  async (program) => {
    const { one, model, random } = program;
    if (random(3) > 0) return;
    model.blocks = !model.blocks;
    const ordering = { key: "$.data.order", on_failed: model.blocks ? "block" : "skip" };
    await send(program, "PATCH", one.path, { ordering });
  },
  async (program) => {
    const { one, model, random } = program;
    if (random(3) > 0) return;
    model.active = !model.active;
    await post(program, `${one.path}/toggle`);
  },
];

/** Returns what the service shows, in the form of `expectedOf`. */
export async function shownOf(service: TestService, { one, model, ids }: LaneProgram): Promise<LaneResults> {
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

/** Returns what the model predicts. */
export function expectedOf({ model }: LaneProgram): LaneResults {
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
