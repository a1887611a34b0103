import { t } from "../../lib/lib.ts";

const VISIBLE = "^[!-~]+$";

const TeamId = t.StringExample("T0123456789", {
  pattern: "^[TE][A-Z0-9]{2,30}$",
  description: "The id of the Slack workspace in which the app is installed.",
});

export const SlackAppBody = t.Object(
  {
    team_id: TeamId,
    signing_secret: t.StringExample("8f742231b10e8888abcd99yyyzzz85a5", {
      minLength: 16,
      maxLength: 200,
      pattern: VISIBLE,
      description:
        "The app's signing secret, from its page “Basic Information”. Stored encrypted and never returned. Anyone who knows it can make up decisions of the linked members.",
      ...t.secret,
    }),
    bot_token: t.StringExample("xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy", {
      minLength: 16,
      maxLength: 500,
      pattern: VISIBLE,
      description:
        "The app's token with the scope `chat:write`, from the page “OAuth & Permissions”. Stored encrypted and never returned.",
      ...t.secret,
    }),
  },
  { ...t.strict, title: "SlackAppSettings" },
);
export type SlackAppInput = t.Static<typeof SlackAppBody>;

export const SlackAppView = t.Object(
  {
    id: t.WireId("slk"),
    object: t.OneOf(["slack_app"]),
    team_id: TeamId,
    request_url: t.StringExample(
      "https://junction.example.com/v1/slack/slk_7k2m9qaw01m7w4q17jeay9df1b7sqp908g/interactions",
      { description: "The URL to enter in Slack as the request URL of “Interactivity & Shortcuts”." },
    ),
    ...t.ownershipFields,
    updated_at: t.Timestamp,
  },
  { title: "SlackApp" },
);

export const LinkCodeView = t.Object(
  {
    object: t.OneOf(["slack_link_code"]),
    code: t.StringExample("7KQ2M-9XWRT", { description: "Works once, for this member. Shown only here." }),
    expires_at: t.Timestamp,
  },
  { title: "SlackLinkCode" },
);
export const LinkParams = t.Object({ id: t.WireId("slu") });
export const LinkListQuery = t.Object(t.PageQuery, t.strict);
export type LinkListQuery = t.Static<typeof LinkListQuery>;
export const LinkListView = t.ListOf(
  t.Object(
    {
      id: t.WireId("slu"),
      object: t.OneOf(["slack_link"]),
      member_id: t.WireId("mem"),
      team_id: t.StringExample("T0123456789"),
      slack_user_id: t.StringExample("U0123456789", { description: "The id of the account in Slack." }),
      ...t.ownershipFields,
    },
    { title: "SlackLink" },
  ),
);

export const AppParams = t.Object({ id: t.WireId("slk") });
/** The answer to Slack: nothing, or what its form is to show. */
export const InteractionAnswer = t.Unsafe<object>({
  type: "object",
  additionalProperties: true,
  title: "SlackInteractionAnswer",
  description: "Empty, or what the form in Slack shows next.",
  examples: [{}],
});
