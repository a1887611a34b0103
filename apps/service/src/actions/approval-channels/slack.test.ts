import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { confirmedActionOn, eventsAbout, proposalOf } from "../../testing/actions.ts";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import { joined, nameOf, OWNER, signIn } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { codeForm, interactionBody, linkAccount, postAsSlack } from "../../testing/slack-app.ts";
import type { SignedPost, SlackReply } from "../../testing/slack-app.ts";
import { startSlack } from "../../testing/slack.ts";
import type { SlackMessageRow, SlackStandIn } from "../../testing/slack.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const TEAM = "T0SHOP";
const CHANNEL = "C0REFUNDS";
const OTHER_CHANNEL = "C0OTHER";
const APP = { team_id: TEAM, signing_secret: "f".repeat(32), bot_token: "xoxb-1-token-of-the-shop" };
const SANDBOX = { "X-Service-Environment": "sandbox" };

let slack: SlackStandIn;
let service: TestService;
let receiver: Receiver;
let owner: TestPerson;
let admin: TestPerson;
let aiKey: string;
let requestUrl: string;
const triggers = new Set<string>();

beforeAll(async () => {
  slack = await startSlack({ teamId: TEAM, token: APP.bot_token, channels: [CHANNEL, OTHER_CHANNEL], triggers });
  receiver = await startReceiver();
  service = await startService({ env: { ...UNLIMITED, JUNCTION_SLACK_API_URL: slack.url } });
  owner = await signIn(service, OWNER);
  admin = await joined(service, "admin");
  aiKey = (await mintKey(service, { actor_type: "ai", role: "ai" })).key;
  requestUrl = await setUp();
  await linkAccount(service, admin, { ...APP, userId: "U0ADMIN" });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
  await slack.close();
});
beforeEach(() => receiver.status(200));

/** Sets the app and one channel of an environment. Returns the URL that Slack posts to. */
async function setUp(headers: Record<string, string> = {}, channelId = CHANNEL, app = APP): Promise<string> {
  const set = await owner.call("PUT", "/v1/slack-app", app, headers);
  expect(set.status).toBe(200);
  const channel = { kind: "slack", name: "Refunds", slack_channel_id: channelId };
  expect((await owner.call("POST", "/v1/approval-channels", channel, headers)).status).toBe(201);
  return set.body["request_url"];
}

const proposed = async (more: Record<string, unknown> = {}, args: Record<string, unknown> = {}): Promise<Parsed> =>
  await proposalOf(service, await confirmedActionOn(service, receiver, more), args, { key: aiKey });

/** Returns the message about a proposal, once it is there. */
async function announced({ id }: Parsed): Promise<SlackMessageRow> {
  const find = (): SlackMessageRow | undefined =>
    slack.messages.find(
      (one) => one.threadTs === null && buttons(one).some(({ url = "" }) => url.endsWith(`/${String(id)}`)),
    );
  await expect.poll(find, { timeout: 20_000 }).toBeDefined();
  return find() as SlackMessageRow;
}

const buttons = ({ blocks }: SlackMessageRow): Parsed[] =>
  blocks.filter(({ type }) => type === "actions").flatMap(({ elements }) => elements);
const textsOf = ({ blocks }: SlackMessageRow): string =>
  blocks
    .flatMap(({ text, fields = [], elements = [] }) => [text, ...fields, ...elements])
    .map((one: Parsed) => (typeof one?.text === "string" ? one.text : ""))
    .join("\n");

interface TapOptions extends Partial<SignedPost> {
  readonly user?: string;
  readonly userTeam?: string;
  readonly team?: string;
  readonly channel?: string;
  readonly url?: string;
  readonly value?: string;
}

let taps = 0;

function tapBody(message: SlackMessageRow, word: string, options: TapOptions): string {
  const { user = "U0ADMIN", team = TEAM, userTeam = team, channel = message.channel } = options;
  const button = buttons(message).find(({ text }) => text.text === word);
  taps += 1;
  return interactionBody({
    type: "block_actions",
    team: { id: team, domain: "shop" },
    user: { id: user, username: user.toLowerCase(), team_id: userTeam },
    container: { type: "message", message_ts: message.ts, channel_id: channel },
    channel: { id: channel, name: "refunds" },
    trigger_id: `${taps}.1`,
    actions: [
      { type: "button", action_id: button?.action_id, value: options.value ?? button?.value, action_ts: `${taps}.2` },
    ],
  });
}

async function tap(message: SlackMessageRow, word: string, options: TapOptions = {}): Promise<SlackReply> {
  const { url = requestUrl, secret = APP.signing_secret, timestamp, headers } = options;
  const signed = { secret, ...(timestamp !== undefined && { timestamp }), ...(headers !== undefined && { headers }) };
  return await postAsSlack(url, tapBody(message, word, options), signed);
}

const stateOf = async ({ id }: Parsed): Promise<string> =>
  (await service.api("GET", `/v1/proposals/${id}`)).body["state"];
/** Returns what was shown last to this person alone. */
const noteTo = (user: string): string => {
  const note = slack.messages.filter((one) => one.user === user).at(-1);
  return note === undefined ? "" : textsOf(note);
};

test("a linked member's tap approves, and the message shows who decided", async () => {
  const before = receiver.received.length;
  const proposal = await proposed({ approval: { four_eyes: true } }, { parameters: { order: "ord_77", amount: 1250 } });
  const message = await announced(proposal);
  expect(textsOf(message)).toContain("1250");
  expect(textsOf(message)).toContain("Requested by");
  const { status, text, tookMs } = await tap(message, "Approve");
  expect([status, text, tookMs < 3000]).toEqual([200, "{}", true]);
  await expect.poll(async () => await stateOf(proposal)).toBe("executed");
  expect(receiver.received).toHaveLength(before + 1);
  await expect
    .poll(() => textsOf(message), { timeout: 20_000 })
    .toContain(`Approved by ${nameOf(admin)}. The action was run.`);
  expect(buttons(message).map(({ text: { text: word } }) => word)).toEqual(["Open in Junction"]);
  const { body } = await service.api("GET", `/v1/proposals/${proposal.id}`);
  expect(body.approvals).toMatchObject([{ by: { type: "user", id: admin.memberId }, kind: "explicit", via: "slack" }]);
  expect(await eventsAbout(service, proposal.id)).toContain("ai.action.approved");
});

test("a rejection is made and shown too", async () => {
  const proposal = await proposed();
  const message = await announced(proposal);
  await tap(message, "Reject");
  await expect.poll(async () => await stateOf(proposal)).toBe("rejected");
  await expect.poll(() => textsOf(message), { timeout: 20_000 }).toContain(`Rejected by ${nameOf(admin)}.`);
});

test("a tap is answered in time although the backend is slow", async () => {
  receiver.answer((response) => void setTimeout(() => response.writeHead(200).end("{}"), 4000));
  const proposal = await proposed();
  const { status, tookMs } = await tap(await announced(proposal), "Approve");
  expect([status, tookMs < 3000]).toEqual([200, true]);
  await expect.poll(async () => await stateOf(proposal), { timeout: 20_000 }).toBe("executed");
});

test("a repeated tap decides once, however often Slack sends it", async () => {
  const before = receiver.received.length;
  const proposal = await proposed({ approval: { approver_roles: ["owner", "admin"], required: 2 } });
  const message = await announced(proposal);
  const body = tapBody(message, "Approve", {});
  const replies = await Promise.all(
    Array.from({ length: 5 }, async () => await postAsSlack(requestUrl, body, { secret: APP.signing_secret })),
  );
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  await expect
    .poll(async () => (await service.api("GET", `/v1/proposals/${proposal.id}`)).body.approvals.length)
    .toBe(1);
  // Another tap of the same person is another request, and counts no more than the first.
  await tap(message, "Approve");
  expect(await stateOf(proposal)).toBe("proposed");
  expect(noteTo("U0ADMIN")).toContain("You have already approved this proposal.");
  await expect.poll(() => textsOf(message), { timeout: 20_000 }).toContain("1 more must approve");
  expect(receiver.received).toHaveLength(before);
});

test("forged and old signatures are refused, and nothing is decided", async () => {
  const proposal = await proposed();
  const message = await announced(proposal);
  const now = Math.floor(Date.now() / 1000);
  const codes: unknown[] = [];
  const attacks: TapOptions[] = [
    { secret: "0".repeat(32) },
    { secret: APP.bot_token },
    { headers: { "X-Slack-Signature": "" } },
    { headers: { "X-Slack-Signature": `v0=${"0".repeat(64)}` } },
    { headers: { "X-Slack-Request-Timestamp": String(now - 60) } },
    { headers: { "X-Slack-Request-Timestamp": "" } },
    { timestamp: now - 301 },
    { timestamp: now + 310 },
  ];
  for (const attack of attacks) codes.push((await tap(message, "Approve", attack)).body["code"]);
  expect(codes).toEqual([
    ...Array.from({ length: 6 }, () => "signature_invalid"),
    ...Array.from({ length: 2 }, () => "timestamp_out_of_range"),
  ]);
  expect((await tap(message, "Approve", { headers: { "Content-Encoding": "gzip" } })).status).toBe(415);
  const elsewhere = requestUrl.replace(/.(?=\/interactions)/, (last) => (last === "0" ? "1" : "0"));
  expect((await tap(message, "Approve", { url: elsewhere })).status).toBe(404);
  expect(await stateOf(proposal)).toBe("proposed");
});

test("an unlinked person decides nothing, and is shown how to link", async () => {
  const proposal = await proposed();
  const message = await announced(proposal);
  expect((await tap(message, "Approve", { user: "U0NOBODY" })).status).toBe(200);
  expect(await stateOf(proposal)).toBe("proposed");
  expect(noteTo("U0NOBODY")).toContain("/account");
  const note = slack.messages.filter(({ user }) => user === "U0NOBODY").at(-1) as SlackMessageRow;
  triggers.add(`${taps + 1}.1`);
  await tap(note, "Enter the code", { user: "U0NOBODY" });
  expect(slack.forms.at(-1)).toMatchObject({ type: "modal", callback_id: "junction_link_code" });
});

test("a code links once, and only the Slack account that enters it", async () => {
  const person = await joined(service, "operator");
  const enter = async (code: string, userId: string, team = TEAM): Promise<Parsed> =>
    (
      await postAsSlack(requestUrl, interactionBody(codeForm({ userId, team_id: team }, code)), {
        secret: APP.signing_secret,
      })
    ).body;
  const code = async (): Promise<string> =>
    (await person.call("POST", "/v1/slack-links", { password: person.password })).body["code"];
  const [first, second] = [await code(), await code()];
  expect((await enter(first, "U0OP")).response_action).toBe("errors");
  expect((await enter(second, "U0OP", "T0FOREIGN")).response_action).toBe("errors");
  const spelled = second.toLowerCase().replace("-", " ");
  expect(await enter(spelled, "U0OP")).toMatchObject({ response_action: "update" });
  expect((await enter(second, "U0THIEF")).response_action).toBe("errors");
  const links = (await person.call("GET", "/v1/slack-links")).body["data"];
  expect(links).toMatchObject([{ member_id: person.memberId, team_id: TEAM, slack_user_id: "U0OP" }]);
  const late = await code();
  await service.database.query("update slack_link set code_expires_at = now() where code_hash is not null");
  expect((await enter(late, "U0OP")).response_action).toBe("errors");
  expect((await service.api("POST", "/v1/slack-links", {})).body["code"]).toBe("surface_not_allowed");
  const tries = [];
  for (let at = 0; at < 6; at += 1) tries.push((await enter("WRONG-WRONG", "U0GUESS")).errors.code);
  expect(tries.at(-1)).toContain("Too many");
  expect((await person.call("DELETE", `/v1/slack-links/${links[0].id}`)).status).toBe(204);
  const rows = await service.database.query("select 1 from audit_row where action = 'slack_links.complete'");
  expect(rows.length).toBeGreaterThan(0);
});

test("a demoted or removed member's tap decides nothing", async () => {
  const leaving = await joined(service, "admin");
  await linkAccount(service, leaving, { ...APP, userId: "U0LEAVING" });
  const proposal = await proposed();
  const message = await announced(proposal);
  await service.api("PATCH", `/v1/members/${leaving.memberId}`, { role: "viewer" });
  await tap(message, "Approve", { user: "U0LEAVING" });
  expect(noteTo("U0LEAVING")).toContain("You act as viewer");
  await service.api("DELETE", `/v1/members/${leaving.memberId}`);
  await tap(message, "Approve", { user: "U0LEAVING" });
  expect(noteTo("U0LEAVING")).toContain("no longer a member");
  expect(await stateOf(proposal)).toBe("proposed");
});

test("who requested or edited an action cannot approve it by a tap", async () => {
  const action = await confirmedActionOn(service, receiver, {
    approval: { approver_roles: ["owner", "admin"], four_eyes: true },
  });
  const asked = await admin.call("POST", "/v1/actions/run", { action, parameters: { order: "ord_1" } });
  const proposal = asked.body["proposal"];
  await tap(await announced(proposal), "Approve");
  expect(noteTo("U0ADMIN")).toContain("cannot approve");
  expect(await stateOf(proposal)).toBe("proposed");
  await linkAccount(service, owner, { ...APP, userId: "U0OWNER" });
  const edited = await owner.call("PATCH", `/v1/proposals/${proposal.id}`, { parameters: { order: "ord_2" } });
  const next = await announced(edited.body);
  for (const user of ["U0OWNER", "U0ADMIN"]) await tap(next, "Approve", { user });
  expect(await stateOf(edited.body)).toBe("proposed");
});

test("a tap counts for what its message showed, and for nothing else", async () => {
  const proposal = await proposed();
  const message = await announced(proposal);
  const old = { ...message, blocks: message.blocks };
  const edited = await owner.call("PATCH", `/v1/proposals/${proposal.id}`, { parameters: { order: "ord_9" } });
  const next = await announced(edited.body);
  await tap(old, "Approve");
  expect([await stateOf(proposal), await stateOf(edited.body)]).toEqual(["superseded", "proposed"]);
  await expect.poll(() => textsOf(message), { timeout: 20_000 }).toContain("Edited.");
  const [announcement = ""] = String(buttons(next).find(({ value }) => value !== undefined).value).split(" ");
  await tap(next, "Approve", { value: `${announcement} ${"0".repeat(64)}` });
  expect(noteTo("U0ADMIN")).toContain("changed after review");
  expect(await stateOf(edited.body)).toBe("proposed");
  await service.api("PATCH", `/v1/action-contracts/${proposal.action}`, { label: "Refund it all" });
  await tap(next, "Approve");
  expect(await stateOf(edited.body)).toBe("proposed");
});

test("a tap elsewhere decides nothing: in another channel, workspace, team or environment", async () => {
  const proposal = await proposed();
  const message = await announced(proposal);
  await tap(message, "Approve", { channel: OTHER_CHANNEL });
  await tap(message, "Approve", { userTeam: "T0FOREIGN" });
  await tap(message, "Approve", { team: "T0FOREIGN" });
  const sandboxUrl = await setUp(SANDBOX, OTHER_CHANNEL);
  await linkAccount(service, admin, { ...APP, userId: "U0ADMIN" }, SANDBOX);
  await tap(message, "Approve", { url: sandboxUrl });
  expect(noteTo("U0ADMIN")).toContain("another workspace or environment");
  const made = await owner.call("POST", "/v1/workspaces", { name: "Another" });
  const elsewhere = { "X-Service-Workspace": made.body["workspace_id"] };
  const foreignUrl = await setUp(elsewhere);
  await tap(message, "Approve", { url: foreignUrl });
  expect(await stateOf(proposal)).toBe("proposed");
});

test("the sandbox announces its own proposals, and its taps decide only those", async () => {
  const proposal = await proposalOf(
    service,
    (await owner.call("POST", "/v1/action-contracts", sandboxContract(), SANDBOX)).body["key"],
    {},
    { key: service.sandboxKey },
  );
  const message = await announced(proposal);
  expect(textsOf(message)).toContain("(sandbox)");
  await tap(message, "Approve");
  expect((await owner.call("GET", `/v1/proposals/${proposal.id}`, undefined, SANDBOX)).body["state"]).toBe("proposed");
});

function sandboxContract(): object {
  return {
    key: "orders.refund_sandbox",
    label: "Refund an order",
    surface: ["api", "console"],
    roles: ["owner", "admin", "developer", "operator", "ai"],
    requires_confirmation: true,
    params: { order: { type: "string", max: 100 } },
    endpoint: receiver.url,
    audit: true,
  };
}

test("a channel that is switched off or only announces decides nothing", async () => {
  const proposal = await proposed();
  const message = await announced(proposal);
  const [channel] = (await service.api("GET", "/v1/approval-channels")).body["data"];
  for (const change of [{ decisions: false }, { decisions: true, active: false }]) {
    await service.api("PATCH", `/v1/approval-channels/${channel.id}`, change);
    await tap(message, "Approve");
    expect(noteTo("U0ADMIN")).toContain("can no longer be decided in this channel");
  }
  await service.api("PATCH", `/v1/approval-channels/${channel.id}`, { active: true, decisions: true });
  expect(await stateOf(proposal)).toBe("proposed");
});

test("hostile values are shown as they are, without mentions, formatting or links", async () => {
  const note = "<!channel> *bold* <https://evil.example|ok> \u202Egnp.exe :tada:";
  const message = await announced(
    await proposed({ label: "Refund <!here> & more" }, { parameters: { order: "ord_1", note } }),
  );
  expect(textsOf(message)).toContain("<!channel> *bold* <https://evil.example|ok> \\u{202e}gnp.exe :tada:");
  expect(message.text).toBe("Approval: Refund &lt;!here&gt; &amp; more");
  expect(JSON.stringify(message.blocks)).not.toContain("mrkdwn");
});

test("a proposal that a message cannot show whole has no buttons", async () => {
  for (const note of ["n".repeat(600), "\u200B".repeat(400)]) {
    const message = await announced(await proposed({}, { parameters: { order: "ord_1", note } }));
    expect(buttons(message).map(({ text: { text } }) => text)).toEqual(["Open in Junction"]);
    expect(textsOf(message)).toContain("does not show all of the proposal");
  }
});

test("what Slack refuses is sent again or given up, and the list says why", async () => {
  slack.fail("chat.postMessage", "internal_error");
  const again = await proposed();
  const list = async (): Promise<Parsed[]> => {
    const [channel] = (await service.api("GET", "/v1/approval-channels")).body["data"];
    return (await service.api("GET", `/v1/approval-channels/${channel.id}/announcements`)).body["data"];
  };
  const of = async ({ id }: Parsed): Promise<Parsed> =>
    (await list()).find(({ proposal_id: proposal }) => proposal === id);
  await expect.poll(async () => (await of(again))?.error_class, { timeout: 20_000 }).toBe("internal_error");
  await service.database.query("update approval_announcement set due_at = now() where state = 'waiting'");
  await announced(again);
  slack.fail("chat.postMessage", "not_in_channel");
  const never = await proposed();
  await expect.poll(async () => (await of(never))?.state, { timeout: 20_000 }).toBe("failed");
  expect(await of(never)).toMatchObject({
    error_class: "not_in_channel",
    error: "The app is not in the channel. Invite it there.",
  });
});

test("another signing secret ends all links, and no response contains a secret", async () => {
  const set = await owner.call("PUT", "/v1/slack-app", { ...APP, signing_secret: "e".repeat(32) });
  expect(set.text).not.toMatch(/e{32}|xoxb/);
  expect((await owner.call("GET", "/v1/slack-links")).body["data"]).toEqual([]);
  expect((await service.api("GET", "/v1/secrets")).text).not.toContain("slack");
  for (const name of ["$slack.bot_token", "slack.bot_token"])
    expect((await service.api("DELETE", `/v1/secrets/${encodeURIComponent(name)}`)).status).toBe(404);
  expect((await admin.call("PUT", "/v1/slack-app", APP)).body["code"]).toBe("role_not_allowed");
  const byService = await service.api("PUT", "/v1/slack-app", APP, { key: (await otherWorkspace(service)).key });
  expect(byService.body["code"]).toBe("role_not_allowed");
  const rows = await service.database.query<{ text: string }>("select a::text as text from audit_row a");
  expect(rows.map(({ text }) => text).join("\n")).not.toMatch(/xoxb-1-token|e{32}/);
  expect((await owner.call("DELETE", "/v1/slack-app")).status).toBe(204);
  expect((await owner.call("GET", "/v1/slack-app")).status).toBe(404);
});
