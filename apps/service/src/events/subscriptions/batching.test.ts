import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { otherWorkspace, uuidOf } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { freshEvent, ruleOn } from "../../testing/rules.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Subscriber } from "./subscriber.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;
let people = 0;
let others: TestService[] = [];

beforeEach(async () => {
  service = await startService({ env: UNLIMITED });
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const one of [...others, service]) await one.close();
  others = [];
  await receiver.close();
});

interface Fired {
  readonly event: string;
  readonly data: unknown;
  readonly occurred_at?: string;
}

/** Fires all events in one call, so that they react together. Returns their ids. */
async function fireAll(events: readonly Fired[], on: TestService = service): Promise<string[]> {
  const fired = await on.api("POST", "/v1/events/batch", { events });
  expect(fired).toMatchObject({ status: 202 });
  return fired.body["data"].map((event: Parsed) => event.id);
}

async function customer(external_id: string): Promise<Parsed> {
  const { body } = await service.api("GET", `/v1/customers?external_id=${external_id}`);
  return body["data"][0];
}

function someone(): { external_id: string; email: string } {
  people += 1;
  return { external_id: `many_${people}`, email: `many-${people}@example.com` };
}

/** Waits until this number of stages of a kind are in a state. */
async function stages(kind: string, state: string, count: number): Promise<void> {
  const read = async (): Promise<number | undefined> => {
    const rows = await service.database.query<{ n: number }>(
      "select count(*)::int as n from dispatch_stage where kind = $1 and state = $2",
      [kind, state],
    );
    return rows[0]?.n;
  };
  await expect.poll(read, { timeout: 60_000, interval: 20 }).toBe(count);
}

/** Returns how often rows of a table were updated, from the database's own counters. */
async function rewritten(table: string): Promise<number> {
  // A connection reports its counters only after it has been idle for a while.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const [row] = await service.database.query<{ n: number }>(
    "select n_tup_upd::int as n from pg_stat_user_tables where relname = $1",
    [table],
  );
  return row?.n ?? 0;
}

test("500 events about one customer write the contact few times and all activities", async () => {
  const ada = someone();
  const before = await rewritten("contact");
  const ids = await fireAll(
    Array.from({ length: 500 }, (_event, n) => ({
      event: "order.created",
      data: { customer: ada, order: { number: `A-${n}` } },
    })),
  );
  await stages("projection", "done", 500);
  expect((await rewritten("contact")) - before).toBeLessThanOrEqual(10);
  const [row] = await service.database.query<{ n: number; people: number }>(
    "select count(*)::int as n, count(distinct contact_id)::int as people from activity where id = any($1::uuid[])",
    [ids.map(uuidOf)],
  );
  expect(row).toEqual({ n: 500, people: 1 });
});

test("a locked customer row does not delay the events of other workspaces", async () => {
  const ada = someone();
  await fireAll([{ event: "order.created", data: { customer: ada } }]);
  await stages("projection", "done", 1);
  const other = await otherWorkspace(service);
  const holder = new pg.Client({ connectionString: service.database.url });
  await holder.connect();
  await holder.query("begin");
  await holder.query("select 1 from contact for update");
  const projected = async (id: string): Promise<Parsed> =>
    await service.database.query(
      "select state, ended_at is null as is_untried from dispatch_stage where event_id = $1 and kind = 'projection'",
      [uuidOf(id)],
    );
  const body = { event: "order.created", data: { customer: someone() } };
  try {
    const [waits] = await fireAll([{ event: "order.created", data: { customer: ada } }]);
    const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%contact%'";
    await expect.poll(async () => await service.database.query(waiting)).toHaveLength(1);
    const fired = await service.api("POST", "/v1/events/fire", body, { key: other.key });
    const id: string = fired.body["id"];
    await expect.poll(async () => await projected(id)).toMatchObject([{ state: "done" }]);
    // A statement that waits too long is canceled, which would let others pass too.
    expect(await projected(waits ?? "")).toMatchObject([{ is_untried: true }]);
  } finally {
    await holder.query("commit");
    await holder.end();
  }
});

test("events of one batch apply in order of time for any customer identifier", async () => {
  const ada = someone();
  const at = (minute: number): string => new Date(Date.UTC(2026, 10, 20, 9, minute)).toISOString();
  await fireAll([
    { event: "contact.created", data: { customer: { email: ada.email, name: "By address" } }, occurred_at: at(1) },
    { event: "customer.updated", data: { customer: { ...ada, name: "By both" } }, occurred_at: at(3) },
    {
      event: "customer.updated",
      data: { customer: { external_id: ada.external_id, name: "Late news" } },
      occurred_at: at(2),
    },
    {
      event: "ticket.created",
      data: { customer: { email: ada.email }, ticket: { external_id: `t-${ada.external_id}` } },
      occurred_at: at(4),
    },
    { event: "ticket.resolved", data: { ticket: { external_id: `t-${ada.external_id}` } }, occurred_at: at(5) },
  ]);
  await stages("projection", "done", 5);
  const found = await customer(ada.external_id);
  expect(found).toMatchObject({ email: ada.email, name: "By both", lifecycle_stage: "lead", tickets_open: 0 });
  const tickets = await service.api("GET", `/v1/tickets?customer_id=${found.id}`);
  expect(tickets.body["data"]).toMatchObject([{ external_id: `t-${ada.external_id}`, status: "resolved" }]);
  expect(found.last_activity_at).toBe(at(4));
});

test("an event that cannot be written fails alone, and its deliveries are sent", async () => {
  const poison = someone();
  await service.endpoint(receiver.url);
  await service.database.query(`create function refuse_poison() returns trigger language plpgsql as $$
    begin if new.summary like '%poison%' then raise exception 'no such activity'; end if; return new; end $$`);
  await service.database.query(
    "create trigger poison before insert on activity for each row execute function refuse_poison()",
  );
  const ids = await fireAll(
    Array.from({ length: 200 }, (_event, n) => ({
      event: "order.created",
      data: { customer: n === 77 ? poison : someone(), order: { number: n === 77 ? "poison" : `B-${n}` } },
    })),
  );
  await stages("projection", "done", 199);
  await receiver.count(200);
  const failed = await service.until(`/v1/events/${ids[77]}`, (body) => body["stages"][0].error !== null);
  expect(failed["stages"]).toMatchObject([
    { kind: "projection", state: "waiting", error: expect.stringContaining("no such activity") },
    { kind: "webhook", state: "done", error: null },
  ]);
  expect(await customer(poison.external_id)).toBeUndefined();
});

test("an event whose customer cannot be resolved fails alone and records the error", async () => {
  const [broken, fine] = [someone(), someone()];
  await fireAll([{ event: "customer.updated", data: { customer: broken } }]);
  await stages("projection", "done", 1);
  await service.database.query("delete from contact where email = $1", [broken.email]);
  const ids = await fireAll([
    { event: "order.created", data: { customer: fine } },
    { event: "order.created", data: { customer: { external_id: broken.external_id } } },
    { event: "order.created", data: { customer: fine } },
  ]);
  await stages("projection", "done", 3);
  const failed = await service.until(`/v1/events/${ids[1]}`, (body) => body["stages"][0].error !== null);
  expect(failed["stages"][0]).toMatchObject({ error: "No contact has this identity of the customer." });
});

test("two nodes that react to the same customers write each activity once", async () => {
  const twin = await startService({ on: service, env: UNLIMITED });
  others.push(twin);
  const crowd = Array.from({ length: 7 }, someone);
  const events = (from: number): Fired[] =>
    Array.from({ length: 100 }, (_event, n) => {
      const one = crowd[(from + n * 3) % crowd.length];
      // Some events name both identifiers, others name one of the two, in both orders.
      const named = n % 3 === 0 ? one : n % 3 === 1 ? { email: one?.email } : { external_id: one?.external_id };
      return { event: "customer.updated", data: { customer: { ...named, name: `Name ${from + n}` } } };
    });
  const rounds = Array.from({ length: 10 }, (_round, n) => n);
  // Both identifiers of each customer are known first, so that no customer becomes two contacts.
  await fireAll(crowd.map((one) => ({ event: "customer.signed_up", data: { customer: one } })));
  await stages("projection", "done", crowd.length);
  const ids = await Promise.all(rounds.map(async (n) => await fireAll(events(n * 100), n % 2 === 0 ? service : twin)));
  await stages("projection", "done", 1000 + crowd.length);
  const [row] = await service.database.query<{ n: number; people: number; failed: number }>(
    `select count(*)::int as n, count(distinct contact_id)::int as people,
       (select count(*)::int from dispatch_stage where error is not null) as failed from activity where id = any($1::uuid[])`,
    [ids.flat().map(uuidOf)],
  );
  expect(row).toEqual({ n: 1000, people: crowd.length, failed: 0 });
});

covers(
  "dispatch.order.mirror-first",
  "events beyond a node's capacity wait in the database until they are done",
  async () => {
    const ada = someone();
    await fireAll([{ event: "customer.signed_up", data: { customer: ada } }]);
    await stages("projection", "done", 1);
    await service.endpoint(receiver.url, { events: ["order.paid"] });
    // Another connection locks the contact: the first batch waits, and later events accumulate.
    const held = new pg.Client({ connectionString: service.database.url });
    await held.connect();
    await held.query("begin");
    await held.query("select 1 from contact where email = $1 for update", [ada.email]);
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1)
      made.push(
        ...(await fireAll(
          Array.from({ length: 500 }, () => ({
            event: "order.paid",
            data: { customer: { external_id: ada.external_id } },
          })),
        )),
      );
    const [waiting] = await service.database.query<{ n: number }>(
      "select count(distinct event_id)::int as n from dispatch_stage where lease_id is null and state = 'waiting'",
    );
    // A node accepts at most 2,000 events of all workspaces together.
    expect(waiting?.n).toBeGreaterThanOrEqual(500);
    expect(receiver.received).toHaveLength(0);
    await held.query("commit");
    await held.end();
    await stages("projection", "done", 2501);
    await receiver.count(2500);
    const delivered = new Set(receiver.received.map(({ body }) => JSON.parse(body).id));
    expect(delivered.size).toBe(2500);
    // No delivery was sent before its event was on the timeline.
    const [late] = await service.database.query<{ n: number }>(
      `select count(*)::int as n from dispatch_stage p join dispatch_stage w using (bucket, tag, event_id)
       where p.kind = 'projection' and w.kind = 'webhook' and w.ended_at < p.ended_at`,
    );
    expect([made.length, late?.n]).toEqual([2500, 0]);
  },
);

test("rules in one batch see the contact changes of the rules before them", async () => {
  const ada = someone();
  const [on, out] = [freshEvent(), freshEvent()];
  await fireAll([{ event: "customer.signed_up", data: { customer: ada } }]);
  await stages("projection", "done", 1);
  await ruleOn(service, { on: [on], priority: 1, then: [{ type: "adjust_score", by: 1 }] });
  await ruleOn(service, {
    on: [on],
    priority: 2,
    when: { all: [{ field: "contact.score", op: "gte", value: 25 }] },
    then: [{ type: "fire_event", event: out, data: {} }],
  });
  await fireAll(Array.from({ length: 50 }, () => ({ event: on, data: { customer: ada } })));
  await stages("rule", "done", 50);
  expect(await customer(ada.external_id)).toMatchObject({ score: 50 });
  const [row] = await service.database.query<{ n: number }>("select count(*)::int as n from event where name = $1", [
    out,
  ]);
  expect(row?.n).toBe(26);
});

test("a rule whose action cannot be written does not stop the other rules", async () => {
  const [on, out] = [freshEvent(), freshEvent()];
  await ruleOn(service, { on: [on], then: [{ type: "fire_event", event: out, data: { text: "${data.text}" } }] });
  await service.database.query(`create function refuse_event() returns trigger language plpgsql as $$
    begin if new.data like '%poison%' and new.name = '${out}' then raise exception 'no such event'; end if; return new; end $$`);
  await service.database.query(
    "create trigger poison before insert on event for each row execute function refuse_event()",
  );
  const ids = await fireAll(
    Array.from({ length: 100 }, (_event, n) => ({ event: on, data: { text: n === 42 ? "poison" : `fine ${n}` } })),
  );
  await stages("rule", "done", 99);
  const failed = await service.until(`/v1/events/${ids[42]}`, (body) => body["stages"][0].error !== null);
  expect(failed["stages"]).toMatchObject([
    { kind: "rule", state: "waiting", error: expect.stringContaining("no such event") },
  ]);
  const [row] = await service.database.query<{ n: number }>("select count(*)::int as n from event where name = $1", [
    out,
  ]);
  expect(row?.n).toBe(99);
});

test("another node takes over an unrecorded stage when its lease has expired", async () => {
  const stuck = freshEvent();
  const { promise: open, resolve: release } = Promise.withResolvers<void>();
  const slow: Subscriber = {
    kind: "mirror",
    match: () => [{ kind: "mirror", key: "slow", priority: 20 }],
    react: async () => await open,
  };
  const busy = await startService({ on: service, env: UNLIMITED, provides: { subscribers: [slow] } });
  others.push(busy);
  await busy.fire("busy.event");
  // The database refuses every write to the stages of this event, so that nothing can be recorded about them.
  await service.database.query(`create function refuse_stage() returns trigger language plpgsql as $$
    begin if new.state = 'running' and exists (select from event e where e.id = new.event_id and e.name = '${stuck}')
      then raise exception 'not now'; end if; return new; end $$`);
  await service.database.query(
    "create trigger refuse before update on dispatch_stage for each row execute function refuse_stage()",
  );
  const fired = await busy.fire(stuck);
  await service.database.query(
    "update dispatch_stage set due_at = now() + interval '15 seconds' where lease_id is not null",
  );
  const left = async (): Promise<number | undefined> => {
    const rows = await service.database.query<{ seconds: number }>(
      "select extract(epoch from due_at - now())::float8 as seconds from dispatch_stage where event_id = $1 and kind = 'mirror'",
      [uuidOf(fired["id"])],
    );
    return rows[0]?.seconds;
  };
  await expect.poll(left, { timeout: 40_000, interval: 200 }).toBeLessThan(0);
  release();
});
