import { closed, ListOf, OneOf, PageQuery, Sample, Type, WireId } from "../lib/lib.ts";
import { InboxMessage } from "../webhooks/tester/tester.schemas.ts";

export const NameParams = Type.Object({
  name: Sample("laptop", {
    minLength: 1,
    maxLength: 64,
    pattern: "^[a-z0-9][a-z0-9.-]*$",
    description: "Yours to choose, for each environment: letters, digits, dots and dashes.",
  }),
});

export const NamedInboxView = Type.Object(
  {
    object: OneOf(["named_inbox"]),
    name: Sample("laptop"),
    url: Sample("https://junction.example.com/inbox/Zk3vQ1tqJ8wL5xYb2NcR", {
      description: "For the `url` of a webhook endpoint.",
    }),
    waiting: Type.Integer({ minimum: 0, description: "How many messages wait to be taken.", examples: [0] }),
  },
  { title: "NamedInbox" },
);

export const InboxesQuery = Type.Object(PageQuery, { ...closed });
export const InboxesView = ListOf(NamedInboxView);

export const WaitingQuery = Type.Object(PageQuery, { ...closed });
export const WaitingView = ListOf(InboxMessage);

export const TakeBody = Type.Object(
  { ids: Type.Array(WireId("inb"), { minItems: 1, maxItems: 100, description: "Of messages that need not be kept." }) },
  { ...closed, title: "TakeMessages", examples: [{ ids: ["inb_7k2m9qaw01m7w4trtpe5fa2qm9ja6ten3h"] }] },
);
export const TakenView = Type.Object(
  { taken: Type.Integer({ minimum: 0, description: "How many of them waited until now.", examples: [1] }) },
  { title: "TakenMessages" },
);
