import { byKey, columnOf } from "../platform/db/db.ts";
import type { CommitPart, HotStatement, Tx } from "../platform/db/db.ts";
import type { Tag, Uuid } from "../lib/lib.ts";
import type { ActivityRow } from "./activity.store.ts";
import type { ContactRow, IdentityKind } from "./contact.store.ts";
import type { TicketRow, TicketValues } from "./ticket.store.ts";

/** All here is hot, and for rows of many workspaces at once; arrive.store.ts says in which order rows are locked. */

export interface IdentityKey {
  readonly bucket: number;
  readonly tag: Tag;
  readonly kind: IdentityKind;
  readonly value: string;
}

export interface ProposedIdentity extends IdentityKey {
  /** Whom it leads to if it leads to nobody yet. */
  readonly contactId: Uuid;
}

const HOLD_IDENTITIES: HotStatement = {
  name: "learn_hold_identities",
  text: `insert into contact_identity (bucket, tag, kind, value, contact_id)
    select bucket, tag, kind, value, contact_id from (select w.bucket, w.tag collate "C" as tag, w.kind collate "C" as kind, w.value collate "C" as value, w.contact_id
      from unnest($1::smallint[], $2::text[], $3::text[], $4::text[], $5::uuid[]) as w (bucket, tag, kind, value, contact_id)) w
    order by bucket, tag, kind, value
    on conflict (bucket, tag, kind, value) do update set contact_id = excluded.contact_id where false`,
};

/** One look-up by key an identity: `limit` keeps a plan that was made for empty tables from reading whole ones. */
const IDENTIFIED = `unnest($1::smallint[], $2::text[], $3::text[], $4::text[]) as w (bucket, tag, kind, value)
      cross join lateral (select contact_id from contact_identity where bucket = w.bucket and tag = w.tag and kind = w.kind and value = w.value limit 1) i`;

/** The contacts that identities lead to; none is made. */
const HOLD_CONTACTS: HotStatement = {
  name: "learn_hold_contacts",
  text: `insert into contact (bucket, tag, id)
    select distinct w.bucket, w.tag collate "C", c.id from ${IDENTIFIED}
      cross join lateral (select id from contact where bucket = w.bucket and tag = w.tag and id = i.contact_id limit 1) c
    order by 1, 2, 3
    on conflict (bucket, tag, id) do update set email = excluded.email where false`,
};

const READ_PEOPLE: HotStatement = {
  name: "learn_people",
  text: `select w.bucket, w.tag, w.kind, w.value, i.contact_id, c.id is not null as is_known, c.email, c.name, c.told_stage, c.implied_stage, c.stamps
    from ${IDENTIFIED}
      left join lateral (select * from contact where bucket = w.bucket and tag = w.tag and id = i.contact_id limit 1) c on true`,
};

/** An identity with the contact that it leads to. */
export interface IdentifiedRow
  extends IdentityKey, Pick<ContactRow, "email" | "name" | "told_stage" | "implied_stage" | "stamps"> {
  readonly contact_id: Uuid;
  /** False where there is no such contact, yet. */
  readonly is_known: boolean;
}

/** Locks these identities, making those that are new, and the contacts that they lead to. */
export async function holdPeople(tx: Tx, proposed: readonly ProposedIdentity[]): Promise<IdentifiedRow[]> {
  const keys = [
    columnOf.smallint(proposed, (row) => row.bucket),
    columnOf.text(proposed, (row) => row.tag),
    columnOf.text(proposed, (row) => row.kind),
    columnOf.text(proposed, (row) => row.value),
  ];
  await tx.hot(HOLD_IDENTITIES, [...keys, columnOf.uuid(proposed, (row) => row.contactId)]);
  await tx.hot(HOLD_CONTACTS, keys);
  return await tx.hot<IdentifiedRow & Record<string, unknown>>(READ_PEOPLE, keys);
}

/** An identity that did not exist, and leads to another contact than the one that was proposed for it. */
export function identitiesPart(rows: readonly ProposedIdentity[]): CommitPart {
  return {
    name: "identities",
    text: (first) => `identities as (update contact_identity i set contact_id = w.contact_id
      from unnest($${first}::smallint[], $${first + 1}::text[], $${first + 2}::text[], $${first + 3}::text[], $${first + 4}::uuid[]) as w (bucket, tag, kind, value, contact_id)
      where i.bucket = w.bucket and i.tag = w.tag and i.kind = w.kind and i.value = w.value and ${byKey("w.bucket")})`,
    values: [
      columnOf.smallint(rows, (row) => row.bucket),
      columnOf.text(rows, (row) => row.tag),
      columnOf.text(rows, (row) => row.kind),
      columnOf.text(rows, (row) => row.value),
      columnOf.uuid(rows, (row) => row.contactId),
    ],
  };
}

export interface LearntContact extends Pick<
  ContactRow,
  "bucket" | "tag" | "id" | "email" | "name" | "told_stage" | "implied_stage" | "lifecycle_stage" | "last_activity_at"
> {
  readonly tag: Tag;
  /** JSON text. */
  readonly stamps: string;
}

/** Contacts that are held, and new ones. */
export function contactsPart(rows: readonly LearntContact[]): CommitPart {
  return {
    name: "contacts",
    text: (
      first,
    ) => `contacts as (insert into contact as c (bucket, tag, id, email, name, told_stage, implied_stage, lifecycle_stage, stamps, last_activity_at)
      select w.bucket, w.tag, w.id, w.email, w.name, w.told_stage, w.implied_stage, w.lifecycle_stage, w.stamps::jsonb, w.last_activity_at
      from unnest($${first}::smallint[], $${first + 1}::text[], $${first + 2}::uuid[], $${first + 3}::text[], $${first + 4}::text[], $${first + 5}::text[],
        $${first + 6}::text[], $${first + 7}::text[], $${first + 8}::text[], $${first + 9}::timestamptz[])
        as w (bucket, tag, id, email, name, told_stage, implied_stage, lifecycle_stage, stamps, last_activity_at)
      order by w.bucket, w.tag collate "C", w.id
      on conflict (bucket, tag, id) do update set email = excluded.email, name = excluded.name, told_stage = excluded.told_stage,
        implied_stage = excluded.implied_stage, lifecycle_stage = excluded.lifecycle_stage, stamps = excluded.stamps,
        last_activity_at = greatest(c.last_activity_at, excluded.last_activity_at), updated_at = now())`,
    values: [
      columnOf.smallint(rows, (row) => row.bucket),
      columnOf.text(rows, (row) => row.tag),
      columnOf.uuid(rows, (row) => row.id),
      columnOf.text(rows, (row) => row.email),
      columnOf.text(rows, (row) => row.name),
      columnOf.text(rows, (row) => row.told_stage),
      columnOf.text(rows, (row) => row.implied_stage),
      columnOf.text(rows, (row) => row.lifecycle_stage),
      columnOf.text(rows, (row) => row.stamps),
      columnOf.timestamptz(rows, (row) => row.last_activity_at),
    ],
  };
}

export type LearntActivity = Pick<
  ActivityRow,
  | "bucket"
  | "tag"
  | "id"
  | "contact_id"
  | "kind"
  | "event_type"
  | "summary"
  | "score_delta"
  | "occurred_at"
  | "position"
>;

/** An activity that is there already stays as it is. */
export function activitiesPart(rows: readonly LearntActivity[]): CommitPart {
  return {
    name: "activities",
    text: (
      first,
    ) => `activities as (insert into activity (bucket, tag, id, contact_id, kind, event_type, summary, score_delta, occurred_at, position)
      select w.bucket, w.tag, w.id, w.contact_id, w.kind, w.event_type, w.summary, w.score_delta::numeric, w.occurred_at, w.position
      from unnest($${first}::smallint[], $${first + 1}::text[], $${first + 2}::uuid[], $${first + 3}::uuid[], $${first + 4}::text[], $${first + 5}::text[],
        $${first + 6}::timestamptz[], $${first + 7}::uuid[], $${first + 8}::text[], $${first + 9}::text[])
        as w (bucket, tag, id, contact_id, event_type, summary, occurred_at, position, kind, score_delta)
      on conflict (bucket, tag, id) do nothing)`,
    values: [
      columnOf.smallint(rows, (row) => row.bucket),
      columnOf.text(rows, (row) => row.tag),
      columnOf.uuid(rows, (row) => row.id),
      columnOf.uuid(rows, (row) => row.contact_id),
      columnOf.text(rows, (row) => row.event_type),
      columnOf.text(rows, (row) => row.summary),
      columnOf.timestamptz(rows, (row) => row.occurred_at),
      columnOf.uuid(rows, (row) => row.position),
      columnOf.text(rows, (row) => row.kind),
      columnOf.text(rows, (row) => row.score_delta),
    ],
  };
}

export interface ProposedTicket {
  readonly bucket: number;
  readonly tag: Tag;
  readonly id: Uuid;
  readonly externalId: string;
}

const HOLD_TICKETS: HotStatement = {
  name: "learn_hold_tickets",
  text: `insert into ticket (bucket, tag, id, external_id, status)
    select bucket, tag, id, external_id, 'open' from (select w.bucket, w.tag collate "C" as tag, w.id, w.external_id collate "C" as external_id
      from unnest($1::smallint[], $2::text[], $3::uuid[], $4::text[]) as w (bucket, tag, id, external_id)) w
    order by bucket, tag, external_id
    on conflict (bucket, tag, external_id) do update set external_id = excluded.external_id
    returning *`,
};

/** Locks tickets; makes, open, those that are new. */
export async function holdTickets(tx: Tx, proposed: readonly ProposedTicket[]): Promise<TicketRow[]> {
  return await tx.hot<TicketRow & Record<string, unknown>>(HOLD_TICKETS, [
    columnOf.smallint(proposed, (row) => row.bucket),
    columnOf.text(proposed, (row) => row.tag),
    columnOf.uuid(proposed, (row) => row.id),
    columnOf.text(proposed, (row) => row.externalId),
  ]);
}

export interface LearntTicket extends Omit<TicketValues, "stamps"> {
  readonly bucket: number;
  readonly tag: Tag;
  readonly id: Uuid;
  readonly externalId: string;
  /** JSON text. */
  readonly stamps: string;
}

/** Tickets that are held. By both of their keys: whichever index the planner takes, it finds one row. */
export function ticketsPart(rows: readonly LearntTicket[]): CommitPart {
  return {
    name: "tickets",
    text: (
      first,
    ) => `tickets as (update ticket t set customer_id = w.customer_id, subject = w.subject, status = w.status, priority = w.priority,
        assignee = w.assignee, stamps = w.stamps::jsonb, updated_at = now()
      from unnest($${first}::smallint[], $${first + 1}::text[], $${first + 2}::uuid[], $${first + 3}::uuid[], $${first + 4}::text[], $${first + 5}::text[],
        $${first + 6}::text[], $${first + 7}::text[], $${first + 8}::text[], $${first + 9}::text[])
        as w (bucket, tag, id, customer_id, subject, status, priority, assignee, stamps, external_id)
      where t.bucket = w.bucket and t.tag = w.tag and t.id = w.id and t.external_id = w.external_id and ${byKey("w.bucket")})`,
    values: [
      columnOf.smallint(rows, (row) => row.bucket),
      columnOf.text(rows, (row) => row.tag),
      columnOf.uuid(rows, (row) => row.id),
      columnOf.uuid(rows, (row) => row.customer_id),
      columnOf.text(rows, (row) => row.subject),
      columnOf.text(rows, (row) => row.status),
      columnOf.text(rows, (row) => row.priority),
      columnOf.text(rows, (row) => row.assignee),
      columnOf.text(rows, (row) => row.stamps),
      columnOf.text(rows, (row) => row.externalId),
    ],
  };
}
