import { fromDate, wireId } from "../../lib/lib.ts";
import type { Clock, Instant } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Mail, NewMail } from "../../platform/mail/mail.ts";
import { scopeOf } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { findProposal } from "../proposals/proposals.store.ts";
import type { ProposalRow } from "../proposals/proposals.store.ts";
import { channelMails } from "./channel-mail.ts";
import { LIMITED } from "./announcements.store.ts";
import type { AnnouncementEnd, AnnouncementRow } from "./announcements.store.ts";
import { findChannel } from "./channels.store.ts";
import type { ChannelRow } from "./channels.store.ts";
import { approvalsOf, isFinal } from "./proposal-words.ts";
import type { SlackAnswer, SlackApi, SlackMethod } from "./slack-api.ts";
import type { SlackApps } from "./slack-app.ts";
import { proposalMessage, reminderMessage } from "./slack-message.ts";
import type { SlackMessage } from "./slack-message.ts";

export interface StepDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly api: SlackApi;
  readonly apps: Pick<SlackApps, "token">;
  readonly mail: Pick<Mail, "isOn" | "queue">;
}

/** The result of one try, and the e-mail to queue with it. */
interface Step {
  readonly end: AnnouncementEnd;
  readonly mails: readonly NewMail[];
  readonly place: Scope;
}

interface Turn {
  readonly row: AnnouncementRow;
  readonly scope: Scope;
  readonly proposal: ProposalRow;
  /** Undefined: it was deleted. */
  readonly channel: ChannelRow | undefined;
  readonly now: Instant;
}

const LADDER_SECONDS = [5, 30, 120, 600, 1800];
/** Slack takes about one message a second in a channel. */
const LIMITED_SECONDS = 5;
const MAX_WAIT_SECONDS = 3600;
export const MAX_ATTEMPTS = LADDER_SECONDS.length + 1;
/** A proposal that no one decides is announced again this often at most. */
const MAX_REMINDERS = 20;
/** The message can no longer be changed. */
const GONE: ReadonlySet<string> = new Set(["message_not_found", "cant_update_message", "edit_window_closed"]);

/** Does what is due for an announcement: sends it, reminds of it, or shows what has become of the proposal. */
export async function nextStep(deps: StepDeps, row: AnnouncementRow): Promise<Step> {
  const place = scopeOf(row.workspace_id, row.tag);
  const ended = (end: AnnouncementEnd): Step => ({ end, mails: [], place });
  const proposal = await findProposal(deps.db.query, { ...place, id: row.proposal_id });
  if (proposal === undefined) return ended(closing(row, row.state === "waiting" ? "skipped" : "closed"));
  const channel = await findChannel(deps.db.query, place, row.channel_id);
  const turn = { row, scope: place, proposal, channel, now: deps.clock.now() };
  // The process of the last try was lost, or could not record it.
  if (row.attempts > MAX_ATTEMPTS) return ended(failing(row, refusal("lost")));
  if (row.state === "waiting") return await announced(deps, turn);
  return row.slack_channel_id === null ? reminded(turn) : ended(await announcementRows(deps, turn));
}

function isOpen({ state, expires_at: at }: ProposalRow, now: Instant): boolean {
  return state === "proposed" && fromDate(at) > now;
}

async function announced(deps: StepDeps, turn: Turn): Promise<Step> {
  const { row, scope: place, channel, proposal, now } = turn;
  if (channel?.active !== true || !isOpen(proposal, now)) return { end: closing(row, "skipped"), mails: [], place };
  if (channel.kind === "email") {
    if (!deps.mail.isOn) return { end: failing(row, refusal("mail_off")), mails: [], place };
    return { end: showing(turn), mails: channelMails(channel, proposal.id), place };
  }
  const answer = await post(deps, turn, "chat.postMessage", {
    channel: channel.slack_channel_id,
    ...messageOf(deps, turn),
    ...QUIET,
  });
  if (!answer.ok) return { end: failing(row, answer), mails: [], place };
  const { channel: channelId, ts } = answer.body;
  const at = {
    slack_channel_id: slackId(channelId) ?? channel.slack_channel_id,
    slack_ts: slackId(ts) ?? null,
  };
  return { end: { ...showing(turn), ...at }, mails: [], place };
}

/** Returns an id of Slack's answer. Other texts, such as one with NUL, cannot be stored or sent back. */
function slackId(value: unknown): string | undefined {
  return typeof value === "string" && /^[\x21-\x7e]{1,64}$/.test(value) ? value : undefined;
}

/** An announcement by e-mail is not changed: the page that it links to shows what has become of the proposal. */
function reminded(turn: Turn): Step {
  const { row, scope: place, channel, proposal, now } = turn;
  if (!isOpen(proposal, now)) return { end: closing(row, "closed"), mails: [], place };
  if (!isReminderDue(turn) || channel === undefined) return { end: showing(turn), mails: [], place };
  return { end: withReminder(turn), mails: channelMails(channel, proposal.id), place };
}

/** Changes the message in Slack if the proposal has changed, or reminds of it. */
async function announcementRows(deps: StepDeps, turn: Turn): Promise<AnnouncementEnd> {
  const { row, proposal } = turn;
  const isChanged = proposal.state !== row.shown_state || approvalsOf(proposal) !== row.shown_approvals;
  if (isChanged) return await updated(deps, turn);
  return isReminderDue(turn) ? await remindedInThread(deps, turn) : showing(turn);
}

async function updated(deps: StepDeps, turn: Turn): Promise<AnnouncementEnd> {
  const { row, proposal } = turn;
  const place = { channel: row.slack_channel_id, ts: row.slack_ts };
  const answer = await post(deps, turn, "chat.update", { ...place, ...messageOf(deps, turn), ...QUIET });
  if (!answer.ok && !GONE.has(answer.error)) return failing(row, answer);
  return isFinal(proposal.state) ? { ...showing(turn), state: "closed", delaySeconds: null } : showing(turn);
}

async function remindedInThread(deps: StepDeps, turn: Turn): Promise<AnnouncementEnd> {
  const { row, scope, proposal } = turn;
  const answer = await post(deps, turn, "chat.postMessage", {
    channel: row.slack_channel_id,
    ...(row.slack_ts === null ? {} : { thread_ts: row.slack_ts, reply_broadcast: true }),
    ...reminderMessage({ scope, baseUrl: deps.baseUrl, row: proposal }),
    ...QUIET,
  });
  const failed = answer.ok ? undefined : failing(row, answer);
  // The message itself still waits for its decision, so that a reminder that cannot be sent is left out.
  return failed?.state === "announced" ? failed : withReminder(turn);
}

/** Slack neither finds links and mentions in the message nor fetches what it names. */
const QUIET = { parse: "none", link_names: false, unfurl_links: false, unfurl_media: false };

async function post(
  { api, apps }: StepDeps,
  { scope }: Turn,
  method: SlackMethod,
  body: Readonly<Record<string, unknown>>,
): Promise<SlackAnswer> {
  const token = await apps.token(scope);
  if (token === null) return refusal("slack_app_missing");
  return await api.call(token, method, body);
}

function messageOf({ baseUrl }: StepDeps, { scope, row, proposal, channel }: Turn): SlackMessage {
  const id = wireId("ann", scope.tag, row.id);
  return proposalMessage({
    scope,
    baseUrl,
    row: proposal,
    announcement: channel?.active === true && channel.decides ? id : null,
  });
}

/** The message shows the proposal as it is now. */
function showing(turn: Turn): AnnouncementEnd {
  const { row, proposal } = turn;
  return {
    ...same(row),
    state: "announced",
    shown_state: proposal.state,
    shown_approvals: approvalsOf(proposal),
    delaySeconds: untilReminder(turn),
  };
}

function withReminder(turn: Turn): AnnouncementEnd {
  return { ...showing(turn), reminders: periodOf(turn) };
}

function same({ shown_state, shown_approvals, slack_channel_id, slack_ts, reminders }: AnnouncementRow) {
  return { shown_state, shown_approvals, slack_channel_id, slack_ts, reminders, error_class: null, error: null };
}

function closing(row: AnnouncementRow, state: "skipped" | "closed"): AnnouncementEnd {
  return { ...same(row), state, delaySeconds: null };
}

/** Slack's word says what to do. It contains no secret. */
function failing(row: AnnouncementRow, answer: SlackAnswer & { readonly ok: false }): AnnouncementEnd {
  const { error, isPassing, waitSeconds } = answer;
  const step = error === LIMITED ? LIMITED_SECONDS : LADDER_SECONDS[row.attempts - 1];
  const isAgain = isPassing && step !== undefined;
  // A message that was sent and can no longer be changed stays as it is: its buttons do nothing then.
  const last = row.state === "waiting" ? "failed" : "closed";
  return {
    ...same(row),
    state: isAgain ? (row.state as "waiting" | "announced") : last,
    error_class: error,
    error: slackFault(error),
    delaySeconds: isAgain ? Math.max(step, Math.min(waitSeconds, MAX_WAIT_SECONDS)) : null,
  };
}

function refusal(error: string): SlackAnswer & { readonly ok: false } {
  return { ok: false, error, isPassing: false, waitSeconds: 0 };
}

const FAULTS: Readonly<Record<string, string>> = {
  slack_app_missing: "This environment has no Slack app. Set one with PUT /v1/slack-app.",
  channel_not_found: "Slack knows no channel with this id, or the app is not in it. Invite the app to the channel.",
  not_in_channel: "The app is not in the channel. Invite it there.",
  is_archived: "The channel is archived in Slack.",
  invalid_auth: "Slack does not accept the token. Install the app again, and set the new token.",
  account_inactive: "The app was removed from the Slack workspace. Install it again, and set the new token.",
  token_revoked: "The token was revoked. Install the app again, and set the new token.",
  missing_scope: "The app lacks the scope chat:write. Add it, and install the app again.",
  mail_off: "The operator has set no mail server.",
  ratelimited: "Slack has too many messages of the app, and takes this one later.",
  lost: "The process that sent the message was lost in the last try.",
};

/** Returns what to do about a failure of Slack, for people. */
export function slackFault(error: string): string {
  return FAULTS[error] ?? `Slack cannot be reached, or did not accept the call (${error}).`;
}

/** Returns the number of whole periods between reminders that have passed; 0 if there is nothing to remind of. */
function periodOf(turn: Turn): number {
  const every = everySeconds(turn);
  return every === null ? 0 : Math.floor(waitedSeconds(turn) / every);
}

/** Periods that passed while no one could be reminded are not made up for. */
function isReminderDue(turn: Turn): boolean {
  const { reminders } = turn.row;
  return reminders < MAX_REMINDERS && periodOf(turn) > reminders;
}

function everySeconds({ channel, proposal, now }: Turn): number | null {
  if (channel?.active !== true || !isOpen(proposal, now) || channel.remind_every_minutes === null) return null;
  return channel.remind_every_minutes * 60;
}

function waitedSeconds({ row, now }: Turn): number {
  return row.announced_at === null ? 0 : (now - fromDate(row.announced_at)) / 1000;
}

/** Returns the seconds until the next period ends. */
function untilReminder(turn: Turn): number | null {
  const every = everySeconds(turn);
  if (every === null || turn.row.reminders >= MAX_REMINDERS) return null;
  return every * (periodOf(turn) + 1) - waitedSeconds(turn);
}
