import { t } from "../../lib/lib.ts";
import { InboxMessage } from "./inbox.schemas.ts";

export const NameParams = t.Object({
  name: t.StringExample("laptop", {
    minLength: 1,
    maxLength: 64,
    pattern: "^[a-z0-9][a-z0-9.-]*$",
    description:
      "The name that you choose for the inbox, separately for each environment. Letters, digits, dots and dashes.",
  }),
});

export const NamedInboxView = t.Object(
  {
    object: t.OneOf(["named_inbox"]),
    name: t.StringExample("laptop"),
    url: t.StringExample(
      "https://junction.example.com/inbox/Zk3vQ1tqJ8wL5xYb2NcR",
      "The URL to use as the `url` of a webhook endpoint.",
    ),
    waiting: t.Integer({ minimum: 0, description: "The number of messages that wait to be taken.", examples: [0] }),
  },
  { title: "NamedInbox" },
);

export const InboxesQuery = t.Object(t.PageQuery, { ...t.strict });
export const InboxesView = t.ListOf(NamedInboxView);

export const WaitingQuery = t.Object(t.PageQuery, { ...t.strict });
export const WaitingView = t.ListOf(InboxMessage);

export const TakeBody = t.Object(
  {
    ids: t.Array(t.WireId("inb"), {
      minItems: 1,
      maxItems: 100,
      description: "The ids of messages that no longer need to be kept.",
    }),
  },
  { ...t.strict, title: "TakeMessages", examples: [{ ids: ["inb_7k2m9qaw01m7w4trtpe5fa2qm9ja6ten3h"] }] },
);
export const TakenView = t.Object(
  {
    taken: t.Integer({
      minimum: 0,
      description: "The number of these messages that were still waiting.",
      examples: [1],
    }),
  },
  { title: "TakenMessages" },
);
