import {
  ListOf,
  OneOf,
  ownershipFields,
  PageQuery,
  secret,
  strict,
  StringExample,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
import type { Static } from "../../lib/lib.ts";

const VISIBLE = "^[!-~]+$";

const TeamId = StringExample("T0123456789", {
  pattern: "^[TE][A-Z0-9]{2,30}$",
  description: "The id of the Slack workspace in which the app is installed.",
});

export const SlackAppBody = Type.Object(
  {
    team_id: TeamId,
    signing_secret: StringExample("8f742231b10e8888abcd99yyyzzz85a5", {
      minLength: 16,
      maxLength: 200,
      pattern: VISIBLE,
      description:
        "The app's signing secret, from its page “Basic Information”. Stored encrypted and never returned. Anyone who knows it can make up decisions of the linked members.",
      ...secret,
    }),
    bot_token: StringExample("xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy", {
      minLength: 16,
      maxLength: 500,
      pattern: VISIBLE,
      description:
        "The app's token with the scope `chat:write`, from the page “OAuth & Permissions”. Stored encrypted and never returned.",
      ...secret,
    }),
  },
  { ...strict, title: "SlackAppSettings" },
);
export type SlackAppInput = Static<typeof SlackAppBody>;

export const SlackAppView = Type.Object(
  {
    id: WireId("slk"),
    object: OneOf(["slack_app"]),
    team_id: TeamId,
    request_url: StringExample(
      "https://junction.example.com/v1/slack/slk_7k2m9qaw01m7w4q17jeay9df1b7sqp908g/interactions",
      { description: "The URL to enter in Slack as the request URL of “Interactivity & Shortcuts”." },
    ),
    ...ownershipFields,
    updated_at: Timestamp,
  },
  { title: "SlackApp" },
);

export const LinkCodeView = Type.Object(
  {
    object: OneOf(["slack_link_code"]),
    code: StringExample("7KQ2M-9XWRT", { description: "Works once, for this member. Shown only here." }),
    expires_at: Timestamp,
  },
  { title: "SlackLinkCode" },
);
export const LinkParams = Type.Object({ id: WireId("slu") });
export const LinkListQuery = Type.Object(PageQuery, strict);
export type LinkListQuery = Static<typeof LinkListQuery>;
export const LinkListView = ListOf(
  Type.Object(
    {
      id: WireId("slu"),
      object: OneOf(["slack_link"]),
      member_id: WireId("mem"),
      team_id: StringExample("T0123456789"),
      slack_user_id: StringExample("U0123456789", { description: "The id of the account in Slack." }),
      ...ownershipFields,
    },
    { title: "SlackLink" },
  ),
);

export const AppParams = Type.Object({ id: WireId("slk") });
/** The answer to Slack: nothing, or what its form is to show. */
export const InteractionAnswer = Type.Unsafe<object>({
  type: "object",
  additionalProperties: true,
  title: "SlackInteractionAnswer",
  description: "Empty, or what the form in Slack shows next.",
  examples: [{}],
});
