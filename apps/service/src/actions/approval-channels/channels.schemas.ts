import { t } from "../../lib/lib.ts";
import { RISKS } from "../contracts/contracts.schemas.ts";

const WEEK_MINUTES = 10_080;

export const CHANNEL_KINDS = ["slack", "email"] as const;
const Kind = t.OneOf(CHANNEL_KINDS, "The kind of the channel, which does not change.");
const fields = {
  name: t.StringExample("Refunds", { minLength: 1, maxLength: 100, ...t.readable }),
  slack_channel_id: t.Nullable(
    t.StringExample("C0123456789", {
      pattern: "^[CGD][A-Z0-9]{2,30}$",
      description: "Slack only: the id of the channel, from its details in Slack. The app must be in the channel.",
    }),
  ),
  recipients: t.Array(t.StringExample("approvals@example.com", { maxLength: 320 }), {
    maxItems: 10,
    uniqueItems: true,
    description: "E-mail only: the addresses. Anyone who reads them sees the previews.",
  }),
  risks: t.Nullable(
    t.Array(t.OneOf(RISKS), {
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
      description: "The risks of the proposals that are announced. Null: any risk.",
    }),
  ),
  actions: t.Nullable(
    t.Array(t.StringExample("billing.*", { minLength: 1, maxLength: 200 }), {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description:
        "The actions whose proposals are announced: keys, or prefixes such as `billing.*`. Null: all actions, and the approval steps of workflows.",
    }),
  ),
  after_minutes: t.Integer({
    minimum: 0,
    maximum: WEEK_MINUTES,
    default: 0,
    description:
      "Announces a proposal only when it has waited for this long. A second channel with a longer time is an escalation.",
  }),
  remind_every_minutes: t.Nullable(
    t.Integer({
      minimum: 5,
      maximum: WEEK_MINUTES,
      examples: [60],
      description:
        "Announces a proposal that still waits again, each time that this period has passed, at most 20 times.",
    }),
  ),
  decisions: t.Boolean({
    default: true,
    description:
      "Slack only: whether the message has buttons that approve and reject. They count only for members who have linked their Slack account. Always false for e-mail.",
  }),
  active: t.Boolean({ default: true, description: "Whether the channel announces, and its buttons decide." }),
};

const { name: _name, ...optional } = t.Partial(t.Object(fields)).properties;

export const ChannelParams = t.Object({ id: t.WireId("apc") });
export const ChannelBody = t.Object(
  { kind: Kind, name: fields.name, ...optional },
  { ...t.strict, title: "NewApprovalChannel" },
);
export const ChannelPatch = t.Object(
  { name: t.Optional(fields.name), ...optional },
  { ...t.strict, minProperties: 1, title: "ApprovalChannelChange" },
);
export type ChannelKind = t.Static<typeof Kind>;
/** The settings of a channel, as callers set them. Omitted members have their defaults. */
export type ChannelInput = t.Static<typeof ChannelPatch>;
export const ChannelView = t.Object(
  {
    id: t.WireId("apc"),
    object: t.OneOf(["approval_channel"]),
    kind: Kind,
    ...fields,
    ...t.ownershipFields,
    updated_at: t.Timestamp,
  },
  { title: "ApprovalChannel" },
);
export const ChannelListQuery = t.Object(t.PageQuery, t.strict);
export type ChannelListQuery = t.Static<typeof ChannelListQuery>;
export const ChannelListView = t.ListOf(ChannelView);
export const ChannelTestView = t.Object(
  {
    object: t.OneOf(["approval_channel_test"]),
    ok: t.Boolean({ description: "Whether the message was sent, or the e-mail was queued." }),
    message: t.StringExample("The message was sent.", { description: "What works, or what to do." }),
  },
  { title: "ApprovalChannelTest" },
);

export const AnnouncementListView = t.ListOf(
  t.Object(
    {
      id: t.WireId("ann"),
      object: t.OneOf(["approval_announcement"]),
      channel_id: t.WireId("apc"),
      proposal_id: t.WireId("prop"),
      state: t.OneOf(
        ["waiting", "announced", "closed", "skipped", "failed"],
        "`waiting`: it is sent, or sent again later. `announced`: the proposal waits for a decision. `closed`: the proposal was decided, and the message shows it. `skipped`: nothing was sent, because the proposal was decided before, or the channel was deleted or switched off.",
      ),
      reminders: t.Integer({ examples: [1], description: "The last period after which a reminder was sent." }),
      attempts: t.Integer({ examples: [0], description: "The failed attempts of the next or the last step." }),
      max_attempts: t.Integer({ examples: [6] }),
      error_class: t.Nullable(t.StringExample("channel_not_found", { description: "Slack's word for the failure." })),
      error: t.Nullable(t.StringExample("The app is not in the channel. Invite it there.")),
      next_attempt_at: t.Nullable(t.Timestamp),
      announced_at: t.Nullable(t.Timestamp),
      ended_at: t.Nullable(t.Timestamp),
      ...t.ownershipFields,
    },
    { title: "ApprovalAnnouncement" },
  ),
);
