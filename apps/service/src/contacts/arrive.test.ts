import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { createIdMaker, instant, systemClock } from "../lib/lib.ts";
import type { Uuid } from "../lib/lib.ts";
import { scopeOf } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import type { Scope } from "../accounts/accounts.ts";
import type { Arrival, NewActivity } from "./ports.ts";
import type { TestService } from "../testing/test-service.ts";

const ids = createIdMaker(systemClock);
let service: TestService;
let other: TestService;
let live: Scope;
let sandbox: Scope;
let addresses = 0;

beforeAll(async () => {
  service = await startService();
  other = await startService({ on: service });
  live = await scopeOf(service, service.key);
  sandbox = await scopeOf(service, service.sandboxKey);
});
afterAll(async () => {
  await other.close();
  await service.close();
});

function address(): string {
  addresses += 1;
  return `person-${addresses}@example.com`;
}

function arrival(email: string, more: Partial<Arrival> = {}, activity: Partial<NewActivity> = {}): Arrival {
  return {
    scope: live,
    email,
    name: null,
    activity: {
      id: ids.uuid(),
      kind: "inbound",
      eventType: "payment.succeeded",
      summary: "Paid",
      value: null,
      scoreDelta: 0,
      occurredAt: instant(Date.UTC(2026, 10, 20, 9)),
      receiptId: null,
      ...activity,
    },
    ...more,
  };
}

async function arrive(arrivals: readonly Arrival[], at: TestService = service): Promise<readonly Uuid[]> {
  const { db, contacts } = at.service;
  const work = async (): Promise<readonly Uuid[]> =>
    await db.transaction(async (tx) => await contacts.arrive(tx, arrivals));
  return await db.at(live.bucket, work);
}

interface ContactRow {
  readonly tag: string;
  readonly email: string;
  readonly name: string | null;
  readonly score: string;
  readonly last_activity_at: Date | null;
}

async function contactRow(id: Uuid | undefined): Promise<ContactRow | undefined> {
  const [row] = await service.database.query<ContactRow>(
    "select tag, email, name, score, last_activity_at from contact where id = $1",
    [id],
  );
  return row;
}

async function contactsNamed(email: string): Promise<number> {
  const rows = await service.database.query("select id from contact where email = $1", [email]);
  return rows.length;
}

async function activitiesOf(id: Uuid | undefined): Promise<{ value: string | null; summary: string }[]> {
  return await service.database.query(
    "select value, summary from activity where contact_id = $1 order by position desc",
    [id],
  );
}

covers("contact.activity.created", "an arrival creates the contact and one activity on its timeline", async () => {
  const email = address();
  const [id] = await arrive([arrival(email, { name: "Ada Moreau" }, { summary: "First" })]);
  expect(await contactRow(id)).toMatchObject({ tag: live.tag, email, name: "Ada Moreau" });
  expect(await activitiesOf(id)).toEqual([{ value: null, summary: "First" }]);
});

test("addresses are compared case-folded, without surrounding spaces", async () => {
  const email = address();
  const [first] = await arrive([arrival(email)]);
  const [second] = await arrive([arrival(`  ${email.toUpperCase()} `)]);
  expect(second).toBe(first);
  expect(await activitiesOf(first)).toHaveLength(2);
});

test("twenty concurrent arrivals of one new address on two nodes create one complete contact", async () => {
  const email = address();
  const found = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      arrive([arrival(email, {}, { scoreDelta: 1.5 })], at % 2 === 0 ? service : other),
    ),
  );
  expect(new Set(found.flat()).size).toBe(1);
  expect(await contactsNamed(email)).toBe(1);
  expect(await activitiesOf(found[0]?.[0])).toHaveLength(20);
  expect(await contactRow(found[0]?.[0])).toMatchObject({ score: "30.0" });
});

test("a repeated new address in a batch creates one contact, with answers in order", async () => {
  const [one, two] = [address(), address()];
  const answered = await arrive([arrival(one), arrival(two), arrival(one.toUpperCase())]);
  expect(answered[0]).toBe(answered[2]);
  expect(answered[1]).not.toBe(answered[0]);
  expect(await contactRow(answered[1])).toMatchObject({ email: two });
  expect(await activitiesOf(answered[0])).toHaveLength(2);
});

test("batches that name the same people in opposite orders do not deadlock", async () => {
  const people = Array.from({ length: 12 }, address);
  const rounds = Array.from({ length: 24 }, (_, at) => {
    const order = at % 2 === 0 ? people : people.toReversed();
    return arrive(
      order.map((email) => arrival(email, {}, { scoreDelta: 1 })),
      at % 3 === 0 ? other : service,
    );
  });
  const answers = await Promise.all(rounds);
  expect(new Set(answers.flat()).size).toBe(12);
  for (const id of new Set(answers.flat())) expect(await contactRow(id)).toMatchObject({ score: "24" });
});

test("the same address in the sandbox is another contact", async () => {
  const email = address();
  const [inLive, inSandbox] = await arrive([arrival(email), arrival(email, { scope: sandbox })]);
  expect(inSandbox).not.toBe(inLive);
  expect(await contactRow(inLive)).toMatchObject({ tag: live.tag });
  expect(await contactRow(inSandbox)).toMatchObject({ tag: sandbox.tag });
});

covers("contact.activity.scorable", "scores add up exactly, and can be subtracted again", async () => {
  const email = address();
  const deltas = [0.1, 0.2, -0.25, 1e-7];
  const [id] = await arrive(deltas.map((scoreDelta) => arrival(email, {}, { scoreDelta })));
  expect(await contactRow(id)).toMatchObject({ score: "0.0500001" });
});

test("an activity that arrives twice is stored and counted once", async () => {
  const email = address();
  const twice = arrival(email, {}, { scoreDelta: 5 });
  const [id] = await arrive([twice]);
  expect(await arrive([twice, twice])).toEqual([id, id]);
  expect(await activitiesOf(id)).toHaveLength(1);
  expect(await contactRow(id)).toMatchObject({ score: "5" });
});

test("a value keeps every character of its decimal text", async () => {
  const email = address();
  const values = ["12345678901234567890.123456789012345678901234567890", "-0", "10.50", "1e400", "0.10"];
  const [id] = await arrive(
    values.map((value, at) => arrival(email, {}, { value, occurredAt: instant(Date.UTC(2026, 10, 20, 9, 0, 9 - at)) })),
  );
  expect((await activitiesOf(id)).map((activity) => activity.value)).toEqual(values);
});

test("the newest name is kept in any order, and a missing name changes nothing", async () => {
  const email = address();
  const at = (hour: number): Partial<NewActivity> => ({ occurredAt: instant(Date.UTC(2026, 10, 19, hour)) });
  const [id] = await arrive([arrival(email, { name: "Second" }, at(12))]);
  await arrive([arrival(email, { name: "First" }, at(11)), arrival(email, {}, at(15))]);
  expect(await contactRow(id)).toMatchObject({ name: "Second" });
  await arrive([arrival(email, { name: "Fourth" }, at(14)), arrival(email, { name: "Third" }, at(13))]);
  expect(await contactRow(id)).toMatchObject({
    name: "Fourth",
    last_activity_at: new Date("2026-11-19T15:00:00.000Z"),
  });
});

test("text that the database cannot store is adapted, not refused", async () => {
  const email = address();
  const [id] = await arrive([arrival(email, { name: "A\u0000da \ud800" }, { summary: "x".repeat(5000) })]);
  expect(await contactRow(id)).toMatchObject({ name: "Ada \ufffd" });
  expect((await activitiesOf(id))[0]?.summary).toHaveLength(2000);
});

test("an arrival without an address is refused, and its transaction is rolled back", async () => {
  const email = address();
  await expect(arrive([arrival(email), arrival("nobody")])).rejects.toThrow("without an e-mail address");
  expect(await contactsNamed(email)).toBe(0);
});

test("an empty list of arrivals returns an empty list", async () => {
  expect(await arrive([])).toEqual([]);
});
