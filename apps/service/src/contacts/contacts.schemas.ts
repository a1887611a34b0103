import type { Readable } from "node:stream";
import { t } from "../lib/lib.ts";
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
  t.StringExample(example, {
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
const Score = t.Number({ minimum: -1e12, maximum: 1e12, examples: [42] });
const Tags = t.Array(words(MAX_TAG, "vip"), { maxItems: 100 });
const Optional = t.Optional;

const personMembers = {
  email: Optional(Email),
  name: Optional(t.Nullable(Name)),
  lifecycle_stage: Optional(t.Nullable(Stage)),
  score: Optional(Score),
  tags: Optional(Tags),
};
const ExternalIds = t.Array(ExternalId, { maxItems: 100 });

export const ContactParams = t.Object({ id: t.WireId("con") });
export const TicketParams = t.Object({ id: t.WireId("tkt") });
export const ExternalIdParams = t.Object({ id: ExternalId });

export const ContactBody = t.Object(
  { ...personMembers, external_ids: Optional(ExternalIds) },
  { ...t.strict, title: "NewContact" },
);
export const ContactPatch = t.Object(
  {
    ...personMembers,
    external_ids: Optional(ExternalIds),
    email_aliases: Optional(
      t.Array(Email, {
        maxItems: 100,
        description: "All other e-mail addresses of the contact. The list replaces the current one.",
      }),
    ),
  },
  { ...t.strict, title: "ContactChange" },
);
export const CustomerBody = t.Object(personMembers, { ...t.strict, title: "CustomerChange" });
export const MergeBody = t.Object({ into: t.WireId("con") }, { ...t.strict, title: "ContactMerge" });

const person = {
  id: t.WireId("con"),
  email: t.Nullable(t.StringExample("ada.moreau@example.com")),
  email_aliases: t.Array(t.StringExample("ada@example.com")),
  name: t.Nullable(t.StringExample("Ada Moreau")),
  external_ids: t.Array(t.StringExample("cus_4711")),
  lifecycle_stage: t.Nullable(t.StringExample("customer")),
  score: t.Number({ examples: [42] }),
  tags: t.Array(t.StringExample("vip")),
  tickets_open: t.Integer({
    minimum: 0,
    examples: [1],
    description: "The number of tickets that are not resolved or closed.",
  }),
  last_activity_at: t.Nullable(t.Timestamp),
  ...t.ownershipFields,
  updated_at: t.Timestamp,
};
export const ContactView = t.Object({ ...person, object: t.OneOf(["contact"]) }, { title: "Contact" });
export const ContactListView = t.ListOf(ContactView);
export const CustomerView = t.Object(
  {
    ...person,
    object: t.OneOf(["customer"]),
    context: t.Unsafe<Record<string, unknown>>({
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
  t.Array(
    t.Object(
      {
        connector: t.StringExample("helpdesk"),
        provider: t.StringExample("tickets"),
        status: t.OneOf(["ok", "failed"]),
        error: t.Nullable(t.StringExample("It did not answer within 800 ms.")),
      },
      { title: "AskedConnector" },
    ),
    { description: "The connectors that were queried. If one failed, its data may be missing." },
  ),
);
const CustomerList = t.ListOf(CustomerView);
export const CustomerListView = t.Object(
  { ...CustomerList.properties, connectors: AskedConnectors },
  { title: "CustomerList" },
);

const created = {
  created_after: Optional(t.DateTimeFilter("Created at or after this time.")),
  created_before: Optional(t.DateTimeFilter("Created before this time.")),
};
export const ContactListQuery = t.Object(
  {
    email: Optional(Email),
    external_id: Optional(ExternalId),
    tag: Optional(words(MAX_TAG, "vip", "A tag that the contact has.")),
    lifecycle_stage: Optional(Stage),
    ...created,
    ...t.PageQuery,
  },
  t.strict,
);

export const CustomerListQuery = t.Object(
  {
    ...ContactListQuery.properties,
    identity: Optional(
      t.StringExample("stripe:cus_9x2", {
        minLength: 3,
        maxLength: 500,
        description:
          "`<provider>:<identifier>`: finds a contact by the identifier that a connector's identity provider uses. Other filters are then ignored.",
      }),
    ),
  },
  t.strict,
);

const Kind = t.OneOf(ACTIVITY_KINDS, "The origin of the activity.");
const value = t.Nullable(
  t.Number({ examples: [89.5], description: "The exact value, with all digits that were received." }),
);
export const ActivityBody = t.Object(
  {
    summary: words(MAX_SUMMARY, "Asked for an invoice by post"),
    event_type: Optional(words(MAX_EVENT_TYPE, "note")),
    value: Optional(value),
    score_delta: Optional(Score),
    occurred_at: Optional(t.Timestamp),
  },
  { ...t.strict, title: "NewActivity" },
);
export const ActivityView = t.Object(
  {
    id: t.WireId("act"),
    object: t.OneOf(["activity"]),
    contact_id: t.WireId("con"),
    kind: Kind,
    event_type: t.StringExample("invoice.paid"),
    summary: t.StringExample("Paid an invoice"),
    value,
    score_delta: t.Number({ examples: [5] }),
    occurred_at: t.Timestamp,
    receipt_id: t.Nullable(t.WireId("rcp")),
    event_id: t.Nullable(t.WireId("evt")),
    ...t.ownershipFields,
  },
  { title: "Activity" },
);
export const ActivityListView = t.ListOf(ActivityView);
export const ActivityListQuery = t.Object(
  {
    kind: Optional(Kind),
    occurred_after: Optional(t.DateTimeFilter("Happened at or after this time.")),
    occurred_before: Optional(t.DateTimeFilter("Happened before this time.")),
    ...t.PageQuery,
  },
  t.strict,
);

const ContactExport = t.Object(
  {
    object: t.OneOf(["contact_export"]),
    exported_at: t.Timestamp,
    contact: ContactView,
    merged_ids: t.Array(t.WireId("con")),
    activities: t.Array(ActivityView),
  },
  { additionalProperties: true, title: "ContactExport", description: "All data that is stored about the person." },
);
/** The document is sent while it is read, without a serializer. */
export const ContactExportStream = t.Unsafe<Readable>(ContactExport);

const Subject = words(MAX_SUBJECT, "Label printer stopped");
const Status = words(
  MAX_WORD,
  "open",
  "The status of the ticket, such as open, pending, on_hold, resolved or closed. The last two mean that the ticket has ended.",
);
const Priority = words(MAX_WORD, "high", "The priority of the ticket, such as low, normal, high or urgent.");
const Assignee = words(MAX_ASSIGNEE, "ines.costa@example.com", "The e-mail address or name of the assignee.");
export const TicketBody = t.Object(
  {
    subject: Optional(t.Nullable(Subject)),
    status: Optional(Status),
    priority: Optional(t.Nullable(Priority)),
    assignee: Optional(t.Nullable(Assignee)),
    customer_id: Optional(t.Nullable(t.WireId("con"))),
    customer_external_id: Optional(ExternalId),
  },
  { ...t.strict, title: "TicketChange" },
);
export const TicketView = t.Object(
  {
    id: t.WireId("tkt"),
    object: t.OneOf(["ticket"]),
    external_id: t.StringExample("TCK-2041"),
    customer_id: t.Nullable(t.WireId("con")),
    subject: t.Nullable(t.StringExample("Label printer stopped")),
    status: t.StringExample("open"),
    priority: t.Nullable(t.StringExample("high")),
    assignee: t.Nullable(t.StringExample("ines.costa@example.com")),
    ...t.ownershipFields,
    updated_at: t.Timestamp,
  },
  { title: "Ticket" },
);
const TicketList = t.ListOf(TicketView);
export const TicketListView = t.Object(
  { ...TicketList.properties, connectors: AskedConnectors },
  { title: "TicketList" },
);
export const TicketListQuery = t.Object(
  {
    status: Optional(Status),
    customer_id: Optional(t.WireId("con")),
    priority: Optional(Priority),
    assignee: Optional(Assignee),
    external_id: Optional(ExternalId),
    ...created,
    ...t.PageQuery,
  },
  t.strict,
);
