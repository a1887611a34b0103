import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startMailServer } from "../apps/service/src/testing/mail-server.ts";
import type { MailServer } from "../apps/service/src/testing/mail-server.ts";
import { startReceiver } from "../apps/service/src/testing/receiver.ts";
import type { Receiver } from "../apps/service/src/testing/receiver.ts";
import { startWithConnectors } from "../apps/service/src/testing/repository-connectors.ts";
import type { ServiceWithConnectors } from "../apps/service/src/testing/repository-connectors.ts";
import type { Parsed } from "../apps/service/src/testing/test-service.ts";
import { covers } from "../requirements/covers.ts";
import { startTryton } from "../tools/counterparts/tryton.ts";
import type { Tryton } from "../tools/counterparts/tryton.ts";

/** The CRM mirror against a real Tryton and the alerts against a mail server, in the real service, on the same events. */

const MINUTES_2 = 120_000;
const MINUTES_10 = 600_000;
// The duration of other programs is not under test.
vi.setConfig({ testTimeout: MINUTES_10 });

let tryton: Tryton;
let mailbox: MailServer;
let slack: Receiver;
let service: ServiceWithConnectors;

beforeAll(async () => {
  [tryton, mailbox, slack] = await Promise.all([
    startTryton(),
    startMailServer("junction", "a password"),
    startReceiver(),
  ]);
  service = await startWithConnectors({ JUNCTION_SMTP_URL: mailbox.url, JUNCTION_MAIL_FROM: "junction@example.com" });
  await service.enable("crm-mirror", {
    base_url: tryton.url,
    database: tryton.database,
    username: tryton.user,
    password: tryton.password,
  });
  await service.enable("alerts", {
    slack_url: `${new URL(slack.url).origin}/services`,
    slack_path: "T0/B0/very-secret-path",
    mail_to: "team@example.com",
  });
}, MINUTES_10);
afterAll(async () => {
  await service?.close();
  await Promise.all([tryton?.stop(), mailbox?.close(), slack?.close()]);
});

/** Fires an event, and waits until every stage has ended. */
async function fire(event: string, data: unknown): Promise<Parsed> {
  const { id } = await service.fire(event, data);
  return await service.until(
    `/v1/events/${id}`,
    ({ stages }) => stages.every((stage: Parsed) => stage.state === "done"),
    MINUTES_2,
  );
}

interface Party {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly active: boolean;
}

async function partiesOf(externalId: string): Promise<Party[]> {
  const domain = [
    ["identifiers.code", "=", `junction:${externalId}`],
    ["active", "in", [true, false]],
  ];
  const fields = ["name", "email", "active", "create_date"];
  const found = await tryton.call("model.party.party.search_read", domain, 0, 10, null, fields);
  // Tryton returns booleans as numbers on SQLite.
  return (found as (Omit<Party, "active"> & { active: number })[]).map((party) => ({
    ...party,
    active: party.active === 1,
  }));
}

test("both test their settings with their servers", async () => {
  expect(await service.tryOut("crm-mirror")).toMatchObject({ ok: true });
  expect(await service.tryOut("alerts")).toMatchObject({ ok: true, message: "A test was sent by slack and mail." });
  expect(slack.received.at(-1)).toMatchObject({ path: "/services/T0/B0/very-secret-path" });
});

covers(
  ["dispatch.subscriber.mirrors", "connector.hook.subscribers", "connector.folder.wired"],
  "a customer who signs up becomes a party in Tryton",
  async () => {
    await fire("customer.signed_up", {
      customer: { external_id: "c-1", email: "ada@example.com", name: "Ada Moreau" },
    });
    expect(await partiesOf("c-1")).toMatchObject([{ name: "Ada Moreau", email: "ada@example.com", active: true }]);
  },
);

type DatePart = "year" | "month" | "day" | "hour" | "minute" | "second" | "microsecond";

covers("dispatch.order.mirror-first", "the mirror writes before the alert is sent", async () => {
  const before = mailbox.mails.length;
  const firedAt = Date.now();
  await fire("customer.signed_up", { customer: { external_id: "c-2", email: "bob@example.com", name: "Bob" } });
  await expect.poll(() => mailbox.mails.length, { timeout: MINUTES_2 }).toBe(before + 1);
  const [party] = (await partiesOf("c-2")) as (Party & { create_date: Record<DatePart, number> })[];
  if (party === undefined) throw new Error("Tryton has no party");
  const { year, month, day, hour, minute, second, microsecond } = party.create_date;
  const writtenAt = Date.UTC(year, month - 1, day, hour, minute, second);
  const mail = mailbox.mails.at(-1);
  const message = slack.received.at(-1);
  // The times are those of the receiving programs, which all run on this machine.
  const mirroredAt = writtenAt + microsecond / 1000;
  expect(mirroredAt).toBeGreaterThan(firedAt);
  expect(message?.at).toBeGreaterThanOrEqual(Math.floor(mirroredAt));
  expect(mail?.at).toBeGreaterThanOrEqual(Math.floor(mirroredAt));
  expect(mail?.to).toEqual(["team@example.com"]);
  expect(mail?.data).toContain("Subject: [Junction] customer.signed_up: Bob\r\n");
  expect(JSON.parse(message?.body ?? "")).toEqual({ text: "customer.signed_up: Bob" });
});

test("changes reach Tryton, and repeated events of a customer create one party", async () => {
  const customer = { external_id: "c-3", email: "eve@example.com", name: "Eve" };
  await Promise.all(
    ["customer.signed_up", "contact.created", "customer.updated"].map(async (name) => await fire(name, { customer })),
  );
  await expect.poll(async () => (await partiesOf("c-3")).length, { timeout: MINUTES_2 }).toBe(1);
  await fire("customer.updated", { customer: { ...customer, name: "Eve Adams", email: "eve.adams@example.com" } });
  await expect
    .poll(async () => await partiesOf("c-3"), { timeout: MINUTES_2 })
    .toMatchObject([{ name: "Eve Adams", email: "eve.adams@example.com" }]);
  await fire("customer.deleted", { customer });
  await expect.poll(async () => await partiesOf("c-3"), { timeout: MINUTES_2 }).toMatchObject([{ active: false }]);
});

test("a party that people created is adopted by its address", async () => {
  const [id] = (await tryton.call("model.party.party.create", [
    { name: "Zoe", contact_mechanisms: [["create", [{ type: "email", value: "zoe@example.com" }]]] },
  ])) as number[];
  await fire("customer.signed_up", { customer: { external_id: "c-4", email: "zoe@example.com", name: "Zoe Klein" } });
  expect(await partiesOf("c-4")).toMatchObject([{ id, name: "Zoe Klein" }]);
});

covers("connector.hook.identity-providers", "the CRM identifies an address", async () => {
  // A provider has less than a second. The request is repeated if Tryton was too slow.
  const page = await service.until(
    "/v1/customers?identity=crm:ada@example.com",
    ({ connectors }) => connectors[0].status === "ok",
    MINUTES_2,
  );
  expect(page["data"]).toMatchObject([{ external_ids: ["c-1"], email: "ada@example.com" }]);
});

test("a failing channel delays no other, and is retried later", async () => {
  slack.status(503);
  const before = mailbox.mails.length;
  const { id } = await service.fire("alert.raised", { message: "<Disk> & more" });
  await expect.poll(() => mailbox.mails.length, { timeout: MINUTES_2 }).toBe(before + 1);
  slack.status(200);
  const told = (): string[] => slack.received.map(({ body }) => JSON.parse(body).text);
  await expect
    .poll(() => told().filter((text) => text.includes("Disk")).length, { timeout: MINUTES_2 })
    .toBeGreaterThanOrEqual(2);
  await service.until(
    `/v1/events/${id}`,
    ({ stages }) => stages.every((stage: Parsed) => stage.state === "done"),
    MINUTES_2,
  );
  expect(told().at(-1)).toBe("alert.raised: &lt;Disk&gt; &amp; more");
  expect(mailbox.mails).toHaveLength(before + 1);
});

test("alerts above the limit per minute are counted and not sent", async () => {
  const patched = await service.api("PATCH", "/v1/connectors/alerts", { settings: { per_minute: 1, mail_to: null } });
  expect(patched.status).toBe(200);
  const before = slack.received.length;
  for (let count = 0; count < 4; count += 1) await fire("alert.raised", { message: `flood ${count}` });
  // The minute may end in between.
  expect(slack.received.length - before).toBeLessThanOrEqual(2);
  const runs = await service.runs("alerts");
  expect(JSON.stringify(runs)).toContain("There are more alerts than per_minute allows");
});

test("the secret part of Slack's address is in no run and no response", async () => {
  const everything = JSON.stringify([await service.runs("alerts"), await service.api("GET", "/v1/connectors/alerts")]);
  expect(everything).not.toContain("very-secret-path");
  expect(JSON.stringify(await service.runs("crm-mirror"))).not.toContain(tryton.password);
});

test("a password that Tryton refuses is reported with instructions", async () => {
  await service.api("PATCH", "/v1/connectors/crm-mirror", { settings: { password: "another one" } });
  expect(await service.tryOut("crm-mirror")).toMatchObject({
    ok: false,
    message: expect.stringContaining("Tryton refuses the user"),
  });
});
