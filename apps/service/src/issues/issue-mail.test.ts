import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startMailServer } from "../testing/mail-server.ts";
import type { MailServer } from "../testing/mail-server.ts";
import { uuidOf } from "../testing/keys.ts";
import { joined, OWNER } from "../testing/people.ts";
import type { TestPerson } from "../testing/people.ts";
import { startService } from "../testing/service.ts";
import { subscribe, UNLIMITED } from "../testing/subscription.ts";
import type { Subscription } from "../testing/subscription.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";

let server: MailServer;
let service: TestService;
let admin: TestPerson;
let operator: TestPerson;

beforeAll(async () => {
  server = await startMailServer("junction@example.com", "secret");
  service = await startService({
    env: { ...UNLIMITED, JUNCTION_RETRY_LADDER: "20ms,20ms", JUNCTION_SMTP_URL: server.url },
  });
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

const mails = async (): Promise<Parsed[]> => {
  const all = (await service.api("GET", "/v1/mails?limit=100")).body["data"] as Parsed[];
  return all.filter(({ purpose }) => String(purpose).startsWith("issue_"));
};
const textsTo = (email: string): string[] =>
  server.mails.filter(({ to }) => to.includes(email)).map(({ data }) => data.replaceAll("=\r\n", ""));

/** Sends all that waits, and returns the states in which the mails ended. */
async function sent(): Promise<string[]> {
  await service.database.query("update mail set due_at = now() where state = 'waiting'");
  const waiting = async (): Promise<number> => (await mails()).filter(({ state }) => state === "waiting").length;
  await expect.poll(waiting, { timeout: 30_000 }).toBe(0);
  return (await mails()).map(({ state }) => state).toSorted();
}

const ended = async (delivery: string): Promise<unknown> =>
  await service.until(`/v1/deliveries/${delivery}`, ({ state }) => state !== "pending");

async function issueIn({ endpoint }: Subscription, state: string): Promise<Parsed> {
  const read = async (): Promise<Parsed[]> =>
    (await service.api("GET", `/v1/issues?object_id=${endpoint.id}`)).body["data"] as Parsed[];
  await expect.poll(async () => (await read()).map((one) => one["state"]), { timeout: 30_000 }).toEqual([state]);
  const [issue] = await read();
  if (issue === undefined) throw new Error("the issue is gone");
  return issue;
}

async function failing(more: Record<string, unknown> = {}): Promise<Subscription> {
  const subscription = await subscribe(service, { status: 500, more });
  await ended(await subscription.fire());
  await issueIn(subscription, "open");
  // On a slow machine, a digest would be sent before the next issue joins it. `sent` makes it due.
  await service.database.query("update mail set due_at = now() + interval '1 hour' where state = 'waiting'");
  return subscription;
}

async function recover(subscription: Subscription): Promise<void> {
  subscription.receiver.status(200);
  for (let n = 0; n < 5; n += 1) await ended(await subscription.fire());
  await issueIn(subscription, "resolved");
}

/** Lets the last e-mail about the opening be longer ago. */
async function later({ endpoint }: Subscription, interval: string): Promise<void> {
  await service.database.query("update issue set mailed_at = mailed_at - $2::interval where object = $1", [
    uuidOf(endpoint.id),
    interval,
  ]);
}

test("a new issue and its end are one e-mail each for owners and admins", async () => {
  const subscription = await failing({ description: "Shop" });
  expect(await sent()).toEqual(["sent", "sent"]);
  const [text = "", ...more] = textsTo(admin.email);
  expect([more, textsTo(OWNER.email).length, textsTo(operator.email)]).toEqual([[], 1, []]);
  expect(text).toContain("Subject: A new issue");
  expect(text).toContain(`/issues/${(await issueIn(subscription, "open"))["id"]}`);
  expect(text).toContain("Shop");
  await later(subscription, "2 minutes");
  await recover(subscription);
  await sent();
  const [, end = ""] = textsTo(admin.email);
  expect(end).toContain("Subject: An issue is resolved");
});

test("issues of one minute share an e-mail, without those that were resolved", async () => {
  const [first, second, well] = [await failing(), await failing(), await failing()];
  await recover(well);
  expect(await sent()).toEqual(["sent", "sent"]);
  const [text = ""] = textsTo(admin.email);
  const ids = [await issueIn(first, "open"), await issueIn(second, "open"), await issueIn(well, "resolved")];
  expect(ids.map(({ id }) => text.includes(String(id)))).toEqual([true, true, false]);
});

test("an issue that ends before its e-mail is sent causes none", async () => {
  await recover(await failing());
  expect(await sent()).toEqual(["skipped", "skipped"]);
  expect(server.mails).toEqual([]);
});

test("reopenings send an e-mail at most once an hour; quiet ones end quietly", async () => {
  const subscription = await failing();
  await sent();
  await later(subscription, "30 minutes");
  await recover(subscription);
  await sent();
  expect(textsTo(admin.email)).toHaveLength(2);
  subscription.receiver.status(500);
  await ended(await subscription.fire());
  await issueIn(subscription, "open");
  await recover(subscription);
  expect(await mails()).toHaveLength(4);
  await later(subscription, "31 minutes");
  subscription.receiver.status(500);
  await ended(await subscription.fire());
  await issueIn(subscription, "open");
  await sent();
  expect(textsTo(admin.email)).toHaveLength(3);
});

test("an ignored issue and one of the sandbox cause no e-mail", async () => {
  const subscription = await failing();
  await sent();
  server.forget();
  const { id } = await issueIn(subscription, "open");
  await service.api("PATCH", `/v1/issues/${id}`, { state: "ignored" });
  await ended(await subscription.fire());
  await later(subscription, "2 hours");
  await ended(await subscription.fire());
  await issueIn(subscription, "ignored");
  const made = await service.api(
    "POST",
    "/v1/webhook-endpoints",
    { url: subscription.receiver.url, events: ["a.b"] },
    { key: service.sandboxKey },
  );
  for (let n = 0; n < 3; n += 1)
    await service.api("POST", "/v1/events/fire", { event: "a.b", data: {} }, { key: service.sandboxKey });
  const open = async () =>
    (await service.api("GET", `/v1/issues?object_id=${made.body["id"]}`, undefined, { key: service.sandboxKey })).body[
      "data"
    ];
  await expect.poll(async () => (await open()).length, { timeout: 30_000 }).toBe(1);
  expect([await sent(), server.mails]).toEqual([["sent", "sent"], []]);
});

test("a member who does not want it gets none", async () => {
  await admin.call("PATCH", "/v1/mails/preferences", { endpoint_failures: false });
  await failing();
  expect(await sent()).toEqual(["sent", "skipped"]);
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
    await failing({ description: "Theirs", tenant: "acme" });
    await failing({ description: "Ours" });
    await sent();
    const [text = "", ...more] = textsTo("ops@acme.example");
    expect(more).toEqual([]);
    expect(["Theirs", "Ours", "/issues/"].map((part) => text.includes(part))).toEqual([true, false, false]);
    expect(textsTo(admin.email)).toHaveLength(1);
  });

  test("gets none after the workspace has removed the address", async () => {
    await contact("acme", "ops@acme.example");
    await failing({ tenant: "acme" });
    await contact("acme", null);
    expect(await sent()).toEqual(["sent", "sent", "skipped"]);
    expect(textsTo("ops@acme.example")).toEqual([]);
  });

  test("must be an e-mail address", async () => {
    for (const contact_email of ["x", "a b@c", ""]) {
      const body = { tenant: "acme", capabilities: ["endpoints"], contact_email };
      expect((await service.api("POST", "/v1/portal-sessions", body)).status).toBe(422);
    }
  });
});
