import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let first: TestService;
let second: TestService;
beforeAll(async () => {
  first = await startService({ env: UNLIMITED });
  second = await startService({ on: first, env: UNLIMITED });
});
afterAll(async () => {
  await second.close();
  await first.close();
});

const TYPES = "/v1/event-types";
const ROUNDS = 8;
const CLIENTS = 4;
/** How many calls each client sends after the answer to the change. */
const LATE = 5;
const schema = (maximum: number): object => ({ type: "object", properties: { n: { type: "integer", maximum } } });

/** A call, and whether it was sent after the answer to the change. */
interface Call {
  readonly isLate: boolean;
  readonly status: number;
}

async function fire(node: TestService, event: string, n: number): Promise<ApiAnswer> {
  return await node.api("POST", "/v1/events/fire", { event, data: { n } });
}

async function must(answer: Promise<ApiAnswer>): Promise<ApiAnswer> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(text);
  return await answer;
}

/** Fires bad events at both nodes while one of them begins to refuse them. */
async function race(name: string, changing: TestService): Promise<Call[]> {
  const calls: Call[] = [];
  let isChanged = false;
  const clients = [first, second].flatMap((node) =>
    Array.from({ length: CLIENTS }, async () => {
      for (let late = 0; late < LATE;) {
        const isLate = isChanged;
        const { status } = await fire(node, name, 11);
        calls.push({ isLate, status });
        if (isLate) late += 1;
      }
    }),
  );
  await expect.poll(() => calls.length).toBeGreaterThan(2 * CLIENTS);
  await must(changing.api("PATCH", `${TYPES}/${name}`, { enforcement: "refuse" }));
  isChanged = true;
  await Promise.all(clients);
  return calls;
}

test("every node refuses from the answer to a change on, whichever node made it", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const name = `raced.round-${round}`;
    await must(first.api("POST", TYPES, { name, schema: schema(10) }));
    const calls = await race(name, round % 2 === 0 ? first : second);
    const late = calls.filter(({ isLate }) => isLate);
    expect(late).toHaveLength(2 * CLIENTS * LATE);
    expect(new Set(late.map(({ status }) => status))).toEqual(new Set([422]));
    // A call that was sent before is accepted and stored, or refused and not stored.
    const accepted = calls.filter(({ status }) => status === 202).length;
    expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([202, 422]));
    const stored = await first.database.query("select from event where name = $1", [name]);
    expect(stored).toHaveLength(accepted);
  }
});

test("schemas, versions and the archive count on other nodes at once", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const [one, other] = round % 2 === 0 ? [first, second] : [second, first];
    const name = `changed.round-${round}`;
    const statuses = async (n: number): Promise<number[]> =>
      (await Promise.all([fire(one, name, n), fire(other, name, n)])).map(({ status }) => status);
    await must(one.api("POST", TYPES, { name, schema: schema(10), enforcement: "refuse" }));
    expect([await statuses(11), await statuses(10)]).toEqual([
      [422, 422],
      [202, 202],
    ]);
    await must(other.api("PATCH", `${TYPES}/${name}`, { schema: schema(20) }));
    expect(await statuses(11)).toEqual([202, 202]);
    await must(one.api("POST", `${TYPES}/${name}/versions`, { schema: schema(5) }));
    expect([await statuses(10), await statuses(5)]).toEqual([
      [422, 422],
      [202, 202],
    ]);
    await must(other.api("DELETE", `${TYPES}/${name}`));
    expect(await statuses(11)).toEqual([202, 202]);
    // The archived type continues with version 3.
    await must(one.api("POST", TYPES, { name, schema: schema(30), enforcement: "refuse" }));
    expect([await statuses(31), await statuses(30)]).toEqual([
      [422, 422],
      [202, 202],
    ]);
  }
});
