import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { definePart } from "../platform/db/db.ts";
import { createIdMaker, instant, systemClock } from "../lib/lib.ts";
import { scopeOf } from "../testing/keys.ts";
import { startReceiver } from "../testing/receiver.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { Scope } from "../accounts/accounts.ts";
import type { ProjectedEvent } from "./projection.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";

const ids = createIdMaker(systemClock);
let service: TestService;
let scope: Scope;
let people = 0;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  scope = await scopeOf(service, service.key);
});
afterAll(async () => await service.close());

/** The projection runs here without a stage that ends with it. */
const NO_STAGE = definePart({ name: "no_stage", text: () => "no_stage as (select 1)" })([]);

interface Person {
  readonly external_id: string;
  readonly email: string;
}

function person(): Person {
  people += 1;
  return { external_id: `cus_${people}`, email: `projected-${people}@example.com` };
}

/** Fires an event, and waits until the projection has run. */
async function fire(event: string, data: unknown, more: Record<string, unknown> = {}): Promise<Parsed> {
  const fired = await service.api("POST", "/v1/events/fire", { event, data, ...more });
  expect(fired).toMatchObject({ status: 202 });
  await service.until(`/v1/events/${fired.body["id"]}`, (body) =>
    body["stages"].every((stage: Parsed) => stage.state === "done"),
  );
  return fired.body;
}

async function customerOf({ external_id }: Pick<Person, "external_id">): Promise<Parsed> {
  const { body } = await service.api("GET", `/v1/customers?external_id=${encodeURIComponent(external_id)}`);
  return body["data"][0];
}

async function ticketOf(external_id: string): Promise<Parsed> {
  const { body } = await service.api("GET", `/v1/tickets?external_id=${external_id}`);
  return body["data"][0];
}

/** Runs the projection as dispatch does, at the time and as often as a test needs. */
async function project(events: readonly Partial<ProjectedEvent>[]): Promise<void> {
  for (const event of events) {
    const whole = {
      scope,
      id: ids.uuid(),
      name: "customer.updated",
      data: "{}",
      occurredAt: instant(systemClock.now()),
      ...event,
    };
    const { db, contacts } = service.service;
    const react = async () => await contacts.projection.reactAll([{ event: whole }], () => NO_STAGE);
    const [fault] = await db.at(whole.scope.bucket, react);
    if (fault !== undefined) throw fault;
  }
}

function at(minute: number): ProjectedEvent["occurredAt"] {
  return instant(Date.UTC(2026, 10, 20, 9, minute));
}

describe("customers", () => {
  test("customer.signed_up creates the customer, with an activity that names the event", async () => {
    const ada = person();
    const occurred_at = "2026-11-20T09:30:00.000Z";
    const event = await fire(
      "customer.signed_up",
      { customer: { ...ada, name: "Ada", lifecycle_stage: "trial" } },
      { occurred_at },
    );
    expect(event["subscribers"]).toContainEqual({ kind: "projection", key: "contacts", priority: 10 });
    const customer = await customerOf(ada);
    expect(customer).toMatchObject({
      email: ada.email,
      name: "Ada",
      lifecycle_stage: "trial",
      last_activity_at: occurred_at,
      score: 0,
    });
    const timeline = await service.api("GET", `/v1/contacts/${customer.id}/activities`);
    expect(timeline.body["data"]).toMatchObject([
      {
        kind: "event",
        event_type: "customer.signed_up",
        summary: "Customer signed up",
        event_id: event["id"],
        occurred_at,
        value: null,
        score_delta: 0,
      },
    ]);
  });

  test("a contact that is known by its address becomes the customer", async () => {
    const ada = person();
    const contact = await service.api("POST", "/v1/contacts", { email: ada.email.toUpperCase(), name: "Ada" });
    await fire("order.created", { order: { external_id: "ord_1", number: "10482" }, customer: ada });
    const customer = await customerOf(ada);
    expect(customer).toMatchObject({ id: contact.body["id"], name: "Ada" });
    const timeline = await service.api("GET", `/v1/contacts/${customer.id}/activities`);
    expect(timeline.body["data"]).toMatchObject([{ summary: "Order created: 10482" }]);
  });

  test("an address of another contact is not moved", async () => {
    const [ada, bob] = [person(), person()];
    await fire("customer.signed_up", { customer: ada });
    await fire("customer.signed_up", { customer: bob });
    await fire("customer.updated", { customer: { ...ada, email: bob.email, name: "Ada" } });
    expect(await customerOf(ada)).toMatchObject({ email: ada.email, name: "Ada", email_aliases: [] });
    expect(await customerOf(bob)).toMatchObject({ email: bob.email });
  });

  test("a new address replaces the old one, which still leads to the customer", async () => {
    const ada = person();
    await fire("customer.signed_up", { customer: ada });
    await fire("customer.updated", { customer: { ...ada, email: `new-${ada.email}` } });
    expect(await customerOf(ada)).toMatchObject({ email: `new-${ada.email}`, email_aliases: [ada.email] });
  });

  test.each([
    ["contact.created", {}, "lead"],
    ["customer.signed_up", {}, "customer"],
    ["contact.lifecycle_changed", { lifecycle_stage: "evangelist" }, "evangelist"],
    ["customer.updated", { lifecycle_stage: "trial" }, "trial"],
    ["crm.deal.won", {}, "customer"],
    ["subscription.renewed", {}, "customer"],
    ["subscription.trial_ending", {}, "trial"],
    ["subscription.cancelled", {}, "churned"],
    ["customer.deleted", {}, "churned"],
    ["customer.deleted", { lifecycle_stage: "gone" }, "gone"],
    ["invoice.paid", {}, null],
  ])("%s with %j leads to the stage %s", async (event, more, stage) => {
    const ada = person();
    await fire(event, { customer: { ...ada, ...more } });
    expect(await customerOf(ada)).toMatchObject({ lifecycle_stage: stage });
  });

  test("subscription.created leads to trial for a trial, and to customer otherwise", async () => {
    const [ada, bob] = [person(), person()];
    await fire("subscription.created", { customer: ada, subscription: { external_id: "s1", status: "trialing" } });
    await fire("subscription.created", { customer: bob, subscription: { external_id: "s2", status: "active" } });
    expect(await customerOf(ada)).toMatchObject({ lifecycle_stage: "trial" });
    expect(await customerOf(bob)).toMatchObject({ lifecycle_stage: "customer" });
  });

  test("a custom stage is not replaced by one that an event implies", async () => {
    const ada = person();
    await service.api("PUT", `/v1/customers/${ada.external_id}`, { lifecycle_stage: "enterprise" });
    await fire("subscription.cancelled", { customer: ada });
    expect(await customerOf(ada)).toMatchObject({ lifecycle_stage: "enterprise" });
    await service.api("PUT", `/v1/customers/${ada.external_id}`, { lifecycle_stage: "customer" });
    await fire("subscription.cancelled", { customer: ada });
    expect(await customerOf(ada)).toMatchObject({ lifecycle_stage: "churned" });
  });

  test("a numeric external id is all of its digits", async () => {
    const digits = "12345678901234567890123";
    const data = `{"customer":{"external_id":${digits},"email":"${person().email}"}}`;
    const fired = await service.api("POST", "/v1/events/fire", `{"event":"customer.signed_up","data":${data}}`);
    await service.until(`/v1/events/${fired.body["id"]}`, (body) => body["stages"][0].state === "done");
    expect(await customerOf({ external_id: digits })).toMatchObject({ external_ids: [digits] });
  });

  test("sandbox events create sandbox customers", async () => {
    const ada = person();
    const fired = await service.api(
      "POST",
      "/v1/events/fire",
      { event: "customer.signed_up", data: { customer: ada } },
      { key: service.sandboxKey },
    );
    expect(fired.status).toBe(202);
    await expect
      .poll(async () => {
        const answer = await service.api("GET", `/v1/customers?email=${ada.email}`, undefined, {
          key: service.sandboxKey,
        });
        return answer.body["data"].length;
      })
      .toBe(1);
    expect(await customerOf(ada)).toBeUndefined();
  });
});

describe("tickets", () => {
  test("ticket.created creates the ticket with its customer, and later events change what they name", async () => {
    const ada = person();
    const external_id = `T-${ada.external_id}`;
    await fire("ticket.created", { ticket: { external_id, subject: "Printer", priority: "high" }, customer: ada });
    const customer = await customerOf(ada);
    expect(customer).toMatchObject({ tickets_open: 1 });
    expect(await ticketOf(external_id)).toMatchObject({
      subject: "Printer",
      status: "open",
      priority: "high",
      assignee: null,
      customer_id: customer.id,
    });
    await fire("ticket.assigned", { ticket: { external_id }, agent: { email: "jonas@example.com" } });
    await fire("ticket.escalated", { ticket: { external_id, priority: "urgent" } });
    expect(await ticketOf(external_id)).toMatchObject({
      assignee: "jonas@example.com",
      priority: "urgent",
      status: "open",
    });
    await fire("ticket.resolved", { ticket: { external_id }, customer: ada });
    expect(await ticketOf(external_id)).toMatchObject({
      status: "resolved",
      subject: "Printer",
      customer_id: customer.id,
    });
    expect(await customerOf(ada)).toMatchObject({ tickets_open: 0 });
    await fire("ticket.reopened", { ticket: { external_id, assignee: null } });
    expect(await ticketOf(external_id)).toMatchObject({ status: "open", assignee: null });
    const timeline = await service.api("GET", `/v1/contacts/${customer.id}/activities`);
    expect(timeline.body["data"].map((row: Parsed) => row.summary)).toEqual([
      `Ticket resolved: ${external_id}`,
      "Ticket created: Printer",
    ]);
  });
});

describe("order and repetition", () => {
  test("an event that runs twice counts once", async () => {
    const ada = person();
    const event = {
      id: ids.uuid(),
      name: "ticket.created",
      data: JSON.stringify({ customer: ada, ticket: { external_id: `twice-${ada.external_id}` } }),
    };
    await project([event, event]);
    const customer = await customerOf(ada);
    expect(customer).toMatchObject({ tickets_open: 1 });
    const timeline = await service.api("GET", `/v1/contacts/${customer.id}/activities`);
    expect(timeline.body["data"]).toHaveLength(1);
  });

  test("events in any order give the same result: the latest value of each fact", async () => {
    const told = [
      {
        minute: 1,
        name: "contact.created",
        customer: { name: "Ada", lifecycle_stage: "lead" },
        ticket: { status: "open", priority: "low" },
      },
      { minute: 2, name: "crm.deal.won", customer: {}, ticket: { subject: "Printer" } },
      {
        minute: 3,
        name: "customer.updated",
        customer: { name: "Ada Moreau" },
        ticket: { assignee: "jonas@example.com" },
      },
      { minute: 4, name: "subscription.cancelled", customer: {}, ticket: { assignee: null, status: "pending" } },
      { minute: 5, name: "ticket.resolved", customer: { name: "Ada Blanc" }, ticket: {} },
    ];
    const orders = [told, told.toReversed(), [3, 0, 4, 1, 2].map((index) => told[index])];
    for (const order of orders) {
      const ada = person();
      const external_id = `order-${ada.external_id}`;
      await project(
        order.flatMap((one) =>
          one === undefined
            ? []
            : [
                {
                  name: one.name,
                  occurredAt: at(one.minute),
                  data: JSON.stringify({
                    customer: { ...ada, ...one.customer },
                    ticket: { external_id, ...one.ticket },
                  }),
                },
              ],
        ),
      );
      const customer = await customerOf(ada);
      expect(customer).toMatchObject({
        name: "Ada Blanc",
        lifecycle_stage: "churned",
        last_activity_at: "2026-11-20T09:05:00.000Z",
      });
      expect(await ticketOf(external_id)).toMatchObject({
        status: "resolved",
        priority: "low",
        subject: "Printer",
        assignee: null,
        customer_id: customer.id,
      });
    }
  });

  test("a caller's value is not replaced by past or future events", async () => {
    const ada = person();
    await project([
      {
        name: "customer.updated",
        occurredAt: instant(systemClock.now() + 86_400_000),
        data: JSON.stringify({ customer: { ...ada, name: "Tomorrow" } }),
      },
    ]);
    await service.api("PUT", `/v1/customers/${ada.external_id}`, { name: "Said" });
    await project([{ occurredAt: at(0), data: JSON.stringify({ customer: { ...ada, name: "Old" } }) }]);
    expect(await customerOf(ada)).toMatchObject({ name: "Said" });
  });

  test("twenty concurrent events of one new customer create one customer without a deadlock", async () => {
    const ada = person();
    const fired = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        fire(index % 2 === 0 ? "order.created" : "ticket.created", {
          customer: index % 3 === 0 ? { email: ada.email, external_id: ada.external_id } : ada,
          ticket: { external_id: `race-${index % 4}` },
        }),
      ),
    );
    expect(fired).toHaveLength(20);
    const list = await service.api("GET", `/v1/customers?email=${ada.email}`);
    expect(list.body["data"]).toMatchObject([{ tickets_open: 4 }]);
    const timeline = await service.api("GET", `/v1/contacts/${list.body["data"][0].id}/activities?limit=100`);
    expect(timeline.body["data"]).toHaveLength(20);
  });
});

describe("data that the projection cannot use", () => {
  test.each([
    [
      "a canonical event that names neither",
      "order.created",
      { order: { id: "1", customer: { email: "deep@example.com" } } },
    ],
    ["a customer without id and address", "order.created", { customer: { name: "Ada" } }],
    ["a customer that is null", "cart.abandoned", { cart: { external_id: "c" }, customer: null }],
    ["a customer that is text", "order.created", { customer: "ada", ticket: ["T-1"] }],
    [
      "a custom event, whatever it names",
      "shop.visited",
      { customer: { external_id: "custom", email: "custom@example.com" } },
    ],
  ])("%s has no stage and goes straight to delivery", async (_what, event, data) => {
    const fired = await service.fire(event, data);
    expect(fired["subscribers"]).toEqual([]);
    const read = await service.api("GET", `/v1/events/${fired["id"]}`);
    expect(read.body["stages"]).toEqual([]);
  });

  test("data that fits no column is adapted, and stops no stage", async () => {
    const ada = person();
    const customer = `{"external_id":"${ada.external_id}","email":"not an address","name":"A\\u0000da \\ud800","lifecycle_stage":7}`;
    const fired = await service.api(
      "POST",
      "/v1/events/fire",
      `{"event":"customer.updated","data":{"\\u0063ustomer":${customer},"ticket":{"external_id":"","subject":1}}}`,
    );
    await service.until(`/v1/events/${fired.body["id"]}`, (body) => body["stages"][0]?.state === "done");
    expect(await customerOf(ada)).toMatchObject({ name: "Ada \ufffd", email: null, lifecycle_stage: null });
  });
});

covers(
  "dispatch.subscriber.endpoints",
  "an event with a customer reaches the endpoints too, after the projection",
  async () => {
    const receiver = await startReceiver();
    try {
      await service.endpoint(receiver.url, { events: ["customer.signed_up"] });
      const ada = person();
      const fired = await service.fire("customer.signed_up", { customer: ada });
      const [delivered] = await receiver.count(1);
      expect(delivered?.headers["x-service-event"]).toBe("customer.signed_up");
      expect(await customerOf(ada)).toMatchObject({ email: ada.email });
      expect(fired["subscribers"].map((one: Parsed) => one.kind)).toEqual(["projection", "webhook"]);
    } finally {
      await receiver.close();
    }
  },
);

test("an event type lists the projection among its subscribers", async () => {
  const reacts = async (name: string): Promise<unknown> =>
    (await service.api("GET", `/v1/event-types/${name}`)).body["reacts"];
  expect(await reacts("subscription.renewed")).toContainEqual({ kind: "projection", key: "contacts", priority: 10 });
  expect(await reacts("analytics.anomaly")).toEqual([]);
});
