import { afterAll, beforeAll, expect, test } from "vitest";
import { absentId, tagOfId, uuidOf } from "../../testing/keys.ts";
import { startMailServer } from "../../testing/mail-server.ts";
import type { MailServer } from "../../testing/mail-server.ts";
import { joined, OWNER, signIn } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import { freshEvent, ruleOn, runsOf } from "../../testing/rules.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let server: MailServer;
let service: TestService;
let owner: TestPerson;
let operator: TestPerson;

beforeAll(async () => {
  server = await startMailServer("junction@example.com", "secret");
  service = await startService({ env: { ...UNLIMITED, JUNCTION_SMTP_URL: server.url } });
  owner = await signIn(service);
  operator = await joined(service, "operator");
});
afterAll(async () => {
  await service.close();
  await server.close();
});

/** Runs a rule that notifies. Returns the run. */
async function notify(to: readonly string[], message: string, data: object = {}): Promise<Parsed> {
  const on = freshEvent();
  const id = await ruleOn(service, { on: [on], then: [{ type: "notify", to, message }] });
  await service.fire(on, data);
  return { ...(await runsOf(service, id))[0], rule_id: id };
}

const listOf = async (person: TestPerson): Promise<Parsed[]> =>
  (await person.call("GET", "/v1/notifications?unread=true")).body["data"] as Parsed[];
const mailedTo = (person: TestPerson) =>
  server.mails.filter(({ to, data }) => to.includes(person.email) && !data.includes("Subject: Invitation"));
const mailNow = async (): Promise<void> =>
  void (await service.database.query("update mail set due_at = now() where state = 'waiting'"));

test("a notification reaches members by role, id and address, once each", async () => {
  const run = await notify(
    ["owner", operator.memberId, operator.email.toUpperCase(), "${data.who}"],
    "Order ${data.n} <b>",
    {
      who: OWNER.email,
      n: 7,
    },
  );
  expect(run).toMatchObject({
    status: "ok",
    actions: [{ type: "notify", status: "done", reached: 2, email: "queued" }],
  });
  for (const person of [owner, operator])
    expect(await listOf(person)).toMatchObject([
      {
        object: "notification",
        member_id: person.memberId,
        rule_id: run.rule_id,
        message: "Order 7 <b>",
        read_at: null,
      },
    ]);
  await mailNow();
  await service.until("/v1/mails?state=sent&purpose=notification", ({ data }) => data.length === 2);
  expect([owner, operator].map((person) => mailedTo(person).length)).toEqual([1, 1]);
  expect(mailedTo(operator)[0]?.data.replaceAll("=\r\n", "")).toContain("Order 7 &lt;b&gt;");
  const { body } = await service.api("GET", `/v1/events/${run.actions[0].event_id}`);
  expect(body["data"]).toMatchObject({ reached: 2, email: "queued", message: "Order 7 <b>" });
});

test("a person marks own notifications as read, and those are not sent", async () => {
  await notify([operator.memberId], "Read before it is sent");
  const [mine] = await listOf(operator);
  const other = await owner.call("POST", "/v1/notifications/read", { ids: [mine?.["id"]] });
  expect(other.body).toMatchObject({ count: 0 });
  const [first, again] = [
    await operator.call("POST", "/v1/notifications/read", { ids: [mine?.["id"]] }),
    await operator.call("POST", "/v1/notifications/read", { ids: [mine?.["id"]] }),
  ];
  expect([first.body["count"], again.body["count"]]).toEqual([1, 0]);
  await mailNow();
  await service.until("/v1/mails?state=skipped", ({ data }) => data.length === 1);
  expect(mailedTo(operator).some(({ data }) => data.includes("Read before"))).toBe(false);
});

test("fifty notifications are one e-mail", async () => {
  const on = freshEvent();
  await ruleOn(service, { on: [on], then: [{ type: "notify", to: [operator.memberId], message: "Many ${data.n}" }] });
  const before = mailedTo(operator).length;
  await Promise.all(Array.from({ length: 50 }, async (_, n) => await service.fire(on, { n })));
  await expect
    .poll(async () => {
      const { body } = await operator.call("GET", "/v1/notifications?unread=true&limit=100");
      return (body["data"] as Parsed[]).filter(({ message }) => String(message).startsWith("Many")).length;
    })
    .toBe(50);
  await mailNow();
  await expect.poll(() => mailedTo(operator).length).toBe(before + 1);
  const [{ waiting }] = (await service.database.query<{ waiting: number }>(
    "select count(*)::int as waiting from mail where state = 'waiting'",
  )) as [{ waiting: number }];
  expect(waiting).toBeLessThanOrEqual(1);
});

test("addresses of strangers, unknown ids and members of others reach no member", async () => {
  const stranger = absentId({ tag: tagOfId(operator.memberId) }, "mem");
  const run = await notify(["ops@elsewhere.example", stranger, "${data.missing}", "viewer"], "Lost");
  expect(run).toMatchObject({
    status: "failed",
    actions: [{ status: "failed", reason_code: "nobody_reached", reached: 0, reason: expect.any(String) }],
  });
});

test("a recipient that cannot be a member is refused with its form", async () => {
  const rule = { name: "x", on: ["a.b"], then: [{ type: "notify", to: ["everyone"], message: "x" }] };
  const { status, body } = await service.api("POST", "/v1/rules", rule);
  expect([status, body["errors"]]).toMatchObject([422, [{ pointer: "/then/0/to", code: "recipient" }]]);
});

test("a member who left before the e-mail is sent gets none", async () => {
  const leaving = await joined(service, "viewer");
  await notify([leaving.memberId], "Too late");
  await service.api("DELETE", `/v1/members/${leaving.memberId}`);
  await mailNow();
  const path = "/v1/mails?state=skipped&limit=1";
  await service.until(path, ({ data }) => data[0]?.member_id === leaving.memberId);
  expect(mailedTo(leaving)).toEqual([]);
});

test("a sandbox notifies in the sandbox alone, and sends no e-mail", async () => {
  const on = freshEvent();
  const made = { name: on, on: [on], then: [{ type: "notify", to: ["owner"], message: "Sandbox" }] };
  const { body: rule } = await service.api("POST", "/v1/rules", made, { key: service.sandboxKey });
  await service.api("POST", "/v1/events/fire", { event: on, data: {} }, { key: service.sandboxKey });
  const path = `/v1/rules/${String(rule["id"])}/runs`;
  const runs = async (): Promise<Parsed[]> =>
    (await service.api("GET", path, undefined, { key: service.sandboxKey })).body["data"] as Parsed[];
  await expect.poll(async () => (await runs())[0]?.["status"]).toBe("ok");
  expect((await runs())[0]).toMatchObject({ actions: [{ reached: 1, email: "sandbox" }] });
  expect((await listOf(owner)).some(({ message }) => message === "Sandbox")).toBe(false);
});

test("an endpoint receives the event only if it asks for it by name", async () => {
  const receiver = await startReceiver();
  await service.endpoint(`${receiver.url}/all`, { events: ["*"] });
  await service.endpoint(`${receiver.url}/named`, { events: ["notification.created"] });
  await notify(["owner"], "To endpoints");
  await expect.poll(() => receiver.received.map(({ path }) => path.split("/").at(-1))).toContain("named");
  const events = receiver.received
    .filter(({ path }) => path.endsWith("/all"))
    .map(({ body }) => JSON.parse(body).event);
  expect(events).not.toContain("notification.created");
  await receiver.close();
});

test("an erased contact's notifications are erased too", async () => {
  const { body: contact } = await service.api("POST", "/v1/contacts", { email: "erased@example.com" });
  await notify(["owner"], "About a contact", { contact_id: contact["id"], email: "erased@example.com" });
  const held = await service.database.query("select id from notification where contact_id = $1", [
    uuidOf(String(contact["id"])),
  ]);
  expect(held.length).toBe(1);
  const exported = await service.api("GET", `/v1/contacts/${String(contact["id"])}/export`);
  expect(exported.text).toContain("About a contact");
  await service.api("DELETE", `/v1/contacts/${String(contact["id"])}`);
  expect(
    await service.database.query("select id from notification where contact_id = $1", [uuidOf(String(contact["id"]))]),
  ).toEqual([]);
});
