import type { Scope } from "../../accounts/accounts.ts";
import { slackFault } from "./announcement-step.ts";
import type { StepDeps } from "./announcement-step.ts";
import type { ChannelRow } from "./channels.store.ts";
import { linkMessage } from "./slack-message.ts";
import { findSlackApp } from "./slack.store.ts";

export type ChannelTestDeps = Omit<StepDeps, "clock">;

/** Sends a message that says only that the channel works. A failed test is a result too, whose `message` says what to do. */
export async function tryChannel(deps: ChannelTestDeps, scope: Scope, channel: ChannelRow) {
  const fault = channel.kind === "slack" ? await trySlack(deps, scope, channel) : await tryMail(deps, scope, channel);
  const done =
    channel.kind === "slack" ? "The message was sent." : "The e-mail is queued. Its outcome is under /v1/mails.";
  return { object: "approval_channel_test" as const, ok: fault === undefined, message: fault ?? done };
}

async function trySlack(
  { db, baseUrl, api, apps }: ChannelTestDeps,
  scope: Scope,
  { slack_channel_id: channel, name }: ChannelRow,
): Promise<string | undefined> {
  const [app, token] = [await findSlackApp(db.query, scope), await apps.token(scope)];
  if (app === undefined || token === null) return slackFault("slack_app_missing");
  const who = await api.call(token, "auth.test", {});
  if (!who.ok) return slackFault(who.error);
  const teamId = who.body["team_id"];
  if (teamId !== app.team_id)
    return `The token belongs to the Slack workspace ${typeof teamId === "string" ? teamId.slice(0, 64) : "without an id"}, and team_id is ${app.team_id}. Set the app again.`;
  const text = `Junction announces approvals here (${name}). To decide here, link your account once: open ${baseUrl}/account, choose “Link a Slack account”, and enter the code.`;
  const sent = await api.call(token, "chat.postMessage", { channel, ...linkMessage(text) });
  return sent.ok ? undefined : slackFault(sent.error);
}

async function tryMail({ db, mail }: ChannelTestDeps, scope: Scope, channel: ChannelRow): Promise<string | undefined> {
  if (!mail.isOn) return slackFault("mail_off");
  const mails = channel.recipients.map((recipient) => ({
    purpose: "approval_channel" as const,
    memberId: null,
    recipient,
    facts: { channel_id: channel.id, test: "true" },
  }));
  await db.transaction(async (tx) => await mail.queue(tx, scope, mails));
  return undefined;
}
