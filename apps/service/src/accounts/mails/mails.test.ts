import { afterAll, beforeAll, expect, test } from "vitest";
import { confirmedActionOn, proposalOf } from "../../testing/actions.ts";
import { mintKey, uuidOf } from "../../testing/keys.ts";
import { startMailServer } from "../../testing/mail-server.ts";
import type { MailServer } from "../../testing/mail-server.ts";
import { joined, OWNER } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let server: MailServer;
let service: TestService;
let receiver: Receiver;
let admin: TestPerson;
let operator: TestPerson;
let aiKey: string;

beforeAll(async () => {
  server = await startMailServer("junction@example.com", "secret");
  receiver = await startReceiver();
  service = await startService({ env: { ...UNLIMITED, JUNCTION_SMTP_URL: server.url } });
  admin = await joined(service, "admin");
  operator = await joined(service, "operator");
  aiKey = (await mintKey(service, { actor_type: "ai", role: "ai" })).key;
});
afterAll(async () => {
  await service.close();
  await receiver.close();
  await server.close();
});

const textsTo = (email: string): string[] =>
  server.mails
    .filter(({ to, data }) => to.includes(email) && !data.includes("Subject: Invitation"))
    .map(({ data }) => data.replaceAll("=\r\n", "").replaceAll("=3D", "="));
const mailsOf = async (purpose: string): Promise<Parsed[]> =>
  (await service.api("GET", `/v1/mails?limit=100&purpose=${purpose}`)).body["data"] as Parsed[];

/** Sends all that waits, and returns how the mails of the purpose ended. */
async function sent(purpose: string): Promise<Parsed[]> {
  await service.database.query("update mail set due_at = now() where state = 'waiting'");
  await expect
    .poll(async () => (await mailsOf(purpose)).filter(({ state }) => state === "waiting"), { timeout: 20_000 })
    .toEqual([]);
  return await mailsOf(purpose);
}

const forget = async (): Promise<void> => {
  await service.database.query("delete from mail");
  server.forget();
};

test("twelve proposals are one e-mail for each approver, which only links to the pages", async () => {
  await forget();
  const action = await confirmedActionOn(service, receiver);
  const proposals = await Promise.all(
    Array.from({ length: 12 }, async () => await proposalOf(service, action, {}, { key: aiKey })),
  );
  expect(await sent("approvals")).toHaveLength(2);
  const [text = "", ...more] = textsTo(admin.email);
  expect([more, textsTo(OWNER.email).length, textsTo(operator.email)]).toEqual([[], 1, []]);
  expect(text).toContain("Subject: 12 approvals are waiting");
  const links = new Set(text.match(/\/approvals\/prop_\w+/g));
  expect(links.size).toBe(10);
  expect(proposals.map(({ id }) => `/approvals/${String(id)}`)).toEqual(expect.arrayContaining([...links]));
  expect(text).not.toContain("approve?");
});

test("the edit of a proposal, in a person's own request, is e-mailed too", async () => {
  await service.database.query(
    "update action_proposal set state = 'cancelled', ended_at = now() where state = 'proposed'",
  );
  await forget();
  const { id } = await proposalOf(service, await confirmedActionOn(service, receiver), {}, { key: aiKey });
  const edited = await admin.call("PATCH", `/v1/proposals/${id}`, { parameters: { order: "ord_2" } });
  expect(edited.status).toBe(200);
  await sent("approvals");
  expect(textsTo(OWNER.email)[0]).toContain(`/approvals/${edited.body["id"]}`);
});

test("an approver who decided, left or was demoted before it is sent gets none", async () => {
  await service.database.query(
    "update action_proposal set state = 'cancelled', ended_at = now() where state = 'proposed'",
  );
  await forget();
  const leaving = await joined(service, "admin");
  const demoted = await joined(service, "admin");
  await proposalOf(service, await confirmedActionOn(service, receiver), {}, { key: aiKey });
  await service.api("DELETE", `/v1/members/${leaving.memberId}`);
  await service.api("PATCH", `/v1/members/${demoted.memberId}`, { role: "viewer" });
  await sent("approvals");
  expect([textsTo(leaving.email), textsTo(demoted.email), textsTo(admin.email).length]).toEqual([[], [], 1]);
  await service.database.query(
    "update action_proposal set state = 'cancelled', ended_at = now() where state = 'proposed'",
  );
  await forget();
  await proposalOf(service, await confirmedActionOn(service, receiver), {}, { key: aiKey });
  await service.database.query(
    "update action_proposal set state = 'cancelled', ended_at = now() where state = 'proposed'",
  );
  expect(new Set((await sent("approvals")).map(({ state }) => state))).toEqual(new Set(["skipped"]));
});

test("a disabled endpoint is one e-mail, and none if it is active again", async () => {
  await forget();
  const gone = async (): Promise<string> => {
    receiver.status(410);
    const { id } = await service.endpoint(receiver.url, { events: ["endpoint.gone"], description: "Shop <b>" });
    await service.fire("endpoint.gone");
    await service.until(`/v1/webhook-endpoints/${id}`, ({ active }) => active === false);
    return id;
  };
  const id = await gone();
  expect((await sent("endpoint_disabled")).map(({ state }) => state)).toEqual(["sent", "sent"]);
  const [text = ""] = textsTo(admin.email);
  expect(text).toContain(`/endpoints/${id}`);
  expect(text).toContain("Shop &lt;b&gt;");
  expect(textsTo(operator.email)).toEqual([]);
  await forget();
  await service.api("DELETE", `/v1/webhook-endpoints/${id}`);
  await service.api("PATCH", `/v1/webhook-endpoints/${await gone()}`, { active: true });
  expect((await sent("endpoint_disabled")).map(({ state }) => state)).toEqual(["skipped", "skipped"]);
});

test("a member turns e-mail off, for themselves and this workspace alone", async () => {
  await forget();
  const off = await admin.call("PATCH", "/v1/mails/preferences", { approvals: false });
  expect(off.body).toEqual({
    object: "mail_preferences",
    notifications: true,
    approvals: false,
    endpoint_failures: true,
  });
  expect((await admin.call("GET", "/v1/mails/preferences")).body).toEqual(off.body);
  await proposalOf(service, await confirmedActionOn(service, receiver), {}, { key: aiKey });
  await sent("approvals");
  expect([textsTo(admin.email).length, textsTo(OWNER.email).length]).toEqual([0, 1]);
  const bare = await mintKey(service, { permission_mode: "all" });
  await service.database.query("update api_key set member_id = null where id = $1", [uuidOf(String(bare.id))]);
  expect((await service.api("GET", "/v1/mails/preferences", undefined, { key: bare.key })).status).toBe(403);
  expect((await admin.call("PATCH", "/v1/mails/preferences", {})).status).toBe(422);
});

test("only owners and admins see the e-mail of the workspace", async () => {
  expect((await operator.call("GET", "/v1/mails")).status).toBe(403);
  const sandbox = { "X-Service-Environment": "sandbox" };
  expect((await admin.call("GET", "/v1/mails", undefined, sandbox)).body["data"]).toEqual([]);
  const { text } = await service.api("GET", "/v1/mails?limit=100");
  expect(text).not.toContain(OWNER.email);
});
