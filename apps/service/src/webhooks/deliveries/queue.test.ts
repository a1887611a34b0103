import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { instant } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import { createQueue } from "./queue.ts";
import type { AttemptEnd } from "./patience.ts";
import type { Queue, LeasedDelivery } from "./queue.ts";

let made = 0;

function work(workspace: string, endpoint: string, bytes = 0): LeasedDelivery {
  made += 1;
  return {
    bucket: 0,
    tag: workspace as Tag,
    deliveryId: `delivery-${made}` as Uuid,
    eventId: `event-${made}` as Uuid,
    eventName: "order.created",
    occurredAt: instant(0),
    traceparent: null,
    tenant: null,
    data: "{}",
    bytes,
    endpointId: `${workspace}/${endpoint}` as Uuid,
    attemptCount: 0,
    trigger: "ladder",
    restingState: null,
    isUnjudged: false,
    lane: null,
    transformed: false,
    leasedUntilMs: 0,
  };
}

function fill(
  queue: Queue,
  count: number,
  of: { workspace: string; endpoint: string; max?: number },
): LeasedDelivery[] {
  const works = Array.from({ length: count }, () => work(of.workspace, of.endpoint));
  for (const one of works) queue.push(one, of.max ?? 16);
  return works;
}

function takeNext(queue: Queue): LeasedDelivery | undefined {
  return queue.take() ?? queue.takeHanging();
}

function takeAll(queue: Queue): LeasedDelivery[] {
  const taken: LeasedDelivery[] = [];
  for (let one = takeNext(queue); one !== undefined; one = takeNext(queue)) taken.push(one);
  return taken;
}

let now = 0;
const CLOCK = { monotonicMs: () => now };
const ROOMY = {
  maxPatient: 100,
  maxInFlight: 1000,
  maxPerWorkspace: 1000,
  maxBytes: 100,
  maxBytesPerWorkspace: 50,
  maxWaiting: 1000,
};

describe("the order of sending", () => {
  test("workspaces take turns when one of them has many deliveries", () => {
    const queue = createQueue(ROOMY, CLOCK);
    fill(queue, 500, { workspace: "busy", endpoint: "a", max: 500 });
    fill(queue, 3, { workspace: "calm", endpoint: "a" });
    const first = Array.from({ length: 7 }, () => queue.take()?.tag);
    expect(first).toEqual(["busy", "calm", "busy", "calm", "busy", "calm", "busy"]);
  });

  test("endpoints of one workspace take turns", () => {
    const queue = createQueue(ROOMY, CLOCK);
    for (const endpoint of ["a", "b", "c"]) fill(queue, 2, { workspace: "w", endpoint });
    expect(takeAll(queue).map((one) => one.endpointId)).toEqual(["w/a", "w/b", "w/c", "w/a", "w/b", "w/c"]);
  });

  test("a workspace gets the same turns for any number of endpoints", () => {
    const queue = createQueue(ROOMY, CLOCK);
    for (let nth = 0; nth < 20; nth += 1) fill(queue, 5, { workspace: "many", endpoint: `e${nth}` });
    fill(queue, 10, { workspace: "one", endpoint: "a" });
    const first = Array.from({ length: 20 }, () => queue.take()?.tag);
    expect(first.filter((tag) => tag === "one")).toHaveLength(10);
  });

  test("an endpoint that hangs uses only its own slots", () => {
    const queue = createQueue(ROOMY, CLOCK);
    fill(queue, 100, { workspace: "w", endpoint: "hanging", max: 4 });
    fill(queue, 100, { workspace: "w", endpoint: "fine", max: 200 });
    const taken = takeAll(queue);
    expect(taken.filter((one) => one.endpointId === "w/hanging")).toHaveLength(4);
    expect(taken.filter((one) => one.endpointId === "w/fine")).toHaveLength(100);
  });

  test("a workspace whose endpoints all hang leaves other workspaces their share", () => {
    const queue = createQueue({ ...ROOMY, maxPerWorkspace: 500 }, CLOCK);
    for (let nth = 0; nth < 100; nth += 1) fill(queue, 16, { workspace: "hanging", endpoint: `e${nth}` });
    expect(takeAll(queue)).toHaveLength(500);
    fill(queue, 10, { workspace: "fine", endpoint: "a" });
    expect(takeAll(queue).map((one) => one.tag)).toEqual(Array.from({ length: 10 }, () => "fine"));
  });

  test("a lowered max_in_flight counts from the next send on", () => {
    const queue = createQueue(ROOMY, CLOCK);
    fill(queue, 10, { workspace: "w", endpoint: "a", max: 4 });
    fill(queue, 1, { workspace: "w", endpoint: "b" });
    const running = [queue.take(), queue.take(), queue.take()].filter((one) => one !== undefined);
    expect(running.map((one) => one.endpointId)).toEqual(["w/a", "w/b", "w/a"]);
    fill(queue, 1, { workspace: "w", endpoint: "a", max: 1 });
    fill(queue, 1, { workspace: "w", endpoint: "c" });
    expect(takeAll(queue).map((one) => one.endpointId)).toEqual(["w/c"]);
    for (const one of running) queue.release(one);
    expect(takeAll(queue).map((one) => one.endpointId)).toEqual(["w/a"]);
  });
});

describe("endpoints that hang", () => {
  const FEW = { ...ROOMY, maxInFlight: 20, maxPerWorkspace: 10, maxPatient: 5 };

  function hang(queue: Queue, count: number): void {
    for (let nth = 0; nth < count; nth += 1) {
      fill(queue, 1, { workspace: "w", endpoint: `hanging${nth}` });
      for (const one of takeAll(queue)) queue.release(one, "hung");
    }
  }

  test("leave the slots of a workspace to others, for any number of them", () => {
    const queue = createQueue(FEW, CLOCK);
    hang(queue, 100);
    for (let nth = 0; nth < 100; nth += 1) fill(queue, 1, { workspace: "w", endpoint: `hanging${nth}` });
    expect(takeAll(queue)).toHaveLength(5);
    fill(queue, 10, { workspace: "w", endpoint: "fine" });
    expect(takeAll(queue).map((one) => one.endpointId)).toEqual(Array.from({ length: 10 }, () => "w/fine"));
  });

  test("take turns with their slots", () => {
    const queue = createQueue(FEW, CLOCK);
    hang(queue, 7);
    for (let nth = 0; nth < 7; nth += 1) fill(queue, 2, { workspace: "w", endpoint: `hanging${nth}` });
    const first = takeAll(queue);
    for (const one of first) queue.release(one, "hung");
    const names = [...first, ...takeAll(queue)].map((one) => one.endpointId);
    expect(names).toEqual(Array.from({ length: 10 }, (_, nth) => `w/hanging${nth % 7}`).slice(0, names.length));
    expect(names.length).toBeGreaterThan(6);
  });

  test("get one request at a time until one ends, and give back what waits", () => {
    const queue = createQueue(FEW, CLOCK);
    const works = fill(queue, 8, { workspace: "w", endpoint: "a", max: 4 });
    const [first, ...others] = takeAll(queue);
    expect(queue.release(first ?? work("w", "a"), "hung")).toEqual(works.slice(4));
    expect([queue.hangs("w/a" as Uuid), queue.waiting, queue.room("w" as Tag)]).toEqual([true, 0, 1000]);
    for (const one of others) expect(queue.release(one, "hung")).toEqual([]);
    fill(queue, 3, { workspace: "w", endpoint: "a", max: 4 });
    const [probe, ...more] = takeAll(queue);
    expect([probe === undefined, more]).toEqual([false, []]);
    queue.release(probe ?? work("w", "a"), "ended");
    expect([queue.hangs("w/a" as Uuid), takeAll(queue).length]).toEqual([false, 2]);
  });

  test("leave their slots after a second, also before a first timeout", () => {
    const queue = createQueue(FEW, CLOCK);
    for (let nth = 0; nth < 10; nth += 1) fill(queue, 1, { workspace: "w", endpoint: `new${nth}` });
    const slow = takeAll(queue);
    expect(slow).toHaveLength(10);
    fill(queue, 10, { workspace: "w", endpoint: "fine" });
    expect([takeAll(queue).length, queue.isFull]).toEqual([0, true]);
    now += 1000;
    const quick = takeAll(queue);
    expect([quick.length, queue.inFlight]).toEqual([5, 15]);
    for (const one of [...slow, ...quick]) queue.release(one, "ended");
    expect([takeAll(queue).length, queue.inFlight]).toEqual([5, 5]);
  });
});

describe("the bytes of large deliveries", () => {
  test("a workspace's large deliveries leave bytes to others, and never hold small ones", () => {
    const queue = createQueue(ROOMY, CLOCK);
    for (let nth = 0; nth < 10; nth += 1) queue.push(work("hostile", `e${nth}`, 10), 16);
    const first = takeAll(queue);
    expect(first).toHaveLength(5);
    queue.push(work("hostile", "small"), 16);
    queue.push(work("calm", "a", 10), 16);
    expect(takeAll(queue).map((one) => one.endpointId)).toEqual(["hostile/small", "calm/a"]);
    for (const one of first) queue.release(one);
    expect(takeAll(queue)).toHaveLength(5);
  });

  test("a workspace that comes late has its share of the places", () => {
    const queue = createQueue(ROOMY, CLOCK);
    fill(queue, 1000, { workspace: "hostile", endpoint: "a" });
    expect(queue.room("hostile" as Tag)).toBe(0);
    expect(queue.room("calm" as Tag)).toBe(500);
  });
});

type Step =
  | {
      readonly kind: "push";
      readonly workspace: string;
      readonly endpoint: string;
      readonly max: number;
      readonly bytes: number;
    }
  | { readonly kind: "take" }
  | { readonly kind: "release"; readonly nth: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("push" as const),
    workspace: fc.constantFrom("u", "v", "w"),
    endpoint: fc.constantFrom("a", "b", "c"),
    max: fc.integer({ min: 1, max: 4 }),
    bytes: fc.constantFrom(0, 10),
  }),
  fc.record({ kind: fc.constant("take" as const) }),
  fc.record({ kind: fc.constant("release" as const), nth: fc.nat() }),
);

/** A simple model of the queue, with two lists: the waiting and the running deliveries. */
interface Model {
  readonly waiting: LeasedDelivery[];
  readonly running: LeasedDelivery[];
  readonly max: Map<Uuid, number>;
}

const LIMITS = {
  maxPatient: 3,
  maxInFlight: 8,
  maxPerWorkspace: 5,
  maxBytes: 30,
  maxBytesPerWorkspace: 20,
  maxWaiting: 10,
};

function bytesOf(works: readonly LeasedDelivery[]): number {
  return works.reduce((sum, { bytes }) => sum + bytes, 0);
}

function hasBytes({ running }: Model, { tag, bytes }: LeasedDelivery): boolean {
  const own = bytesOf(running.filter((other) => other.tag === tag));
  return bytes === 0 || (bytesOf(running) + bytes <= LIMITS.maxBytes && own + bytes <= LIMITS.maxBytesPerWorkspace);
}

function isFirst({ waiting }: Model, one: LeasedDelivery): boolean {
  return waiting.find((other) => other.endpointId === one.endpointId) === one;
}

function mayBeSent(model: Model, one: LeasedDelivery): boolean {
  const { running } = model;
  return (
    isFirst(model, one) &&
    hasBytes(model, one) &&
    running.length < LIMITS.maxInFlight &&
    running.filter((other) => other.tag === one.tag).length < LIMITS.maxPerWorkspace &&
    running.filter((other) => other.endpointId === one.endpointId).length < (model.max.get(one.endpointId) ?? 0)
  );
}

function apply(queue: Queue, model: Model, command: Step): void {
  if (command.kind === "push") {
    const one = work(command.workspace, command.endpoint, command.bytes);
    queue.push(one, command.max);
    model.waiting.push(one);
    model.max.set(one.endpointId, command.max);
  } else if (command.kind === "take") {
    takeOne(queue, model);
  } else if (model.running.length > 0) {
    const [one] = model.running.splice(command.nth % model.running.length, 1);
    if (one !== undefined) queue.release(one);
  }
}

function takeOne(queue: Queue, model: Model): boolean {
  const sendable = model.waiting.filter((other) => mayBeSent(model, other));
  const one = queue.take();
  // The queue returns a delivery exactly when one may be sent.
  expect(one === undefined).toBe(sendable.length === 0);
  if (one === undefined) return false;
  expect(sendable).toContain(one);
  const firstOfEndpoint = model.waiting.findIndex((other) => other.endpointId === one.endpointId);
  expect(model.waiting[firstOfEndpoint]).toBe(one);
  model.waiting.splice(firstOfEndpoint, 1);
  model.running.push(one);
  return true;
}

function agrees(queue: Queue, model: Model): void {
  expect([queue.waiting, queue.inFlight]).toEqual([model.waiting.length, model.running.length]);
  for (const endpointId of model.max.keys()) {
    const held = [...model.waiting, ...model.running].filter((one) => one.endpointId === endpointId).length;
    expect(queue.held(endpointId)).toBe(held);
  }
}

test("any sequence of steps respects limits and order and loses no delivery", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const queue = createQueue(LIMITS, CLOCK);
      const model: Model = { waiting: [], running: [], max: new Map() };
      for (const command of steps) {
        apply(queue, model, command);
        agrees(queue, model);
      }
      while (model.waiting.length + model.running.length > 0) {
        if (takeOne(queue, model)) continue;
        for (const one of model.running.splice(0)) queue.release(one);
      }
      agrees(queue, model);
      expect(queue.take()).toBeUndefined();
    }),
    { numRuns: 300 },
  );
});

const hangingStep = fc.oneof(
  { weight: 3, arbitrary: step.filter(({ kind }) => kind !== "release") },
  fc.record({ kind: fc.constant("end" as const), nth: fc.nat(), end: fc.constantFrom("hung", "ended", undefined) }),
  fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 1500 }) }),
);

/** Ends a running delivery. What is given back waits again, as after its next claim. */
function endOne(queue: Queue, { waiting, running }: Model, nth: number, end: AttemptEnd): void {
  const [one] = running.splice(nth % Math.max(1, running.length), 1);
  if (one === undefined) return;
  for (const left of queue.release(one, end)) {
    expect(waiting).toContain(left);
    waiting.splice(waiting.indexOf(left), 1);
  }
}

test("any sequence of timeouts respects limits and loses no delivery", () => {
  fc.assert(
    fc.property(fc.array(hangingStep, { maxLength: 150 }), (steps) => {
      const queue = createQueue(LIMITS, CLOCK);
      const model: Model = { waiting: [], running: [], max: new Map() };
      for (const command of steps) {
        if (command.kind === "wait") now += command.ms;
        else if (command.kind === "end") endOne(queue, model, command.nth, command.end);
        else if (command.kind === "push") apply(queue, model, command);
        else takeAny(queue, model);
        agrees(queue, model);
      }
      while (model.waiting.length + model.running.length > 0) {
        now += 1000;
        if (!takeAny(queue, model)) endOne(queue, model, 0, "ended");
        agrees(queue, model);
      }
    }),
    { numRuns: 300 },
  );
});

function takeAny(queue: Queue, { waiting, running, max }: Model): boolean {
  const one = takeNext(queue);
  if (one === undefined) {
    // Everything that waits can be sent if nothing is running.
    expect(running.length > 0 || waiting.length === 0).toBe(true);
    return false;
  }
  const own = running.filter(({ endpointId }) => endpointId === one.endpointId);
  expect(own.length).toBeLessThan(queue.hangs(one.endpointId) ? 1 : (max.get(one.endpointId) ?? 0));
  expect(running.length).toBeLessThan(LIMITS.maxInFlight + LIMITS.maxPatient);
  waiting.splice(waiting.indexOf(one), 1);
  running.push(one);
  return true;
}
