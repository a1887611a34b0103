import { exactNumber, timeText, toRfc3339, uuidTime, wireId } from "../lib/lib.ts";
import type { Uuid, t } from "../lib/lib.ts";
import { scopeFields } from "../accounts/accounts.ts";
import type { Scope } from "../accounts/accounts.ts";
import type { ActivityKind, ActivityRow } from "./activity.store.ts";
import type { ContactRow } from "./contact.store.ts";
import type { ContactParts } from "./parts.ts";
import type { TicketRow } from "./ticket.store.ts";
import type * as shapes from "./contacts.schemas.ts";

export type ContactView = t.Static<typeof shapes.ContactView>;

export type CustomerView = t.Static<typeof shapes.CustomerView>;

export type ActivityView = Omit<t.Static<typeof shapes.ActivityView>, "value"> & {
  /** A number that is written to JSON text with all of its digits. */
  readonly value: object | null;
};

export type TicketView = t.Static<typeof shapes.TicketView>;

export function contactView(scope: Scope, row: ContactRow, parts: ContactParts): ContactView {
  return { ...personFields(scope, row, parts), object: "contact" };
}

export function customerView(scope: Scope, row: ContactRow, parts: ContactParts): CustomerView {
  return { ...personFields(scope, row, parts), object: "customer", context: {} };
}

function personFields(
  scope: Scope,
  row: ContactRow,
  { identities, ticketsOpen }: ContactParts,
): Omit<ContactView, "object"> {
  const own = identities.filter((identity) => identity.contact_id === row.id);
  const valuesOf = (kind: string): string[] => own.filter((one) => one.kind === kind).map((one) => one.value);
  return {
    id: wireId("con", row.tag, row.id),
    email: row.email,
    email_aliases: valuesOf("email").filter((email) => email !== row.email),
    name: row.name,
    external_ids: valuesOf("external_id"),
    lifecycle_stage: row.lifecycle_stage,
    score: Number(row.score),
    tags: row.tags,
    tickets_open: ticketsOpen.get(row.id) ?? 0,
    last_activity_at: timeText(row.last_activity_at),
    ...scopeFields(scope),
    created_at: toRfc3339(uuidTime(row.id)),
    updated_at: timeText(row.updated_at),
  };
}

/** `contactId` is the requested contact. The activity may belong to a contact that was merged into it. */
export function activityView(scope: Scope, row: ActivityRow, contactId: Uuid): ActivityView {
  return {
    id: wireId("act", row.tag, row.id),
    object: "activity",
    contact_id: wireId("con", row.tag, contactId),
    kind: row.kind as ActivityKind,
    event_type: row.event_type,
    summary: row.summary,
    value: row.value === null ? null : exactNumber(row.value),
    score_delta: Number(row.score_delta),
    occurred_at: timeText(row.occurred_at),
    receipt_id: row.receipt_id === null ? null : wireId("rcp", row.tag, row.receipt_id),
    event_id: row.kind === "event" ? wireId("evt", row.tag, row.id) : null,
    ...scopeFields(scope),
    created_at: toRfc3339(uuidTime(row.id)),
  };
}

export function ticketView(scope: Scope, row: TicketRow): TicketView {
  return {
    id: wireId("tkt", row.tag, row.id),
    object: "ticket",
    external_id: row.external_id,
    customer_id: row.customer_id === null ? null : wireId("con", row.tag, row.customer_id),
    subject: row.subject,
    status: row.status,
    priority: row.priority,
    assignee: row.assignee,
    ...scopeFields(scope),
    created_at: toRfc3339(uuidTime(row.id)),
    updated_at: timeText(row.updated_at),
  };
}
