import type { Readable } from "node:stream";
import { closed, ListOf, Nullable, OneOf, Owned, PageQuery, Timestamp, Type, WireId } from "../kernel/kernel.ts";
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

/** Text that a database column can hold: no NUL, no half of a surrogate pair. */
const words = (maxLength: number, description?: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: "^[^\\u0000\\ud800-\\udfff]*$",
    ...(description === undefined ? {} : { description }),
  });

const Email = words(320, "Compared and kept case-folded.");
const ExternalId = words(MAX_EXTERNAL_ID, "An id of yours.");
const Name = words(MAX_NAME);
const Stage = words(MAX_STAGE, "Where the person stands, such as lead, trial, customer or churned; any word will do.");
const Score = Type.Number({ minimum: -1e12, maximum: 1e12 });
const Tags = Type.Array(words(MAX_TAG), { maxItems: 100 });
const Optional = Type.Optional;

const told = {
  email: Optional(Email),
  name: Optional(Nullable(Name)),
  lifecycle_stage: Optional(Nullable(Stage)),
  score: Optional(Score),
  tags: Optional(Tags),
};
const ExternalIds = Type.Array(ExternalId, { maxItems: 100 });

export const IdParams = Type.Object({ id: Type.String() });
export const ExternalIdParams = Type.Object({ id: ExternalId });

export const ContactBody = Type.Object({ ...told, external_ids: Optional(ExternalIds) }, closed);
export const ContactPatch = Type.Object(
  {
    ...told,
    external_ids: Optional(ExternalIds),
    email_aliases: Optional(
      Type.Array(Email, { maxItems: 100, description: "Further addresses that lead to the contact; all of them." }),
    ),
  },
  closed,
);
export const CustomerBody = Type.Object(told, closed);
export const MergeBody = Type.Object({ into: WireId("con") }, closed);

const person = {
  id: WireId("con"),
  email: Nullable(Type.String()),
  email_aliases: Type.Array(Type.String()),
  name: Nullable(Type.String()),
  external_ids: Type.Array(Type.String()),
  lifecycle_stage: Nullable(Type.String()),
  score: Type.Number(),
  tags: Type.Array(Type.String()),
  last_activity_at: Nullable(Timestamp),
  ...Owned,
  updated_at: Timestamp,
};
export const ContactView = Type.Object({ ...person, object: OneOf(["contact"]) });
export const ContactListView = ListOf(ContactView);
export const CustomerView = Type.Object({
  ...person,
  object: OneOf(["customer"]),
  tickets_open: Type.Integer(),
  context: Type.Unsafe<Record<string, unknown>>({
    type: "object",
    additionalProperties: true,
    description: "What connectors know of the customer.",
  }),
});
export const CustomerListView = ListOf(CustomerView);

const created = { created_after: Optional(Type.String()), created_before: Optional(Type.String()) };
export const ContactListQuery = Type.Object(
  {
    email: Optional(Email),
    external_id: Optional(ExternalId),
    tag: Optional(words(MAX_TAG)),
    lifecycle_stage: Optional(words(MAX_STAGE)),
    ...created,
    ...PageQuery,
  },
  closed,
);

const Kind = OneOf(ACTIVITY_KINDS);
const Decimal = Type.String({ maxLength: 200, description: "A decimal number as text, kept as it came." });
export const ActivityBody = Type.Object(
  {
    summary: words(MAX_SUMMARY),
    event_type: Optional(words(MAX_EVENT_TYPE)),
    value: Optional(
      Nullable(
        Type.String({
          maxLength: 200,
          pattern: "^-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?$",
          description: "A decimal number.",
        }),
      ),
    ),
    score_delta: Optional(Score),
    occurred_at: Optional(Timestamp),
  },
  closed,
);
export const ActivityView = Type.Object({
  id: WireId("act"),
  object: OneOf(["activity"]),
  contact_id: WireId("con"),
  kind: Kind,
  event_type: Type.String(),
  summary: Type.String(),
  value: Nullable(Decimal),
  score_delta: Type.Number(),
  occurred_at: Timestamp,
  receipt_id: Nullable(WireId("rcp")),
  event_id: Nullable(WireId("evt")),
  ...Owned,
});
export const ActivityListView = ListOf(ActivityView);
export const ActivityListQuery = Type.Object(
  {
    kind: Optional(Kind),
    occurred_after: Optional(Type.String()),
    occurred_before: Optional(Type.String()),
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
  { additionalProperties: true, description: "Everything kept of a person." },
);
/** It is sent as it is read: nothing serialises it. */
export const ContactExportStream = Type.Unsafe<Readable>(ContactExport);

const Subject = words(MAX_SUBJECT);
const Status = words(MAX_WORD, "Such as open, pending, on_hold, resolved or closed; the last two count as ended.");
const Priority = words(MAX_WORD, "Such as low, normal, high or urgent.");
const Assignee = words(MAX_ASSIGNEE, "E-mail or name of who works on it.");
export const TicketBody = Type.Object(
  {
    subject: Optional(Nullable(Subject)),
    status: Optional(Status),
    priority: Optional(Nullable(Priority)),
    assignee: Optional(Nullable(Assignee)),
    customer_id: Optional(Nullable(WireId("con"))),
    customer_external_id: Optional(ExternalId),
  },
  closed,
);
export const TicketView = Type.Object({
  id: WireId("tkt"),
  object: OneOf(["ticket"]),
  external_id: Type.String(),
  customer_id: Nullable(WireId("con")),
  subject: Nullable(Type.String()),
  status: Type.String(),
  priority: Nullable(Type.String()),
  assignee: Nullable(Type.String()),
  ...Owned,
  updated_at: Timestamp,
});
export const TicketListView = ListOf(TicketView);
export const TicketListQuery = Type.Object(
  {
    status: Optional(Status),
    customer_id: Optional(Type.String()),
    priority: Optional(Priority),
    assignee: Optional(Assignee),
    external_id: Optional(ExternalId),
    ...created,
    ...PageQuery,
  },
  closed,
);
