import { afterAll, beforeAll, expect, test } from "vitest";
import { joined, OWNER, signIn } from "../testing/people.ts";
import { startService } from "../testing/service.ts";
import { interactionBody, linkAccount, postAsSlack } from "../testing/slack-app.ts";
import { startSlack } from "../testing/slack.ts";
import type { SlackMessageRow, SlackStandIn } from "../testing/slack.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";

const APP = { team_id: "T0SHOP", signing_secret: "f".repeat(32), bot_token: "xoxb-1-token-of-the-shop" };
const CHANNEL = "C0CHANGES";
const USER = "U0ADMIN";

let slack: SlackStandIn;
let service: TestService;
let requestUrl: string;

beforeAll(async () => {
  slack = await startSlack({ teamId: APP.team_id, token: APP.bot_token, channels: [CHANNEL] });
  service = await startService({ env: { ...UNLIMITED, JUNCTION_SLACK_API_URL: slack.url } });
  const owner = await signIn(service, OWNER);
  requestUrl = (await owner.call("PUT", "/v1/slack-app", APP)).body["request_url"];
  const channel = { kind: "slack", name: "Changes", slack_channel_id: CHANNEL };
  await owner.call("POST", "/v1/approval-channels", channel);
  await linkAccount(service, await joined(service, "admin"), { ...APP, userId: USER });
  await owner.call("PATCH", "/v1/workspaces/current", { settings: { require_approval_for_configuration: true } });
});
afterAll(async () => {
  await service.close();
  await slack.close();
});

const buttonsOf = ({ blocks }: SlackMessageRow): Parsed[] =>
  blocks.filter(({ type }) => type === "actions").flatMap(({ elements }) => elements);

/** Requests the application of inboxes, and returns the proposal with its message. */
async function announced(inboxes: readonly object[]): Promise<{ proposal: Parsed; message: SlackMessageRow }> {
  const plan = await service.api("POST", "/v1/configuration/plans", { configuration: { version: 1, inboxes } });
  const asked = await service.api("POST", `/v1/configuration/plans/${plan.body["id"]}/apply`, {});
  const isOfIt = (one: SlackMessageRow): boolean =>
    buttonsOf(one).some(({ url = "" }) => url === asked.body["approve_url"]);
  await expect.poll(() => slack.messages.some(isOfIt), { timeout: 20_000 }).toBe(true);
  return { proposal: asked.body, message: slack.messages.find(isOfIt) as SlackMessageRow };
}

test("a plan is shown with its changes, and approved by a tap", async () => {
  const { proposal, message } = await announced([{ name: "by-slack" }]);
  expect(JSON.stringify(message.blocks)).toContain("create inbox\\nby-slack");
  const { action_id, value } = buttonsOf(message).find(({ text }) => text.text === "Approve");
  const body = interactionBody({
    type: "block_actions",
    team: { id: APP.team_id, domain: "shop" },
    user: { id: USER, username: "ines", team_id: APP.team_id },
    container: { type: "message", message_ts: message.ts, channel_id: message.channel },
    channel: { id: message.channel, name: "changes" },
    trigger_id: "1.1",
    actions: [{ type: "button", action_id, value, action_ts: "1.2" }],
  });
  await postAsSlack(requestUrl, body, { secret: APP.signing_secret });
  const state = async (): Promise<unknown> => (await service.api("GET", `/v1/proposals/${proposal.id}`)).body["state"];
  await expect.poll(state, { timeout: 20_000 }).toBe("executed");
  expect((await service.api("GET", "/v1/configuration")).text).toContain("by-slack");
});

test("a plan that is larger than a message has no button that approves", async () => {
  const { message } = await announced(Array.from({ length: 60 }, (_, at) => ({ name: `large-${at}` })));
  expect(buttonsOf(message).map(({ text }) => text.text)).toEqual(["Open in Junction"]);
});
