import { strict, ListOf, OneOf, PageQuery, StringExample, Type, WireId } from "../../lib/lib.ts";
import { InboxMessage } from "./inbox.schemas.ts";

export const NameParams = Type.Object({
  name: StringExample("laptop", {
    minLength: 1,
    maxLength: 64,
    pattern: "^[a-z0-9][a-z0-9.-]*$",
    description:
      "The name that you choose for the inbox, separately for each environment. Letters, digits, dots and dashes.",
  }),
});

export const NamedInboxView = Type.Object(
  {
    object: OneOf(["named_inbox"]),
    name: StringExample("laptop"),
    url: StringExample("https://junction.example.com/inbox/Zk3vQ1tqJ8wL5xYb2NcR", {
      description: "The URL to use as the `url` of a webhook endpoint.",
    }),
    waiting: Type.Integer({ minimum: 0, description: "The number of messages that wait to be taken.", examples: [0] }),
  },
  { title: "NamedInbox" },
);

export const InboxesQuery = Type.Object(PageQuery, { ...strict });
export const InboxesView = ListOf(NamedInboxView);

export const WaitingQuery = Type.Object(PageQuery, { ...strict });
export const WaitingView = ListOf(InboxMessage);

export const TakeBody = Type.Object(
  {
    ids: Type.Array(WireId("inb"), {
      minItems: 1,
      maxItems: 100,
      description: "The ids of messages that no longer need to be kept.",
    }),
  },
  { ...strict, title: "TakeMessages", examples: [{ ids: ["inb_7k2m9qaw01m7w4trtpe5fa2qm9ja6ten3h"] }] },
);
export const TakenView = Type.Object(
  {
    taken: Type.Integer({
      minimum: 0,
      description: "The number of these messages that were still waiting.",
      examples: [1],
    }),
  },
  { title: "TakenMessages" },
);
