import { afterAll, beforeAll, expect, test } from "vitest";
import { hexMac, makeSource } from "../../testing/inbound.ts";
import type { TestSource } from "../../testing/inbound.ts";
import { mintKey } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let second: TestService;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  second = await startService({ on: service, env: UNLIMITED });
});
afterAll(async () => {
  await second?.close();
  await service?.close();
});

const LIST = { each: "$.events", event_type_path: "$.type", idempotency_key_path: "$.id" };
const WITH_CONTACT = { ...LIST, contact: "if_present", contact_email_path: "$.email" };

let names = 0;
/** Returns a type that no other test uses. */
function newType(): string {
  names += 1;
  return `list-${names}`;
}

function bodyOf(events: readonly unknown[]): string {
  return JSON.stringify({ events });
}

/** Returns the payloads of the fired events of a type. */
async function firedOf(type: string): Promise<Parsed[]> {
  const rows = await service.database.query<{ data: string }>(
    "select data::text as data from event where name = $1 order by id",
    [`inbound.${type}`],
  );
  return rows.map(({ data }) => JSON.parse(data)["payload"]);
}

async function sent(source: TestSource, events: readonly unknown[]): Promise<Parsed> {
  const answer = await source.send(bodyOf(events));
  expect(answer.status).toBe(200);
  return await source.receipt(answer.body.receipt_id);
}

function statusesOf(receipt: Parsed): string[] {
  return receipt["items"].map(({ status }: Parsed) => status);
}

async function reprocess(id: string): Promise<ApiAnswer> {
  return await service.api("POST", `/v1/inbound-receipts/${id}/reprocess`);
}

async function change(source: TestSource, fields: object): Promise<ApiAnswer> {
  return await service.api("PATCH", `/v1/inbound-endpoints/${source.id}`, fields);
}

function ids(...members: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(members.map((name) => [name, expect.any(String)]));
}

test("each element of a list is an event with its own contact and activity", async () => {
  const [type, source] = [newType(), await makeSource(service, WITH_CONTACT)];
  const first = `{"id":1,"type":"${type}","email":"l1@example.com","n":1.50}`;
  const body = `{"events":[${first},{"id":2,"type":"${type}"},{"id":3,"type":"${type}","email":"l3@example.com"}]}`;
  const answer = await source.send(body);
  expect(answer.body).toEqual({ receipt_id: expect.any(String), status: "ok" });
  const receipt = await source.receipt(answer.body.receipt_id);
  expect(receipt).toMatchObject({ status: "ok", event_type: type, reason: null, event_id: null, contact_id: null });
  expect(receipt["items"]).toEqual([
    { status: "ok", event_type: type, ...ids("event_id", "contact_id", "activity_id") },
    { status: "ok", event_type: type, ...ids("event_id") },
    { status: "ok", event_type: type, ...ids("event_id", "contact_id", "activity_id") },
  ]);
  const [one, , three] = receipt["items"];
  const event = await service.api("GET", `/v1/events/${one.event_id}`);
  expect(event.body["data"]).toMatchObject({ receipt_id: receipt["id"], contact_id: one.contact_id });
  expect(event.text).toContain(first);
  expect((await firedOf(type)).map(({ id }) => id)).toEqual([1, 2, 3]);
  const activities = await service.api("GET", `/v1/contacts/${one.contact_id}/activities`);
  expect(activities.body["data"]).toMatchObject([{ id: one.activity_id, receipt_id: receipt["id"] }]);
  // The list is among the receipts of each of its contacts.
  for (const { contact_id: contact } of [one, three])
    expect((await source.receipts(`&contact_id=${contact}`)).map(({ id }) => id)).toEqual([receipt["id"]]);
});

test("elements are deduplicated one by one, also within their request", async () => {
  const [type, source] = [newType(), await makeSource(service, LIST)];
  const event = (id: number): object => ({ id, type });
  const first = await sent(source, [event(1), event(2), event(1)]);
  expect([first["status"], statusesOf(first)]).toEqual(["ok", ["ok", "ok", "duplicate"]]);
  expect(first["items"][2]).toEqual({ status: "duplicate", event_type: type, duplicate_of: first["id"] });
  const next = await sent(source, [event(2), event(3)]);
  expect([next["status"], statusesOf(next)]).toEqual(["ok", ["duplicate", "ok"]]);
  const again = await sent(source, [event(3), event(2)]);
  expect([again["status"], statusesOf(again)]).toEqual(["duplicate", ["duplicate", "duplicate"]]);
  expect(again["items"].map(({ duplicate_of: of }: Parsed) => of)).toEqual([next["id"], first["id"]]);
  expect(await firedOf(type)).toHaveLength(3);
});

test("unmapped elements use up no key, and are announced once for their request", async () => {
  const [type, source] = [newType(), await makeSource(service, LIST)];
  const receipt = await sent(source, [{ id: 1, type }, { id: 2 }, 7, { id: 3, type }, []]);
  expect(receipt["status"]).toBe("ok");
  expect(statusesOf(receipt)).toEqual(["ok", "unmapped", "unmapped", "ok", "unmapped"]);
  expect(receipt["items"][1]).toEqual({
    status: "unmapped",
    reason_code: "event_type_missing",
    reason: "event_type_path matched nothing",
  });
  expect(receipt["reason"]).toBe("3 of 5 elements cannot be mapped. The first: event_type_path matched nothing");
  const announced = async (): Promise<number> => {
    const events = await service.api("GET", "/v1/events?event=inbound.receipt.unmapped&limit=100");
    return events.text.split(receipt["id"]).length - 1;
  };
  await expect.poll(announced, { timeout: 10_000 }).toBe(1);
  expect(
    statusesOf(
      await sent(source, [
        { id: 2, type },
        { id: 1, type },
      ]),
    ),
  ).toEqual(["ok", "duplicate"]);
  const seen = await sent(source, [{ id: 1, type }, {}]);
  expect(seen).toMatchObject({ status: "unmapped", event_type: null });
});

test("an empty list is ok, and a longer one than 1000 elements is unmapped", async () => {
  const [type, source] = [newType(), await makeSource(service, LIST)];
  expect(await sent(source, [])).toMatchObject({ status: "ok", items: [], reason: null });
  expect((await source.send('{"events":{}}')).body.status).toBe("unmapped");
  const many = Array.from({ length: 1001 }, (_one, id) => ({ id, type }));
  expect(await sent(source, many)).toMatchObject({ status: "unmapped", reason_code: "list_too_long", items: null });
  expect(await firedOf(type)).toEqual([]);
  const receipt = await sent(source, many.slice(1));
  expect([receipt["status"], receipt["items"].length]).toEqual(["ok", 1000]);
  expect(await firedOf(type)).toHaveLength(1000);
});

test("the receipt of one element has the result of that element", async () => {
  const [type, source] = [newType(), await makeSource(service, WITH_CONTACT)];
  const event = { id: 1, type, email: "only@example.com" };
  const receipt = await sent(source, [event]);
  const [{ event_id, contact_id, activity_id }] = receipt["items"];
  expect(receipt).toMatchObject({ event_id, contact_id, activity_id, event_type: type });
  expect(receipt).toMatchObject({ extracted: { contact_email: "only@example.com" } });
  expect(await sent(source, [event])).toMatchObject({ status: "duplicate", duplicate_of: receipt["id"] });
});

test("the same list at two nodes at once fires each element once", async () => {
  const [type, source] = [newType(), await makeSource(service, WITH_CONTACT)];
  const events = Array.from({ length: 60 }, (_one, id) => ({ id, type, email: `race-${id % 7}@example.com` }));
  const answers = await Promise.all(
    [service, second, service, second].map(async ({ baseUrl }, at) => {
      const body = bodyOf(at < 2 ? events : events.toReversed());
      const headers = { "X-Service-Inbound-Signature": hexMac(source.secret, body) };
      return (await fetch(baseUrl + source.target, { method: "POST", headers, body })).status;
    }),
  );
  expect(answers).toEqual([200, 200, 200, 200]);
  const fired = (await firedOf(type)).map(({ id }) => Number(id));
  expect(fired.toSorted((a, b) => a - b)).toEqual(events.map(({ id }) => id));
  const statuses = (await source.receipts()).flatMap(statusesOf);
  expect([statuses.length, statuses.filter((status) => status === "ok").length]).toEqual([240, 60]);
});

test("reprocessing takes the unmapped elements only, and none of them twice", async () => {
  const [type, source] = [newType(), await makeSource(service, LIST)];
  const elements = [{ id: 1, type }, { id: 2, kind: type }, { id: 1, kind: type }, { id: 4 }];
  const receipt = await sent(source, elements);
  expect(statusesOf(receipt)).toEqual(["ok", "unmapped", "unmapped", "unmapped"]);
  const toSee = async (): Promise<number> =>
    (await service.api("GET", "/v1/attention")).body["receipts"].unmapped.count;
  const listed = async (): Promise<string[]> => (await source.receipts("&status=unmapped")).map(({ id }) => id);
  const before = await toSee();
  expect([before > 0, await listed()]).toEqual([true, [receipt["id"]]]);
  await change(source, { event_type_path: ["$.type", "$.kind"] });
  const answers = await Promise.all([1, 2, 3].map(async () => await reprocess(receipt["id"])));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const after = await source.receipt(receipt["id"]);
  expect([after["status"], statusesOf(after)]).toEqual(["ok", ["ok", "ok", "duplicate", "unmapped"]]);
  expect(after["items"][0]).toEqual(receipt["items"][0]);
  expect(after["reason"]).toBe("1 of 4 elements cannot be mapped. The first: event_type_path matched nothing");
  expect((await firedOf(type)).map(({ id }) => id)).toEqual([1, 2]);
  await change(source, { event_type_default: type });
  expect((await reprocess(receipt["id"])).body).toMatchObject({ status: "ok", reason: null });
  expect([await toSee(), await listed()]).toEqual([before - 1, []]);
  const done = await reprocess(receipt["id"]);
  expect([done.status, done.body["code"]]).toEqual([409, "conflict"]);
});

test("a list is not reprocessed as another one after elements of it were fired", async () => {
  const [type, source] = [newType(), await makeSource(service, LIST)];
  const receipt = await sent(source, [{ id: 1, type }, { id: 2 }]);
  for (const each of ["$.others", null]) {
    await change(source, { each });
    expect((await reprocess(receipt["id"])).status).toBe(409);
  }
  // A request of which nothing was fired is read as the source says now.
  const unread = await makeSource(service, { ...LIST, each: "$.list" });
  const { body } = await unread.send(bodyOf([{ id: 1, type }]));
  await change(unread, { each: "$.events" });
  expect((await reprocess(body.receipt_id)).body).toMatchObject({ status: "ok", items: [{ status: "ok" }] });
  const whole = await makeSource(service, LIST);
  const none = await sent(whole, [{ id: 1 }, { id: 2 }]);
  await change(whole, { each: null, event_type_default: type });
  expect((await reprocess(none["id"])).body).toMatchObject({ status: "ok", items: null });
});

test("erasing one contact of a list empties its receipt and those of its repeats", async () => {
  const [type, source] = [newType(), await makeSource(service, WITH_CONTACT)];
  const events = [1, 2].map((id) => ({ id, type, email: `erase-${id}@example.com` }));
  const receipt = await sent(source, events);
  const repeat = await sent(source, [...events, { id: 3, type }]);
  const { contact_id: contact } = receipt["items"][0];
  const exported = await service.api("GET", `/v1/contacts/${contact}/export`);
  expect(exported.text).toContain(receipt["id"]);
  expect((await service.api("DELETE", `/v1/contacts/${contact}`)).status).toBe(204);
  for (const { id } of [receipt, repeat])
    expect(await source.receipt(id)).toMatchObject({ raw_payload: "", items: null, reason_code: "erased" });
});

test("a list of a tenant is its own, and shows it no contacts", async () => {
  const [type, source] = [newType(), await makeSource(service, { ...WITH_CONTACT, tenant: "acme" })];
  const receipt = await sent(source, [
    { id: 1, type, email: "tenant-1@example.com" },
    { id: 2, type },
  ]);
  const rows = await service.database.query("select tenant from event where name = $1", [`inbound.${type}`]);
  expect(rows).toEqual([{ tenant: "acme" }, { tenant: "acme" }]);
  const { key } = await mintKey(service, { tenant: "acme" });
  const shown = await service.api("GET", `/v1/inbound-receipts/${receipt["id"]}`, undefined, { key });
  expect([shown.status, shown.body["items"]]).toEqual([
    200,
    [{ status: "ok", event_type: type, event_id: receipt["items"][0].event_id }, receipt["items"][1]],
  ]);
});

test("a preview shows each element of a list, and writes nothing", async () => {
  const source = await makeSource(service, LIST);
  const { body } = await service.api("POST", `/v1/inbound-endpoints/${source.id}/preview`, {
    payload: { events: [{ id: 1 }, { id: 2, type: "a", n: 1 }] },
    mapping: { value_path: ["$.m", "$.n"] },
  });
  expect(body).toMatchObject({
    status: "ok",
    reason: "1 of 2 elements cannot be mapped. The first: event_type_path matched nothing",
    event: null,
    items: [
      { status: "unmapped", reason_code: "event_type_missing", event: null },
      { status: "ok", reason: null, event: "inbound.a", extracted: { value: 1, idempotency_key: "2" } },
    ],
  });
  expect(await source.receipts()).toEqual([]);
});

const FIELDS = {
  each: "$",
  event_type_path: ["$.a", "$.b"],
  event_type_default: "event",
  idempotency_key_template: "${$.a}-${$.b}",
  dedupe_ignore: ["$.try"],
};

test("a mapping is shown as given, and one kind of key replaces the other", async () => {
  const source = await makeSource(service, FIELDS);
  expect(source.shown).toMatchObject({ ...FIELDS, idempotency_key_path: null, contact: "if_present" });
  const changed = await change(source, { idempotency_key_path: "$.id" });
  expect(changed.body).toMatchObject({ ...FIELDS, idempotency_key_template: null, idempotency_key_path: "$.id" });
  const senders = await service.api("GET", "/v1/senders?limit=100");
  for (const { mapping } of senders.body["data"])
    expect(Object.keys(mapping)).toEqual(expect.arrayContaining(Object.keys(FIELDS)));
});

test("faults of a mapping are named at their places", async () => {
  const source = await makeSource(service, FIELDS);
  const cases: [object, string][] = [
    [{ each: "$.*" }, "/each"],
    [{ value_path: ["$.a", "b"] }, "/value_path/1"],
    [{ value_path: ["$.a", ""] }, "/value_path/1"],
    [{ value_path: [] }, "/value_path"],
    [{ value_path: Array.from({ length: 9 }, () => "$.a") }, "/value_path"],
    [{ value_path: { a: 1 } }, "/value_path"],
    [{ dedupe_ignore: ["$.a", "$"] }, "/dedupe_ignore/1"],
    [{ dedupe_ignore: null }, "/dedupe_ignore"],
    [{ idempotency_key_template: "no token" }, "/idempotency_key_template"],
    [{ idempotency_key_template: "${a" }, "/idempotency_key_template"],
    [{ idempotency_key_template: "${a}", idempotency_key_path: "$.a" }, "/idempotency_key_template"],
    [{ event_type_default: "" }, "/event_type_default"],
    [{ event_type_default: "nul \u0000" }, "/event_type_default"],
  ];
  for (const [fields, pointer] of cases) {
    const { status, body } = await change(source, fields);
    expect([fields, status, body["errors"]?.map((one: Parsed) => one["pointer"])]).toEqual([fields, 422, [pointer]]);
  }
});

test("the address of a contact is required if its path is given", async () => {
  const cases: [Record<string, unknown>, string][] = [
    [{}, "if_present"],
    [{ contact_email_path: "$.email" }, "required"],
    [{ contact_email_path: ["$.email"] }, "required"],
    [{ contact_email_path: "$.email", contact: "if_present" }, "if_present"],
    [{ preset: "automation_relay" }, "required"],
    [{ preset: "automation_relay", contact_email_path: null }, "if_present"],
    [{ sender: "github" }, "if_present"],
    [{ sender: "github", contact_email_path: "$.sender.email" }, "if_present"],
  ];
  for (const [fields, contact] of cases)
    expect([fields, (await makeSource(service, fields)).shown["contact"]]).toEqual([fields, contact]);
});
