import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { uuidOf } from "../../testing/keys.ts";
import { numbersIn, pullEndpoint } from "../../testing/pull-endpoint.ts";
import type { PullEndpoint } from "../../testing/pull-endpoint.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
let twin: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  twin = await startService({ on: service, env: UNLIMITED });
});
afterAll(async () => {
  await twin.close();
  await service.close();
});

/** A consumer as the contract describes it. */
interface Model {
  position: number;
  /** The last lease. It is over after its end, and lost after a seek or the next pull. */
  lease: { readonly id: string; readonly last: number; isRunning: boolean } | null;
  /** The id of an earlier lease. */
  lost: string | null;
}

type Step =
  | { readonly kind: "fire"; readonly count: number; readonly twin: boolean }
  | { readonly kind: "pull"; readonly limit: number; readonly twin: boolean }
  | { readonly kind: "commit"; readonly by: number; readonly lost: boolean }
  | { readonly kind: "release" }
  | { readonly kind: "expire" }
  | { readonly kind: "seek"; readonly to: number };

const consumer = fc.constantFrom("a", "b");
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("fire" as const), count: fc.integer({ min: 1, max: 4 }), twin: fc.boolean() }),
  fc.record({ kind: fc.constant("pull" as const), limit: fc.integer({ min: 1, max: 5 }), twin: fc.boolean() }),
  fc.record({ kind: fc.constant("commit" as const), by: fc.integer({ min: -2, max: 3 }), lost: fc.boolean() }),
  fc.record({ kind: fc.constant("release" as const) }),
  fc.record({ kind: fc.constant("expire" as const) }),
  fc.record({ kind: fc.constant("seek" as const), to: fc.integer({ min: 1, max: 12 }) }),
);

/** The result of a step, and the one that the model wants. */
type Compared = readonly [got: unknown, wanted: unknown];
type Of<Kind extends Step["kind"]> = Extract<Step, { readonly kind: Kind }>;

interface Run {
  readonly endpoint: PullEndpoint;
  readonly log: number[];
  readonly consumers: Map<string, Model>;
}

async function take(run: Run, name: string, one: Step): Promise<Compared> {
  if (one.kind === "fire") return await fire(run, one);
  if (one.kind === "pull") return await pull(run, name, one);
  const model = run.consumers.get(name);
  if (model === undefined) return [null, null];
  if (one.kind === "commit") return await commit(run, [name, model], one);
  if (one.kind === "seek") return await seek(run, [name, model], one.to);
  return one.kind === "release" ? await release(run, name, model) : await expire(run, name, model);
}

async function fire({ endpoint, log }: Run, { count, twin: isTwin }: Of<"fire">): Promise<Compared> {
  const numbers = Array.from({ length: count }, (_, at) => log.length + at);
  const events = numbers.map((n) => ({ event: endpoint.event, data: { n } }));
  const fired = await (isTwin ? twin : service).api("POST", "/v1/events/batch", { events });
  log.push(...numbers);
  return [fired.status, 202];
}

async function pull(run: Run, name: string, { limit, twin: isTwin }: Of<"pull">): Promise<Compared> {
  const { endpoint, log, consumers } = run;
  const model = consumers.get(name) ?? { position: 1, lease: null, lost: null };
  consumers.set(name, model);
  const body = { consumer: name, limit };
  const pulled = await (isTwin ? twin : service).api("POST", `${endpoint.path}/pull`, body);
  if (model.lease?.isRunning === true) return [pulled.body["code"], "consumer_busy"];
  const { position } = model;
  const numbers = log.slice(position - 1, position - 1 + limit);
  if (numbers.length > 0) {
    model.lost = model.lease?.id ?? model.lost;
    const id = (pulled.body["lease"] as { id: string } | null)?.id ?? "none";
    model.lease = { id, last: position + numbers.length - 1, isRunning: true };
  }
  return [
    [numbersIn(pulled), pulled.body["position"], pulled.body["lag"], pulled.body["lease"] === null],
    [numbers, position, log.length - position + 1, numbers.length === 0],
  ];
}

/** A refusal by its code, and a success by its status. */
function resultOf({ status, body }: ApiAnswer): unknown {
  return status === 204 ? 204 : body["code"];
}

async function commit(
  { endpoint }: Run,
  [name, model]: readonly [string, Model],
  { by, lost }: Of<"commit">,
): Promise<Compared> {
  const { lease } = model;
  const id = (lost ? model.lost : lease?.id) ?? "lse_x";
  const offset = Math.max(0, (lease?.last ?? 1) + by - 1);
  const got = resultOf(await endpoint.call("commit", { consumer: name, lease_id: id, offset }));
  if (lease === null || id !== lease.id) return [got, "lease_lost"];
  if (offset > lease.last) return [got, "validation_failed"];
  model.position = Math.max(model.position, offset + 1);
  if (model.position > lease.last) lease.isRunning = false;
  return [got, 204];
}

async function release({ endpoint }: Run, name: string, model: Model): Promise<Compared> {
  const body = { consumer: name, lease_id: model.lease?.id ?? "lse_x" };
  const got = resultOf(await endpoint.call("release", body));
  if (model.lease === null) return [got, "lease_lost"];
  model.lease.isRunning = false;
  return [got, 204];
}

/** Ends the lease as a release does, without the call. */
async function expire({ endpoint }: Run, name: string, model: Model): Promise<Compared> {
  if (model.lease === null) return [null, null];
  const ended = "update pull_consumer set lease_expires_at = null where endpoint_id = $1 and name = $2";
  await service.database.query(ended, [uuidOf(endpoint.id), name]);
  model.lease.isRunning = false;
  return [null, null];
}

async function seek({ endpoint, log }: Run, [name, model]: readonly [string, Model], to: number): Promise<Compared> {
  const got = resultOf(await endpoint.call("seek", { consumer: name, to: { offset: to } }));
  if (to > log.length + 1) return [got, "validation_failed"];
  model.lost = model.lease?.id ?? model.lost;
  model.lease = null;
  model.position = to;
  return [got, 204];
}

test("random programs of two consumers on two nodes agree with the model", { timeout: 120_000 }, async () => {
  const programs = fc.array(fc.tuple(consumer, step), { minLength: 20, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(programs, async (steps) => {
      const run: Run = { endpoint: await pullEndpoint(service), log: [], consumers: new Map() };
      for (const [name, one] of steps) {
        const [got, wanted] = await take(run, name, one);
        expect(got).toEqual(wanted);
      }
      const { body } = await service.api("GET", `${run.endpoint.path}/consumers`);
      const shown = body["data"].map((one: { consumer: string; position: number }) => [one.consumer, one.position]);
      expect(shown).toEqual([...run.consumers].map(([name, { position }]) => [name, position]).toSorted());
    }),
    { numRuns: 12, endOnFailure: true },
  );
});
