import { afterAll, beforeAll, expect, test } from "vitest";
import { withPasskey } from "../../../testing/authenticator.ts";
import type { Authenticator } from "../../../testing/authenticator.ts";
import { agentKey, callOperatorTool } from "../../../testing/operator-tools.ts";
import { joined, OWNER, signIn } from "../../../testing/people.ts";
import type { TestPerson } from "../../../testing/people.ts";
import { startService } from "../../../testing/service.ts";
import { interactionBody, linkAccount, postAsSlack } from "../../../testing/slack-app.ts";
import { startSlack } from "../../../testing/slack.ts";
import type { SlackMessageRow, SlackStandIn } from "../../../testing/slack.ts";
import { UNLIMITED } from "../../../testing/subscription.ts";
import type { Parsed, TestService } from "../../../testing/test-service.ts";

const APP = { team_id: "T0SHOP", signing_secret: "f".repeat(32), bot_token: "xoxb-1-token-of-the-shop" };
const CHANNEL = "C0OPERATORS";

let slack: SlackStandIn;
let service: TestService;
let admin: TestPerson;
let passkey: Authenticator;
let requestUrl: string;
let key: string;

beforeAll(async () => {
  slack = await startSlack({ teamId: APP.team_id, token: APP.bot_token, channels: [CHANNEL] });
  service = await startService({ env: { ...UNLIMITED, JUNCTION_SLACK_API_URL: slack.url } });
  const owner = await signIn(service, OWNER);
  requestUrl = (await owner.call("PUT", "/v1/slack-app", APP)).body["request_url"];
  await owner.call("POST", "/v1/approval-channels", { kind: "slack", name: "Changes", slack_channel_id: CHANNEL });
  admin = await joined(service, "admin");
  await linkAccount(service, admin, { ...APP, userId: "U0ADMIN" });
  ({ key: passkey } = await withPasskey(service.baseUrl, admin));
  ({ key } = await agentKey(service, ["ops:write"]));
});
afterAll(async () => {
  await service.close();
  await slack.close();
});

/** Creates an endpoint whose description is long, and proposes to toggle it. */
async function proposed(): Promise<{ readonly endpoint: string; readonly proposal: Parsed }> {
  const { id } = await service.endpoint("http://127.0.0.1:9/", { description: "x".repeat(450) });
  const { structuredContent } = await callOperatorTool(service, key, "endpoints_write", { action: "toggle", id });
  return { endpoint: id, proposal: structuredContent.proposal };
}

const isActive = async (id: string): Promise<boolean> =>
  (await service.api("GET", `/v1/webhook-endpoints/${id}`)).body["active"];
const stateOf = async ({ id }: Parsed): Promise<string> =>
  (await service.api("GET", `/v1/proposals/${id}`)).body["state"];

const buttonsOf = ({ blocks }: SlackMessageRow): Parsed[] => blocks.flatMap(({ elements = [] }) => elements);

/** Returns the message about a proposal, once it is there. */
async function announced({ id }: Parsed): Promise<SlackMessageRow> {
  const find = (): SlackMessageRow | undefined =>
    slack.messages.find((one) => buttonsOf(one).some(({ url = "" }) => url.endsWith(`/${String(id)}`)));
  await expect.poll(find).toBeDefined();
  return find() as SlackMessageRow;
}

async function tap(message: SlackMessageRow, word: string): Promise<void> {
  const button = buttonsOf(message).find(({ text }) => text?.text === word);
  const body = interactionBody({
    type: "block_actions",
    team: { id: APP.team_id, domain: "shop" },
    user: { id: "U0ADMIN", username: "admin", team_id: APP.team_id },
    container: { type: "message", message_ts: message.ts, channel_id: message.channel },
    channel: { id: message.channel, name: "operators" },
    trigger_id: "1.1",
    actions: [{ type: "button", action_id: button?.action_id, value: button?.value, action_ts: "1.2" }],
  });
  expect((await postAsSlack(requestUrl, body, { secret: APP.signing_secret })).status).toBe(200);
}

test("a tap in Slack approves a write, whose message shows count, example and arguments", async () => {
  const { endpoint, proposal } = await proposed();
  const message = await announced(proposal);
  const shown = JSON.stringify(message.blocks);
  for (const part of ["Change endpoints: toggle", "It changes 1 object", "example", endpoint, "127.0.0.1:9"])
    expect(shown).toContain(part);
  await tap(message, "Approve");
  await expect.poll(async () => await stateOf(proposal)).toBe("executed");
  expect(await isActive(endpoint)).toBe(false);
  const { body } = await service.api("GET", `/v1/proposals/${proposal.id}`);
  expect(body.approvals).toMatchObject([{ by: { id: admin.memberId }, via: "slack" }]);
});

test("a tap in Slack rejects a write, and nothing changes", async () => {
  const { endpoint, proposal } = await proposed();
  await tap(await announced(proposal), "Reject");
  await expect.poll(async () => await stateOf(proposal)).toBe("rejected");
  expect(await isActive(endpoint)).toBe(true);
});

test("where the workspace asks for a passkey, only its proof for this write approves", async () => {
  const settings = { settings: { require_step_up: true } };
  expect((await (await signIn(service, OWNER)).call("PATCH", "/v1/workspaces/current", settings)).status).toBe(200);
  const { endpoint, proposal } = await proposed();
  const other = (await proposed()).proposal;
  await tap(await announced(proposal), "Approve");
  const notes = (): string => JSON.stringify(slack.messages.filter(({ user }) => user === "U0ADMIN"));
  await expect.poll(notes).toContain(proposal.approve_url);
  const approve = async ({ id, params_hash: hash }: Parsed): Promise<Parsed> =>
    (await admin.call("POST", `/v1/proposals/${id}/approve`, { params_hash: hash })).body;
  expect([(await approve(proposal)).code, await isActive(endpoint)]).toEqual(["step_up_required", true]);
  const named = { proposals: [{ id: proposal.id, params_hash: proposal.params_hash }] };
  const begun = await admin.call("POST", "/v1/step-ups", named);
  const assertion = passkey.get(begun.body["passkey_request"]);
  expect((await admin.call("POST", `/v1/step-ups/${begun.body["id"]}/prove`, { assertion })).status).toBe(200);
  expect((await approve(other)).code).toBe("step_up_required");
  const approved = await approve(proposal);
  expect([approved.state, approved.approvals[0].step_up]).toEqual(["executed", "webauthn"]);
  expect(await isActive(endpoint)).toBe(false);
});
