import type { Readable } from "node:stream";
import {
  strict,
  ListOf,
  DateTimeFilter,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  StringExample,
  Timestamp,
  Type,
  WireId,
} from "../lib/lib.ts";
import { ACTIVITY_KINDS } from "./activity.store.ts";
import {
  MAX_ASSIGNEE,
  MAX_EVENT_TYPE,
  MAX_EXTERNAL_ID,
  MAX_NAME,
  MAX_STAGE,
  MAX_SUBJECT,
  MAX_SUMMARY,
  MAX_TAG,
  MAX_WORD,
} from "./plain-text.ts";

const words = (maxLength: number, example: string, description?: string) =>
  StringExample(example, {
    minLength: 1,
    maxLength,
    ...(description === undefined ? {} : { description }),
  });

const Email = words(320, "ada.moreau@example.com", "Case-insensitive: compared and stored case-folded.");
const ExternalId = words(MAX_EXTERNAL_ID, "cus_4711", "Your own id (`external_id`).");
const Name = words(MAX_NAME, "Ada Moreau");
const Stage = words(
  MAX_STAGE,
  "customer",
  "The stage of the person, such as lead, trial, customer or churned. Any word is accepted.",
);
const Score = Type.Number({ minimum: -1e12, maximum: 1e12, examples: [42] });
const Tags = Type.Array(words(MAX_TAG, "vip"), { maxItems: 100 });
const Optional = Type.Optional;

const personMembers = {
  email: Optional(Email),
  name: Optional(Nullable(Name)),
  lifecycle_stage: Optional(Nullable(Stage)),
  score: Optional(Score),
  tags: Optional(Tags),
};
const ExternalIds = Type.Array(ExternalId, { maxItems: 100 });

export const ContactParams = Type.Object({ id: WireId("con") });
export const TicketParams = Type.Object({ id: WireId("tkt") });
export const ExternalIdParams = Type.Object({ id: ExternalId });

export const ContactBody = Type.Object(
  { ...personMembers, external_ids: Optional(ExternalIds) },
  { ...strict, title: "NewContact" },
);
export const ContactPatch = Type.Object(
  {
    ...personMembers,
    external_ids: Optional(ExternalIds),
    email_aliases: Optional(
      Type.Array(Email, {
        maxItems: 100,
        description: "All other e-mail addresses of the contact. The list replaces the current one.",
      }),
    ),
  },
  { ...strict, title: "ContactChange" },
);
export const CustomerBody = Type.Object(personMembers, { ...strict, title: "CustomerChange" });
export const MergeBody = Type.Object({ into: WireId("con") }, { ...strict, title: "ContactMerge" });

const person = {
  id: WireId("con"),
  email: Nullable(StringExample("ada.moreau@example.com")),
  email_aliases: Type.Array(StringExample("ada@example.com")),
  name: Nullable(StringExample("Ada Moreau")),
  external_ids: Type.Array(StringExample("cus_4711")),
  lifecycle_stage: Nullable(StringExample("customer")),
  score: Type.Number({ examples: [42] }),
  tags: Type.Array(StringExample("vip")),
  tickets_open: Type.Integer({
    minimum: 0,
    examples: [1],
    description: "The number of tickets that are not resolved or closed.",
  }),
  last_activity_at: Nullable(Timestamp),
  ...ownershipFields,
  updated_at: Timestamp,
};
export const ContactView = Type.Object({ ...person, object: OneOf(["contact"]) }, { title: "Contact" });
export const ContactListView = ListOf(ContactView);
export const CustomerView = Type.Object(
  {
    ...person,
    object: OneOf(["customer"]),
    context: Type.Unsafe<Record<string, unknown>>({
      type: "object",
      additionalProperties: true,
      description:
        "Data of connectors about the customer: `context.<connector>.<provider>`. If a connector does not respond within 800 ms or fails, its place contains `{error: {code, message}}`.",
      examples: [{ stripe: { last_charges: [{ id: "ch_1", amount: 1250 }] } }],
    }),
  },
  { title: "Customer" },
);
const AskedConnectors = Optional(
  Type.Array(
    Type.Object(
      {
        connector: StringExample("helpdesk"),
        provider: StringExample("tickets"),
        status: OneOf(["ok", "failed"]),
        error: Nullable(StringExample("It did not answer within 800 ms.")),
      },
      { title: "AskedConnector" },
    ),
    { description: "The connectors that were queried. If one failed, its data may be missing." },
  ),
);
const CustomerList = ListOf(CustomerView);
export const CustomerListView = Type.Object(
  { ...CustomerList.properties, connectors: AskedConnectors },
  { title: "CustomerList" },
);

const created = {
  created_after: Optional(DateTimeFilter("Created at or after this time.")),
  created_before: Optional(DateTimeFilter("Created before this time.")),
};
export const ContactListQuery = Type.Object(
  {
    email: Optional(Email),
    external_id: Optional(ExternalId),
    tag: Optional(words(MAX_TAG, "vip", "A tag that the contact has.")),
    lifecycle_stage: Optional(Stage),
    ...created,
    ...PageQuery,
  },
  strict,
);

export const CustomerListQuery = Type.Object(
  {
    ...ContactListQuery.properties,
    identity: Optional(
      StringExample("stripe:cus_9x2", {
        minLength: 3,
        maxLength: 500,
        description:
          "`<provider>:<identifier>`: finds a contact by the identifier that a connector's identity provider uses. Other filters are then ignored.",
      }),
    ),
  },
  strict,
);

const Kind = OneOf(ACTIVITY_KINDS, "The origin of the activity.");
const value = Nullable(
  Type.Number({ examples: [89.5], description: "The exact value, with all digits that were received." }),
);
export const ActivityBody = Type.Object(
  {
    summary: words(MAX_SUMMARY, "Asked for an invoice by post"),
    event_type: Optional(words(MAX_EVENT_TYPE, "note")),
    value: Optional(value),
    score_delta: Optional(Score),
    occurred_at: Optional(Timestamp),
  },
  { ...strict, title: "NewActivity" },
);
export const ActivityView = Type.Object(
  {
    id: WireId("act"),
    object: OneOf(["activity"]),
    contact_id: WireId("con"),
    kind: Kind,
    event_type: StringExample("invoice.paid"),
    summary: StringExample("Paid an invoice"),
    value,
    score_delta: Type.Number({ examples: [5] }),
    occurred_at: Timestamp,
    receipt_id: Nullable(WireId("rcp")),
    event_id: Nullable(WireId("evt")),
    ...ownershipFields,
  },
  { title: "Activity" },
);
export const ActivityListView = ListOf(ActivityView);
export const ActivityListQuery = Type.Object(
  {
    kind: Optional(Kind),
    occurred_after: Optional(DateTimeFilter("Happened at or after this time.")),
    occurred_before: Optional(DateTimeFilter("Happened before this time.")),
    ...PageQuery,
  },
  strict,
);

const ContactExport = Type.Object(
  {
    object: OneOf(["contact_export"]),
    exported_at: Timestamp,
    contact: ContactView,
    merged_ids: Type.Array(WireId("con")),
    activities: Type.Array(ActivityView),
  },
  { additionalProperties: true, title: "ContactExport", description: "All data that is stored about the person." },
);
/** The document is sent while it is read, without a serializer. */
export const ContactExportStream = Type.Unsafe<Readable>(ContactExport);

const Subject = words(MAX_SUBJECT, "Label printer stopped");
const Status = words(
  MAX_WORD,
  "open",
  "The status of the ticket, such as open, pending, on_hold, resolved or closed. The last two mean that the ticket has ended.",
);
const Priority = words(MAX_WORD, "high", "The priority of the ticket, such as low, normal, high or urgent.");
const Assignee = words(MAX_ASSIGNEE, "ines.costa@example.com", "The e-mail address or name of the assignee.");
export const TicketBody = Type.Object(
  {
    subject: Optional(Nullable(Subject)),
    status: Optional(Status),
    priority: Optional(Nullable(Priority)),
    assignee: Optional(Nullable(Assignee)),
    customer_id: Optional(Nullable(WireId("con"))),
    customer_external_id: Optional(ExternalId),
  },
  { ...strict, title: "TicketChange" },
);
export const TicketView = Type.Object(
  {
    id: WireId("tkt"),
    object: OneOf(["ticket"]),
    external_id: StringExample("TCK-2041"),
    customer_id: Nullable(WireId("con")),
    subject: Nullable(StringExample("Label printer stopped")),
    status: StringExample("open"),
    priority: Nullable(StringExample("high")),
    assignee: Nullable(StringExample("ines.costa@example.com")),
    ...ownershipFields,
    updated_at: Timestamp,
  },
  { title: "Ticket" },
);
const TicketList = ListOf(TicketView);
export const TicketListView = Type.Object(
  { ...TicketList.properties, connectors: AskedConnectors },
  { title: "TicketList" },
);
export const TicketListQuery = Type.Object(
  {
    status: Optional(Status),
    customer_id: Optional(WireId("con")),
    priority: Optional(Priority),
    assignee: Optional(Assignee),
    external_id: Optional(ExternalId),
    ...created,
    ...PageQuery,
  },
  strict,
);
