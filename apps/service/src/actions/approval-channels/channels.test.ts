import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { confirmedActionOn, proposalOf } from "../../testing/actions.ts";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import { startMailServer } from "../../testing/mail-server.ts";
import type { MailServer } from "../../testing/mail-server.ts";
import { joined } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { startSlack } from "../../testing/slack.ts";
import type { SlackMessageRow, SlackStandIn } from "../../testing/slack.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const APP = { team_id: "T0SHOP", signing_secret: "f".repeat(32), bot_token: "xoxb-2-token-of-the-shop" };
const PATH = "/v1/approval-channels";
const SLACK = { kind: "slack", name: "Refunds", slack_channel_id: "C0REFUNDS" };
const MAIL = { kind: "email", name: "Desk", recipients: ["desk@example.com", "lead@example.com"] };

let server: MailServer;
let slack: SlackStandIn;
let service: TestService;
let receiver: Receiver;
let aiKey: string;

beforeAll(async () => {
  server = await startMailServer("junction@example.com", "secret");
  slack = await startSlack({ teamId: APP.team_id, token: APP.bot_token, channels: ["C0REFUNDS", "C0LEADS"] });
  receiver = await startReceiver();
  service = await startService({
    env: { ...UNLIMITED, JUNCTION_SMTP_URL: server.url, JUNCTION_SLACK_API_URL: slack.url },
  });
  await service.api("PUT", "/v1/slack-app", APP);
  aiKey = (await mintKey(service, { actor_type: "ai", role: "ai" })).key;
});
afterAll(async () => {
  await service.close();
  await receiver.close();
  await slack.close();
  await server.close();
});
beforeEach(async () => {
  for (const { id } of (await service.api("GET", `${PATH}?limit=100`)).body["data"])
    await service.api("DELETE", `${PATH}/${id}`);
  await service.database.query(
    "update action_proposal set state = 'cancelled', ended_at = now() where state = 'proposed'",
  );
  // The rest of the earlier tests must no longer call Slack.
  await service.database.query(
    "update approval_announcement set state = 'closed', lease_id = null, due_at = null, ended_at = now() where ended_at is null",
  );
  await service.database.query("delete from mail");
  server.forget();
});

const create = async (body: object): Promise<Parsed> => {
  const made = await service.api("POST", PATH, body);
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  return made.body;
};
const propose = async (more: Record<string, unknown> = {}, parameters: object = { order: "ord_1" }): Promise<Parsed> =>
  await proposalOf(service, await confirmedActionOn(service, receiver, more), { parameters }, { key: aiKey });
const announcements = async ({ id }: Parsed): Promise<Parsed[]> =>
  (await service.api("GET", `${PATH}/${id}/announcements?limit=100`)).body["data"];
const about = (proposal: Parsed): SlackMessageRow[] =>
  slack.messages.filter(({ blocks }) => JSON.stringify(blocks).includes(`/approvals/${proposal.id}"`));
const textsTo = (email: string): string[] =>
  server.mails
    .filter(({ to, data }) => to.includes(email) && !data.includes("Subject: Invitation"))
    .map(({ data }) => data.replaceAll("=\r\n", "").replaceAll("=3D", "="));
/** Makes all queued e-mail due, and waits until it has ended. */
const mailed = async (): Promise<void> => {
  await service.database.query("update mail set due_at = now() where state = 'waiting'");
  const waiting = async (): Promise<number> =>
    (await service.database.query("select 1 from mail where state = 'waiting'")).length;
  await expect.poll(waiting, { timeout: 20_000 }).toBe(0);
};

test("a channel is created, shown, changed and deleted", async () => {
  const made = await create({ ...SLACK, risks: ["high"], actions: ["billing.*", "orders.refund"] });
  expect(made).toMatchObject({
    object: "approval_channel",
    ...SLACK,
    recipients: [],
    risks: ["high"],
    actions: ["billing.*", "orders.refund"],
    after_minutes: 0,
    remind_every_minutes: null,
    decisions: true,
    active: true,
    environment: "live",
  });
  const changed = await service.api("PATCH", `${PATH}/${made.id}`, {
    risks: null,
    after_minutes: 30,
    decisions: false,
  });
  expect(changed.body).toMatchObject({ risks: null, after_minutes: 30, decisions: false, name: "Refunds" });
  expect((await service.api("GET", `${PATH}/${made.id}`)).body).toEqual(changed.body);
  expect((await service.api("DELETE", `${PATH}/${made.id}`)).status).toBe(204);
  for (const [method, path] of [
    ["GET", ""],
    ["DELETE", ""],
    ["GET", "/announcements"],
    ["POST", "/test"],
  ] as const)
    expect((await service.api(method, `${PATH}/${made.id}${path}`)).status).toBe(404);
});

test("wrong settings are refused with the place of each fault", async () => {
  const pointers = async (body: object): Promise<unknown> => {
    const { status, body: problem } = await service.api("POST", PATH, body);
    return [status, problem["errors"]?.map(({ pointer }: Parsed) => pointer)];
  };
  expect(await pointers({ kind: "slack", name: "x" })).toEqual([422, ["/slack_channel_id"]]);
  expect(await pointers({ ...SLACK, recipients: ["a@example.com"] })).toEqual([422, ["/recipients"]]);
  expect(await pointers({ kind: "email", name: "x" })).toEqual([422, ["/recipients"]]);
  expect(await pointers({ ...MAIL, recipients: ["a@example.com, b@example.com"] })).toEqual([422, ["/recipients/0"]]);
  expect(await pointers({ ...MAIL, slack_channel_id: "C0REFUNDS" })).toEqual([422, ["/slack_channel_id"]]);
  expect(await pointers({ ...SLACK, actions: ["billing", "*", "billing.*"] })).toEqual([
    422,
    ["/actions/0", "/actions/1"],
  ]);
  expect(await pointers({ ...SLACK, remind_every_minutes: 1 })).toEqual([422, ["/remind_every_minutes"]]);
  expect(await pointers({ ...SLACK, slack_channel_id: "#refunds" })).toEqual([422, ["/slack_channel_id"]]);
  const made = await create(MAIL);
  expect((await service.api("PATCH", `${PATH}/${made.id}`, { recipients: [] })).status).toBe(422);
  expect((await service.api("PATCH", `${PATH}/${made.id}`, { decisions: true })).body["decisions"]).toBe(false);
});

test("others cannot see or change a channel, and operators only see it", async () => {
  const { id } = await create(SLACK);
  const other = { key: (await otherWorkspace(service)).key };
  expect((await service.api("GET", PATH, undefined, other)).body["data"]).toEqual([]);
  expect((await service.api("DELETE", `${PATH}/${id}`, undefined, other)).body["code"]).toBe("workspace_mismatch");
  const sandbox = { key: service.sandboxKey };
  expect((await service.api("GET", `${PATH}/${id}`, undefined, sandbox)).body["code"]).toBe("environment_mismatch");
  const operator = await joined(service, "operator");
  expect((await operator.call("GET", PATH)).status).toBe(200);
  expect((await operator.call("PATCH", `${PATH}/${id}`, { active: false })).body["code"]).toBe("role_not_allowed");
  const inSandbox = { "X-Service-Environment": "sandbox" };
  const admin = await joined(service, "admin");
  expect((await admin.call("POST", PATH, MAIL, inSandbox)).body["code"]).toBe("conflict");
});

test("an e-mail shows the preview to each recipient, and only links to the page", async () => {
  const channel = await create(MAIL);
  const proposal = await propose({}, { order: "ord_77", amount: 1250, note: "a <b>bold</b> note" });
  await expect.poll(async () => (await announcements(channel))[0]?.state, { timeout: 20_000 }).toBe("announced");
  await mailed();
  for (const address of MAIL.recipients) {
    const [text = "", ...more] = textsTo(address);
    expect(more).toEqual([]);
    expect(text).toContain("Subject: Approval: Refund an order");
    expect(text).toContain("amount: 1250");
    expect(text).toContain("a &lt;b&gt;bold&lt;/b&gt; note");
    expect(new Set(text.match(/https?:\/\/[^\s"<]+/g))).toEqual(
      new Set([`${service.baseUrl}/approvals/${proposal.id}`]),
    );
  }
  // A scanner opens every link of a mail.
  for (const method of ["GET", "HEAD"]) await fetch(`${service.baseUrl}/approvals/${proposal.id}`, { method });
  expect((await service.api("GET", `/v1/proposals/${proposal.id}`)).body["state"]).toBe("proposed");
});

test("proposals of the same moment share an e-mail, and decided ones are left out", async () => {
  const channel = await create({ ...MAIL, recipients: ["desk@example.com"] });
  const [first, second, third] = [await propose(), await propose(), await propose()];
  await expect
    .poll(async () => (await announcements(channel)).map(({ state }) => state), { timeout: 20_000 })
    .toEqual(["announced", "announced", "announced"]);
  await service.api("POST", `/v1/proposals/${second.id}/reject`, {});
  await mailed();
  const [text = "", ...more] = textsTo("desk@example.com");
  expect(more).toEqual([]);
  expect([first, second, third].map(({ id }) => text.includes(String(id)))).toEqual([true, false, true]);
  await expect.poll(async () => (await announcements(channel))[1]?.state, { timeout: 20_000 }).toBe("closed");
});

test("a channel announces only the risks and actions that it is for", async () => {
  const high = await create({ ...SLACK, risks: ["high"] });
  const others = await create({ ...SLACK, actions: ["billing.*"] });
  const proposal = await propose({ risk: "high" });
  await propose({ risk: "low" });
  await expect.poll(() => about(proposal).length, { timeout: 20_000 }).toBe(1);
  expect((await announcements(high)).map(({ proposal_id: id }) => id)).toEqual([proposal.id]);
  expect(await announcements(others)).toEqual([]);
});

test("a second channel hears only of what has waited for long", async () => {
  const channel = await create({ ...SLACK, slack_channel_id: "C0LEADS", after_minutes: 60 });
  const [waiting, decided] = [await propose(), await propose()];
  await service.api("POST", `/v1/proposals/${decided.id}/reject`, {});
  expect((await announcements(channel)).map(({ state }) => state)).toEqual(["waiting", "waiting"]);
  expect(about(waiting)).toEqual([]);
  await service.database.query("update approval_announcement set due_at = now() where state = 'waiting'");
  await expect.poll(() => about(waiting).map(({ channel: at }) => at), { timeout: 20_000 }).toEqual(["C0LEADS"]);
  await expect
    .poll(async () => (await announcements(channel)).map(({ state }) => state), { timeout: 20_000 })
    .toEqual(["skipped", "announced"]);
  expect(about(decided)).toEqual([]);
});

test("a waiting proposal is announced again in the thread of its message", async () => {
  const channel = await create({ ...SLACK, remind_every_minutes: 60 });
  const proposal = await propose();
  await expect.poll(() => about(proposal).length, { timeout: 20_000 }).toBe(1);
  await expect.poll(async () => (await announcements(channel))[0]?.state, { timeout: 20_000 }).toBe("announced");
  const announcedAgo = async (hours: number): Promise<void> =>
    void (await service.database.query(
      "update approval_announcement set announced_at = $1, due_at = now() where state = 'announced'",
      [new Date(Date.now() - hours * 3_600_000)],
    ));
  await announcedAgo(1);
  await expect.poll(() => about(proposal).length, { timeout: 20_000 }).toBe(2);
  // Slack has the message before its row says so.
  await expect.poll(async () => (await announcements(channel))[0]?.reminders, { timeout: 20_000 }).toBe(1);
  const [message, reminder] = about(proposal);
  expect(reminder).toMatchObject({ threadTs: message?.ts, text: expect.stringContaining("Still waiting") });
  // Several hours in which no process ran are one reminder.
  await announcedAgo(6);
  await expect.poll(async () => (await announcements(channel))[0]?.reminders, { timeout: 20_000 }).toBe(6);
  expect(about(proposal)).toHaveLength(3);
  await service.api("POST", `/v1/proposals/${proposal.id}/reject`, {});
  await expect.poll(async () => (await announcements(channel))[0]?.state, { timeout: 20_000 }).toBe("closed");
  await announcedAgo(7);
  expect(about(proposal)).toHaveLength(3);
});

test("an expired or cancelled proposal is shown as that", async () => {
  await create(SLACK);
  const [expiring, cancelled] = [await propose(), await propose()];
  for (const one of [expiring, cancelled]) await expect.poll(() => about(one).length, { timeout: 20_000 }).toBe(1);
  await service.api("POST", `/v1/proposals/${cancelled.id}/cancel`);
  await service.database.query("update action_proposal set expires_at = now() where state = 'proposed'");
  const shown = (one: Parsed): string => JSON.stringify(about(one)[0]?.blocks);
  await expect.poll(() => shown(expiring), { timeout: 20_000 }).toContain("Expired without a decision.");
  await expect.poll(() => shown(cancelled), { timeout: 20_000 }).toContain("Cancelled by");
});

test("a burst that Slack postpones is announced in the end", async () => {
  const channel = await create({ ...SLACK, after_minutes: 60 });
  const proposal = await propose();
  slack.limit(1);
  await service.database.query("update approval_announcement set due_at = now(), attempts = 5 where state = 'waiting'");
  await expect
    .poll(async () => (await announcements(channel))[0], { timeout: 20_000 })
    .toMatchObject({ state: "waiting", attempts: 1, error_class: "ratelimited" });
  await expect.poll(() => about(proposal).length, { timeout: 20_000 }).toBe(1);
});

test("an announcement of a killed process is sent by another one", async () => {
  const channel = await create({ ...SLACK, after_minutes: 60 });
  const proposal = await propose();
  await service.database.query(
    "update approval_announcement set lease_id = $1, attempts = 1, due_at = now() where state = 'waiting'",
    [randomUUID()],
  );
  await expect.poll(() => about(proposal).length, { timeout: 20_000 }).toBe(1);
  await expect.poll(async () => (await announcements(channel))[0]?.state, { timeout: 20_000 }).toBe("announced");
});

test("a test says what works, and what to do", async () => {
  const good = await create(SLACK);
  const bad = await create({ ...SLACK, slack_channel_id: "C0UNKNOWN" });
  const mail = await create(MAIL);
  const tried = async ({ id }: Parsed): Promise<Parsed> => (await service.api("POST", `${PATH}/${id}/test`)).body;
  expect(await tried(good)).toMatchObject({ ok: true, message: "The message was sent." });
  expect(await tried(bad)).toMatchObject({ ok: false, message: expect.stringContaining("Invite the app") });
  expect(await tried(mail)).toMatchObject({ ok: true });
  await mailed();
  expect(textsTo("desk@example.com")[0]).toContain("Subject: Test of Desk");
  slack.limit(30);
  expect(await tried(good)).toMatchObject({ ok: false, message: expect.stringContaining("too many messages") });
  await service.api("PUT", "/v1/slack-app", { ...APP, team_id: "T0WRONG" });
  expect(await tried(good)).toMatchObject({ ok: false, message: expect.stringContaining("T0SHOP") });
  await service.api("DELETE", "/v1/slack-app");
  expect(await tried(good)).toMatchObject({ ok: false, message: expect.stringContaining("PUT /v1/slack-app") });
});
