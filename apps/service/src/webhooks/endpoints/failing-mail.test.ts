import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startMailServer } from "../../testing/mail-server.ts";
import type { MailServer } from "../../testing/mail-server.ts";
import { uuidOf } from "../../testing/keys.ts";
import { joined, OWNER } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe } from "../../testing/subscription.ts";
import type { Subscription } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let server: MailServer;
let service: TestService;
let admin: TestPerson;
let operator: TestPerson;

beforeAll(async () => {
  server = await startMailServer("junction@example.com", "secret");
  service = await startService({ env: { ...SHORT_LADDER, JUNCTION_SMTP_URL: server.url } });
  admin = await joined(service, "admin");
  operator = await joined(service, "operator");
});
beforeEach(async () => {
  await service.database.query("delete from mail");
  server.forget();
});
afterAll(async () => {
  await service.close();
  await server.close();
});

const mailsOf = async (): Promise<Parsed[]> =>
  (await service.api("GET", "/v1/mails?limit=100&purpose=endpoint_failing")).body["data"] as Parsed[];
const textsTo = (email: string): string[] =>
  server.mails.filter(({ to }) => to.includes(email)).map(({ data }) => data.replaceAll("=\r\n", ""));

/** Sends all that waits, and returns the states in which the mails ended. */
async function sent(): Promise<string[]> {
  await service.database.query("update mail set due_at = now() where state = 'waiting'");
  const waiting = async (): Promise<number> => (await mailsOf()).filter(({ state }) => state === "waiting").length;
  await expect.poll(waiting, { timeout: 20_000 }).toBe(0);
  return (await mailsOf()).map(({ state }) => state);
}

const ended = async (delivery: string): Promise<unknown> =>
  await service.until(`/v1/deliveries/${delivery}`, ({ state }) => state !== "pending");

/** Makes the endpoint fail as if it had failed for this time. */
async function failFor({ endpoint, fire }: Subscription, interval: string): Promise<void> {
  await ended(await fire());
  await service.database.query("update endpoint set failing_since = now() - $1::interval where id = $2", [
    interval,
    uuidOf(endpoint.id),
  ]);
  await ended(await fire());
  // On a slow machine, a digest would be sent before the next endpoint joins it. `sent` makes it due.
  await service.database.query("update mail set due_at = now() + interval '1 hour' where state = 'waiting'");
}

test("an endpoint that fails for ten minutes is one e-mail for owners and admins", async () => {
  const subscription = await subscribe(service, { status: 500, more: { description: "Shop" } });
  await failFor(subscription, "9 minutes");
  expect(await mailsOf()).toEqual([]);
  await failFor(subscription, "11 minutes");
  expect(await sent()).toEqual(["sent", "sent"]);
  const [text = "", ...more] = textsTo(admin.email);
  expect([more, textsTo(OWNER.email).length, textsTo(operator.email)]).toEqual([[], 1, []]);
  expect(text).toContain("Subject: A webhook endpoint is failing");
  expect(text).toContain(`/endpoints/${subscription.endpoint.id}`);
  await ended(await subscription.fire());
  expect(await mailsOf()).toHaveLength(2);
});

test("a lane that is blocked for an hour is one e-mail until it continues", async () => {
  const { endpoint, fire, path } = await subscribe(service, { status: 410, more: { ordering: { key: "endpoint" } } });
  await ended(await fire());
  await service.until(path, ({ active }) => active === false);
  await service.database.query("delete from mail");
  const blocked = async (): Promise<Parsed[]> =>
    (await service.api("GET", "/v1/mails?limit=100&purpose=lane_blocked")).body["data"] as Parsed[];
  const lanes = "select 1 from lane where blocked_at is not null";
  await expect.poll(async () => await service.database.query(lanes)).toHaveLength(1);
  await service.database.query("update lane set blocked_at = now() - interval '61 minutes'");
  // Two nodes that start look for blocked lanes at once.
  const nodes = await Promise.all([
    startService({ on: service, env: { ...SHORT_LADDER, JUNCTION_SMTP_URL: server.url } }),
    startService({ on: service, env: { ...SHORT_LADDER, JUNCTION_SMTP_URL: server.url } }),
  ]);
  await expect.poll(blocked).toHaveLength(2);
  await service.database.query("update mail set due_at = now() where state = 'waiting'");
  await expect.poll(() => textsTo(OWNER.email).join("")).toContain("Deliveries of a webhook endpoint are blocked");
  expect(textsTo(OWNER.email).join("")).toContain(`/endpoints/${endpoint.id}`);
  await Promise.all(nodes.map(async (node) => await node.close()));
  expect(await blocked()).toHaveLength(2);
});

test("a failure after a success is reported again, earlier ones are not", async () => {
  const first = await subscribe(service, { status: 500 });
  await failFor(first, "11 minutes");
  await sent();
  const second = await subscribe(service, { status: 500 });
  await failFor(second, "11 minutes");
  await sent();
  const [, text = ""] = textsTo(admin.email);
  expect([text.includes(second.endpoint.id), text.includes(first.endpoint.id)]).toEqual([true, false]);
  first.receiver.status(200);
  await ended(await first.fire());
  first.receiver.status(500);
  // The earlier e-mail was before the failure that now seems to last for eleven minutes.
  await service.database.query("update endpoint set failing_noticed_at = now() - interval '1 hour'");
  await failFor(first, "11 minutes");
  await sent();
  expect(textsTo(admin.email)).toHaveLength(3);
});

test("several endpoints share an e-mail, without those that have recovered", async () => {
  const all = [await subscribe(service, { status: 500 }), await subscribe(service, { status: 503 })];
  const well = await subscribe(service, { status: 500 });
  for (const one of [...all, well]) await failFor(one, "11 minutes");
  well.receiver.status(200);
  await ended(await well.fire());
  expect(await sent()).toEqual(["sent", "sent"]);
  const [text = ""] = textsTo(admin.email);
  expect([...all, well].map(({ endpoint }) => text.includes(endpoint.id))).toEqual([true, true, false]);
});

test("an endpoint that recovered or was turned off causes no e-mail", async () => {
  const well = await subscribe(service, { status: 500 });
  const off = await subscribe(service, { status: 500 });
  for (const one of [well, off]) await failFor(one, "11 minutes");
  well.receiver.status(200);
  await ended(await well.fire());
  await service.api("PATCH", off.path, { active: false });
  expect(await sent()).toEqual(["skipped", "skipped"]);
  expect(server.mails).toEqual([]);
});

test("a member who does not want it gets none", async () => {
  await admin.call("PATCH", "/v1/mails/preferences", { endpoint_failures: false });
  await failFor(await subscribe(service, { status: 500 }), "11 minutes");
  expect((await sent()).toSorted()).toEqual(["sent", "skipped"]);
  expect(textsTo(admin.email)).toEqual([]);
  await admin.call("PATCH", "/v1/mails/preferences", { endpoint_failures: true });
});

describe("the contact of a tenant", () => {
  async function contact(tenant: string, contact_email: string | null): Promise<void> {
    const body = { tenant, capabilities: ["endpoints"], contact_email };
    expect((await service.api("POST", "/v1/portal-sessions", body)).status).toBe(201);
  }

  test("gets an e-mail about its own endpoints, without links to the console", async () => {
    await contact("acme", "ops@acme.example");
    const own = await subscribe(service, { status: 500, more: { description: "Theirs", tenant: "acme" } });
    const whole = await subscribe(service, { status: 500, more: { description: "Ours" } });
    for (const one of [own, whole]) await failFor(one, "11 minutes");
    await sent();
    const [text = "", ...more] = textsTo("ops@acme.example");
    expect(more).toEqual([]);
    expect([text.includes("Theirs"), text.includes("Ours"), text.includes("/endpoints/")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(textsTo(admin.email)).toHaveLength(1);
  });

  test("gets none after the workspace has removed the address", async () => {
    await contact("acme", "ops@acme.example");
    const own = await subscribe(service, { status: 500, more: { tenant: "acme" } });
    await failFor(own, "11 minutes");
    await contact("acme", null);
    expect((await sent()).toSorted()).toEqual(["sent", "sent", "skipped"]);
    expect(textsTo("ops@acme.example")).toEqual([]);
  });

  test("must be an e-mail address", async () => {
    for (const contact_email of ["x", "a b@c", ""]) {
      const body = { tenant: "acme", capabilities: ["endpoints"], contact_email };
      expect((await service.api("POST", "/v1/portal-sessions", body)).status).toBe(422);
    }
  });
});
