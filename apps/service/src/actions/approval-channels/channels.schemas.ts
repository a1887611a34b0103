import {
  readable,
  ListOf,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  strict,
  StringExample,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
import type { Static } from "../../lib/lib.ts";
import { RISKS } from "../contracts/contracts.schemas.ts";

const WEEK_MINUTES = 10_080;

export const CHANNEL_KINDS = ["slack", "email"] as const;
const Kind = OneOf(CHANNEL_KINDS, "The kind of the channel, which does not change.");
const fields = {
  name: StringExample("Refunds", { minLength: 1, maxLength: 100, ...readable }),
  slack_channel_id: Nullable(
    StringExample("C0123456789", {
      pattern: "^[CGD][A-Z0-9]{2,30}$",
      description: "Slack only: the id of the channel, from its details in Slack. The app must be in the channel.",
    }),
  ),
  recipients: Type.Array(StringExample("approvals@example.com", { maxLength: 320 }), {
    maxItems: 10,
    uniqueItems: true,
    description: "E-mail only: the addresses. Anyone who reads them sees the previews.",
  }),
  risks: Nullable(
    Type.Array(OneOf(RISKS), {
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
      description: "The risks of the proposals that are announced. Null: any risk.",
    }),
  ),
  actions: Nullable(
    Type.Array(StringExample("billing.*", { minLength: 1, maxLength: 200 }), {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description:
        "The actions whose proposals are announced: keys, or prefixes such as `billing.*`. Null: all actions, and the approval steps of workflows.",
    }),
  ),
  after_minutes: Type.Integer({
    minimum: 0,
    maximum: WEEK_MINUTES,
    default: 0,
    description:
      "Announces a proposal only when it has waited for this long. A second channel with a longer time is an escalation.",
  }),
  remind_every_minutes: Nullable(
    Type.Integer({
      minimum: 5,
      maximum: WEEK_MINUTES,
      examples: [60],
      description:
        "Announces a proposal that still waits again, each time that this period has passed, at most 20 times.",
    }),
  ),
  decisions: Type.Boolean({
    default: true,
    description:
      "Slack only: whether the message has buttons that approve and reject. They count only for members who have linked their Slack account. Always false for e-mail.",
  }),
  active: Type.Boolean({ default: true, description: "Whether the channel announces, and its buttons decide." }),
};

const { name: _name, ...optional } = Type.Partial(Type.Object(fields)).properties;

export const ChannelParams = Type.Object({ id: WireId("apc") });
export const ChannelBody = Type.Object(
  { kind: Kind, name: fields.name, ...optional },
  { ...strict, title: "NewApprovalChannel" },
);
export const ChannelPatch = Type.Object(
  { name: Type.Optional(fields.name), ...optional },
  { ...strict, minProperties: 1, title: "ApprovalChannelChange" },
);
export type ChannelKind = Static<typeof Kind>;
/** The settings of a channel, as callers set them. Omitted members have their defaults. */
export type ChannelInput = Static<typeof ChannelPatch>;
export const ChannelView = Type.Object(
  {
    id: WireId("apc"),
    object: OneOf(["approval_channel"]),
    kind: Kind,
    ...fields,
    ...ownershipFields,
    updated_at: Timestamp,
  },
  { title: "ApprovalChannel" },
);
export const ChannelListQuery = Type.Object(PageQuery, strict);
export type ChannelListQuery = Static<typeof ChannelListQuery>;
export const ChannelListView = ListOf(ChannelView);
export const ChannelTestView = Type.Object(
  {
    object: OneOf(["approval_channel_test"]),
    ok: Type.Boolean({ description: "Whether the message was sent, or the e-mail was queued." }),
    message: StringExample("The message was sent.", { description: "What works, or what to do." }),
  },
  { title: "ApprovalChannelTest" },
);

export const AnnouncementListView = ListOf(
  Type.Object(
    {
      id: WireId("ann"),
      object: OneOf(["approval_announcement"]),
      channel_id: WireId("apc"),
      proposal_id: WireId("prop"),
      state: OneOf(
        ["waiting", "announced", "closed", "skipped", "failed"],
        "`waiting`: it is sent, or sent again later. `announced`: the proposal waits for a decision. `closed`: the proposal was decided, and the message shows it. `skipped`: nothing was sent, because the proposal was decided before, or the channel was deleted or switched off.",
      ),
      reminders: Type.Integer({ examples: [1], description: "The last period after which a reminder was sent." }),
      attempts: Type.Integer({ examples: [0], description: "The failed attempts of the next or the last step." }),
      max_attempts: Type.Integer({ examples: [6] }),
      error_class: Nullable(StringExample("channel_not_found", { description: "Slack's word for the failure." })),
      error: Nullable(StringExample("The app is not in the channel. Invite it there.")),
      next_attempt_at: Nullable(Timestamp),
      announced_at: Nullable(Timestamp),
      ended_at: Nullable(Timestamp),
      ...ownershipFields,
    },
    { title: "ApprovalAnnouncement" },
  ),
);
