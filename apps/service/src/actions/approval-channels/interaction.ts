import { isRecord, parseJson, resultOf } from "../../lib/lib.ts";
import { APPROVE, CODE_FIELD, LINK, LINK_FORM, REJECT } from "./slack-message.ts";
import type { SlackAccount } from "./slack.store.ts";

interface Interaction {
  readonly account: SlackAccount;
  /** The Slack workspace in which the message or the form stands. */
  readonly teamId: string;
  /** Opens a form within three seconds. */
  readonly triggerId: string;
}

/** A button that decides. */
export interface Tap extends Interaction {
  readonly kind: "tap";
  readonly decision: "approve" | "reject";
  readonly announcementId: string;
  /** Hex: the hash of what the message showed. */
  readonly paramsHash: string;
  readonly channelId: string;
  readonly messageTs: string;
}

/** A request of Slack, as far as it means something. */
export type SlackRequest =
  | Tap
  | (Interaction & { readonly kind: "link" })
  | (Interaction & { readonly kind: "code"; readonly code: string })
  | { readonly kind: "nothing" };

const NOTHING: SlackRequest = { kind: "nothing" };
const DECISIONS: ReadonlyMap<string | undefined, Tap["decision"]> = new Map([
  [APPROVE, "approve"],
  [REJECT, "reject"],
]);
const ID = /^[A-Z0-9]{2,40}$/;
const VALUE = /^(ann_[0-9a-z]+) ([0-9a-f]{64})$/;
const TS = /^\d{1,20}\.\d{1,10}$/;

/** Reads the body of an interaction: a form whose `payload` is JSON. What is not known means nothing. */
export function readInteraction(form: URLSearchParams): SlackRequest {
  const payload = resultOf(() => parseJson(form.get("payload") ?? ""));
  if (!isRecord(payload)) return NOTHING;
  const of = interactionOf(payload);
  if (of === undefined) return NOTHING;
  if (payload["type"] === "view_submission") return codeOf(payload, of);
  return payload["type"] === "block_actions" ? buttonOf(payload, of) : NOTHING;
}

type Payload = Readonly<Record<string, unknown>>;

function interactionOf(payload: Payload): Interaction | undefined {
  const [team, user] = [member(payload, "team"), member(payload, "user")];
  const [teamId, userId] = [idIn(team), idIn(user)];
  if (teamId === undefined || userId === undefined) return undefined;
  // A person of another Slack workspace, who is in a shared channel, has a team of their own.
  const account = { userId, teamId: textIn(user, "team_id") ?? teamId };
  return { account, teamId, triggerId: textIn(payload, "trigger_id") ?? "" };
}

function buttonOf(payload: Payload, of: Interaction): SlackRequest {
  const [action] = Array.isArray(payload["actions"]) ? (payload["actions"] as unknown[]) : [];
  const name = textIn(action, "action_id");
  if (name === LINK) return { ...of, kind: "link" };
  const decision = DECISIONS.get(name);
  return decision === undefined ? NOTHING : tapOf(payload, { ...of, decision, value: textIn(action, "value") ?? "" });
}

function tapOf(
  payload: Payload,
  { value, ...of }: Interaction & Pick<Tap, "decision"> & { readonly value: string },
): SlackRequest {
  const carried = VALUE.exec(value);
  const channelId = idIn(member(payload, "channel"));
  const messageTs = matched(TS, textIn(member(payload, "container"), "message_ts"));
  if (carried === null || channelId === undefined || messageTs === undefined) return NOTHING;
  const [, announcementId = "", paramsHash = ""] = carried;
  return { ...of, kind: "tap", announcementId, paramsHash, channelId, messageTs };
}

function codeOf(payload: Payload, of: Interaction): SlackRequest {
  const view = member(payload, "view");
  if (textIn(view, "callback_id") !== LINK_FORM) return NOTHING;
  const field = member(member(member(member(view, "state"), "values"), CODE_FIELD), CODE_FIELD);
  return { ...of, kind: "code", code: (textIn(field, "value") ?? "").slice(0, 40) };
}

function member(of: unknown, name: string): unknown {
  return isRecord(of) ? of[name] : undefined;
}

function textIn(of: unknown, name: string): string | undefined {
  const text = member(of, name);
  return typeof text === "string" ? text : undefined;
}

function idIn(of: unknown): string | undefined {
  return matched(ID, textIn(of, "id"));
}

function matched(form: RegExp, text: string | undefined): string | undefined {
  return text !== undefined && form.test(text) ? text : undefined;
}
