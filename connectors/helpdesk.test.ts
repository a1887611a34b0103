import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startWithConnectors } from "../apps/service/src/testing/repository-connectors.ts";
import type { ServiceWithConnectors } from "../apps/service/src/testing/repository-connectors.ts";
import type { Parsed } from "../apps/service/src/testing/test-service.ts";
import { covers } from "../requirements/covers.ts";
import { startRoundup } from "../tools/counterparts/roundup.ts";
import type { Roundup } from "../tools/counterparts/roundup.ts";

/** The helpdesk connector in the real service, against a real Roundup tracker. */

const MINUTES_2 = 120_000;
const MINUTES_10 = 600_000;
// The duration of other programs is not under test.
vi.setConfig({ testTimeout: MINUTES_10 });

const ADA = { external_id: "h-1", email: "ada@example.com", name: "Ada Moreau" };
let roundup: Roundup;
let service: ServiceWithConnectors;

beforeAll(async () => {
  roundup = await startRoundup();
  service = await startWithConnectors();
  await service.enable("helpdesk", { base_url: roundup.url, username: roundup.user, password: roundup.password });
  await service.fire("customer.signed_up", { customer: ADA });
  await service.until("/v1/customers?external_id=h-1", ({ data }) => data.length === 1);
}, MINUTES_10);
afterAll(async () => {
  await service?.close();
  await roundup?.stop();
});

async function run(action: string, parameters: object): Promise<Parsed> {
  const answer = await service.api("POST", "/v1/actions/run", { action, parameters });
  if (answer.status !== 200) throw new Error(`${action} did not run: ${answer.text}`);
  return answer.body;
}

async function open(subject: string, more: object = {}): Promise<string> {
  const { result } = await run("helpdesk.create_ticket", { subject, message: "It shows E04.", ...more });
  return result.ticket_id;
}

async function issueOf(ticketId: string): Promise<Parsed> {
  return ((await roundup.call(`/issue/${ticketId.slice("issue".length)}?@verbose=2`)) as Parsed).attributes;
}

async function ticketOf(externalId: string): Promise<Parsed> {
  return (await service.api("GET", `/v1/tickets?external_id=${externalId}`)).body["data"][0];
}

test("its settings are tested at the tracker", async () => {
  expect(await service.tryOut("helpdesk")).toMatchObject({ ok: true });
});

covers(
  "connector.hook.register-actions",
  "a ticket is opened at the tracker for its customer, and ticket.created is fired",
  async () => {
    const id = await open("Label printer stopped", { email: ADA.email, name: ADA.name, priority: "high" });
    expect(await issueOf(id)).toMatchObject({
      title: "Label printer stopped",
      priority: { name: "urgent" },
      nosy: expect.arrayContaining([expect.objectContaining({ username: ADA.email })]),
    });
    await expect
      .poll(async () => await ticketOf(id), { timeout: MINUTES_2 })
      .toMatchObject({ subject: "Label printer stopped", status: "open", priority: "high" });
    const { data } = await service.until("/v1/events?event=ticket.created", (page) => page.data.length === 1);
    expect((await service.api("GET", `/v1/events/${data[0].id}`)).body["data"]).toMatchObject({
      ticket: { external_id: id },
      customer: { external_id: "h-1", email: ADA.email },
    });
  },
);

covers(
  ["connector.hook.context-providers", "contact.tickets.list"],
  "tickets that people open at the tracker are listed for the customer",
  async () => {
    const { collection } = (await roundup.call(`/user?address:=${ADA.email}`)) as { collection: Parsed[] };
    await roundup.call("/issue", { title: "One by hand", nosy: [collection[0].id] });
    const { body } = await service.api("GET", "/v1/customers?external_id=h-1");
    const customerId = body["data"][0].id;
    const page = await service.until(
      `/v1/tickets?customer_id=${customerId}`,
      ({ data, connectors }) => data.length >= 2 && connectors?.[0]?.status === "ok",
      MINUTES_2,
    );
    expect(page["data"].map((ticket: Parsed) => ticket.subject)).toContain("One by hand");
    expect(page["connectors"]).toMatchObject([{ connector: "helpdesk", provider: "tickets" }]);
  },
);

covers("action.reversible.undo", "a ticket is closed, and reopened by an undo", async () => {
  const id = await open("To be closed", { email: ADA.email });
  const closed = await run("helpdesk.close_ticket", { ticket_id: id, message: "A restart helped." });
  expect(closed["result"]).toMatchObject({ ticket_id: id, status: "resolved", previous_status: "unread" });
  expect(await issueOf(id)).toMatchObject({ status: { name: "resolved" } });
  await expect.poll(async () => (await ticketOf(id))?.status, { timeout: MINUTES_2 }).toBe("resolved");
  const undone = await service.api("POST", `/v1/runs/${closed["id"]}/undo`);
  expect(undone.status).toBe(200);
  expect(await issueOf(id)).toMatchObject({ status: { name: "unread" } });
  await expect.poll(async () => (await ticketOf(id))?.status, { timeout: MINUTES_2 }).toBe("open");
});

covers("connector.hook.identity-providers", "the tracker identifies a user name", async () => {
  // A provider has less than a second. The request is repeated if the tracker was too slow.
  const page = await service.until(
    `/v1/customers?identity=helpdesk:${ADA.email}`,
    ({ connectors }) => connectors[0].status === "ok",
    MINUTES_2,
  );
  expect(page["data"]).toMatchObject([{ external_ids: ["h-1"] }]);
});

test("an invalid ticket is refused with instructions", async () => {
  const answer = await service.api("POST", "/v1/actions/run", {
    action: "helpdesk.close_ticket",
    parameters: { ticket_id: "../user/1" },
  });
  expect(answer).toMatchObject({ status: 502, body: { detail: expect.stringContaining("give one such as issue42") } });
});

test("its password is in no run", async () => {
  expect(JSON.stringify(await service.runs("helpdesk"))).not.toContain(roundup.password);
});

test("a password that Roundup refuses is reported", async () => {
  await service.api("PATCH", "/v1/connectors/helpdesk", { settings: { password: "another one" } });
  expect(await service.tryOut("helpdesk")).toMatchObject({
    ok: false,
    message: expect.stringContaining("Roundup refuses the user"),
  });
});
