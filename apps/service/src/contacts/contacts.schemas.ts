import type { Readable } from "node:stream";
import {
  closed,
  ListOf,
  Moment,
  Nullable,
  OneOf,
  Owned,
  PageQuery,
  Sample,
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
  Sample(example, {
    minLength: 1,
    maxLength,
    ...(description === undefined ? {} : { description }),
  });

const Email = words(320, "ada.moreau@example.com", "Compared and kept case-folded.");
const ExternalId = words(MAX_EXTERNAL_ID, "cus_4711", "An id of yours.");
const Name = words(MAX_NAME, "Ada Moreau");
const Stage = words(
  MAX_STAGE,
  "customer",
  "Where the person stands, such as lead, trial, customer or churned; any word will do.",
);
const Score = Type.Number({ minimum: -1e12, maximum: 1e12, examples: [42] });
const Tags = Type.Array(words(MAX_TAG, "vip"), { maxItems: 100 });
const Optional = Type.Optional;

const told = {
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
  { ...told, external_ids: Optional(ExternalIds) },
  { ...closed, title: "NewContact" },
);
export const ContactPatch = Type.Object(
  {
    ...told,
    external_ids: Optional(ExternalIds),
    email_aliases: Optional(
      Type.Array(Email, { maxItems: 100, description: "Further addresses that lead to the contact; all of them." }),
    ),
  },
  { ...closed, title: "ContactChange" },
);
export const CustomerBody = Type.Object(told, { ...closed, title: "CustomerChange" });
export const MergeBody = Type.Object({ into: WireId("con") }, { ...closed, title: "ContactMerge" });

const person = {
  id: WireId("con"),
  email: Nullable(Sample("ada.moreau@example.com")),
  email_aliases: Type.Array(Sample("ada@example.com")),
  name: Nullable(Sample("Ada Moreau")),
  external_ids: Type.Array(Sample("cus_4711")),
  lifecycle_stage: Nullable(Sample("customer")),
  score: Type.Number({ examples: [42] }),
  tags: Type.Array(Sample("vip")),
  tickets_open: Type.Integer({ minimum: 0, examples: [1], description: "Tickets that are not resolved or closed." }),
  last_activity_at: Nullable(Timestamp),
  ...Owned,
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
        "What connectors know of the customer: `context.<connector>.<provider>`. `{error: {code, message}}` stands in the place of what one could not tell within 800 ms.",
      examples: [{ stripe: { last_charges: [{ id: "ch_1", amount: 1250 }] } }],
    }),
  },
  { title: "Customer" },
);
const AskedConnectors = Optional(
  Type.Array(
    Type.Object(
      {
        connector: Sample("helpdesk"),
        provider: Sample("tickets"),
        status: OneOf(["ok", "failed"]),
        error: Nullable(Sample("It did not answer within 800 ms.")),
      },
      { title: "AskedConnector" },
    ),
    { description: "The connectors that were asked; what one that failed knows may be missing." },
  ),
);
const CustomerList = ListOf(CustomerView);
export const CustomerListView = Type.Object(
  { ...CustomerList.properties, connectors: AskedConnectors },
  { title: "CustomerList" },
);

const created = {
  created_after: Optional(Moment("Created from here on.")),
  created_before: Optional(Moment("Created before this.")),
};
export const ContactListQuery = Type.Object(
  {
    email: Optional(Email),
    external_id: Optional(ExternalId),
    tag: Optional(words(MAX_TAG, "vip", "Contacts that have it.")),
    lifecycle_stage: Optional(Stage),
    ...created,
    ...PageQuery,
  },
  closed,
);

export const CustomerListQuery = Type.Object(
  {
    ...ContactListQuery.properties,
    identity: Optional(
      Sample("stripe:cus_9x2", {
        minLength: 3,
        maxLength: 500,
        description:
          "`<provider>:<identifier>`: whom a connector's identity provider knows by it. Other filters do not count beside it.",
      }),
    ),
  },
  closed,
);

const Kind = OneOf(ACTIVITY_KINDS, "What made it.");
const value = Nullable(Type.Number({ examples: [89.5], description: "Exact, with as many digits as it came with." }));
export const ActivityBody = Type.Object(
  {
    summary: words(MAX_SUMMARY, "Asked for an invoice by post"),
    event_type: Optional(words(MAX_EVENT_TYPE, "note")),
    value: Optional(value),
    score_delta: Optional(Score),
    occurred_at: Optional(Timestamp),
  },
  { ...closed, title: "NewActivity" },
);
export const ActivityView = Type.Object(
  {
    id: WireId("act"),
    object: OneOf(["activity"]),
    contact_id: WireId("con"),
    kind: Kind,
    event_type: Sample("invoice.paid"),
    summary: Sample("Paid an invoice"),
    value,
    score_delta: Type.Number({ examples: [5] }),
    occurred_at: Timestamp,
    receipt_id: Nullable(WireId("rcp")),
    event_id: Nullable(WireId("evt")),
    ...Owned,
  },
  { title: "Activity" },
);
export const ActivityListView = ListOf(ActivityView);
export const ActivityListQuery = Type.Object(
  {
    kind: Optional(Kind),
    occurred_after: Optional(Moment("Happened from here on.")),
    occurred_before: Optional(Moment("Happened before this.")),
    ...PageQuery,
  },
  closed,
);

const ContactExport = Type.Object(
  {
    object: OneOf(["contact_export"]),
    exported_at: Timestamp,
    contact: ContactView,
    merged_ids: Type.Array(WireId("con")),
    activities: Type.Array(ActivityView),
  },
  { additionalProperties: true, title: "ContactExport", description: "Everything kept of a person." },
);
/** It is sent as it is read: nothing serialises it. */
export const ContactExportStream = Type.Unsafe<Readable>(ContactExport);

const Subject = words(MAX_SUBJECT, "Label printer stopped");
const Status = words(
  MAX_WORD,
  "open",
  "Such as open, pending, on_hold, resolved or closed; the last two count as ended.",
);
const Priority = words(MAX_WORD, "high", "Such as low, normal, high or urgent.");
const Assignee = words(MAX_ASSIGNEE, "ines.costa@example.com", "E-mail or name of who works on it.");
export const TicketBody = Type.Object(
  {
    subject: Optional(Nullable(Subject)),
    status: Optional(Status),
    priority: Optional(Nullable(Priority)),
    assignee: Optional(Nullable(Assignee)),
    customer_id: Optional(Nullable(WireId("con"))),
    customer_external_id: Optional(ExternalId),
  },
  { ...closed, title: "TicketChange" },
);
export const TicketView = Type.Object(
  {
    id: WireId("tkt"),
    object: OneOf(["ticket"]),
    external_id: Sample("TCK-2041"),
    customer_id: Nullable(WireId("con")),
    subject: Nullable(Sample("Label printer stopped")),
    status: Sample("open"),
    priority: Nullable(Sample("high")),
    assignee: Nullable(Sample("ines.costa@example.com")),
    ...Owned,
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
  closed,
);
