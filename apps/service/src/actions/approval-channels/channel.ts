import { ServiceError } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import { mailAddress } from "../../platform/mail/mail.ts";
import { isContractKey } from "../contracts/contract.ts";
import type { ChannelInput, ChannelKind } from "./channels.schemas.ts";
import type { ChannelRow } from "./channels.store.ts";

const DEFAULTS = {
  name: "",
  slack_channel_id: null,
  recipients: [],
  risks: null,
  actions: null,
  after_minutes: 0,
  remind_every_minutes: null,
  decides: true,
  active: true,
} satisfies Partial<ChannelRow>;

type ChannelSettings = Pick<ChannelRow, keyof typeof DEFAULTS>;

/** Returns the settings of a new channel. Throws 422 with every fault. */
export function newSettings(kind: ChannelKind, input: ChannelInput): ChannelSettings {
  return checked(kind, withInput(DEFAULTS, input));
}

/** Returns the settings of a channel after a change. Throws 422 with every fault. */
export function changedSettings(row: ChannelRow, input: ChannelInput): ChannelSettings {
  return checked(row.kind as ChannelKind, withInput(row, input));
}

function withInput(before: ChannelSettings, { decisions, recipients, risks, actions, ...input }: ChannelInput) {
  const { name, slack_channel_id, after_minutes, remind_every_minutes, active } = { ...before, ...input };
  return {
    name,
    slack_channel_id,
    after_minutes,
    remind_every_minutes,
    active,
    decides: decisions ?? before.decides,
    recipients: recipients === undefined ? before.recipients : [...recipients],
    risks: risks === undefined ? before.risks : copied(risks),
    actions: actions === undefined ? before.actions : copied(actions),
  };
}

function copied(list: readonly string[] | null): string[] | null {
  return list === null ? null : [...list];
}

function checked(kind: ChannelKind, settings: ChannelSettings): ChannelSettings {
  const errors = [...(kind === "slack" ? slackFaults(settings) : mailFaults(settings)), ...actionFaults(settings)];
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
  return kind === "slack" ? settings : { ...settings, decides: false };
}

function slackFaults({ slack_channel_id: channel, recipients }: ChannelSettings): Violation[] {
  return [
    ...(channel === null
      ? [fault("/slack_channel_id", "required", "is required: the id of the channel in Slack, such as C0123456789")]
      : []),
    ...(recipients.length > 0 ? [fault("/recipients", "unused", "must be omitted for Slack")] : []),
  ];
}

function mailFaults({ slack_channel_id: channel, recipients }: ChannelSettings): Violation[] {
  return [
    ...(channel === null ? [] : [fault("/slack_channel_id", "unused", "must be omitted for e-mail")]),
    ...(recipients.length === 0 ? [fault("/recipients", "required", "is required: one to ten e-mail addresses")] : []),
    ...recipients.flatMap((address, at) =>
      mailAddress(address) === undefined
        ? [fault(`/recipients/${at}`, "email", "must be one e-mail address, such as approvals@example.com")]
        : [],
    ),
  ];
}

function actionFaults({ actions }: ChannelSettings): Violation[] {
  return (actions ?? []).flatMap((pattern, at) => {
    // The longest key below a prefix has the form of the pattern with another word.
    const isValid = isContractKey(pattern) || (pattern.endsWith(".*") && isContractKey(`${pattern.slice(0, -1)}x`));
    return isValid
      ? []
      : [fault(`/actions/${at}`, "pattern", "must be the key of an action, or a prefix of keys such as billing.*")];
  });
}

function fault(pointer: string, code: string, message: string): Violation {
  return { pointer, code, message };
}

/** Returns whether the channel announces proposals of this action and risk. */
export function takes(
  { risks, actions }: Pick<ChannelRow, "risks" | "actions">,
  proposal: { readonly action: string; readonly risk: string },
): boolean {
  if (risks !== null && !risks.includes(proposal.risk)) return false;
  return actions === null || actions.some((pattern) => covers(pattern, proposal.action));
}

function covers(pattern: string, action: string): boolean {
  return pattern.endsWith(".*") ? action.startsWith(pattern.slice(0, -1)) : pattern === action;
}
