import { bulk, byKey, columnOf, definePart } from "../platform/db/db.ts";
import type { HotStatement, Tx } from "../platform/db/db.ts";
import type { Tag, Uuid } from "../lib/lib.ts";
import type { ActivityRow } from "./activity.store.ts";
import type { ContactRow, IdentityKind } from "./contact.store.ts";
import type { TicketRow, TicketValues } from "./ticket.store.ts";

/**
 * All statements here are hot, and write rows of many workspaces at once. arrive.store.ts describes the order of locks.
 */

export interface IdentityKey {
  readonly bucket: number;
  readonly tag: Tag;
  readonly kind: IdentityKind;
  readonly value: string;
}

export interface ProposedIdentity extends IdentityKey {
  /** The contact that the identity gets if it leads to none yet. */
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

/**
 * Locks the contacts that identities lead to, in the order that arrive.store.ts describes, and creates none. `lateral`
 * looks up and locks one contact after the other, in the order of `keys`. `limit` prevents a plan that was made for
 * empty tables from reading whole ones.
 */
const HOLD_CONTACTS: HotStatement = {
  name: "learn_hold_contacts",
  text: `with led as materialized (select w.bucket, w.tag, w.at, i.contact_id
        from unnest($1::smallint[], $2::text[], $3::text[], $4::text[]) with ordinality as w (bucket, tag, kind, value, at)
          cross join lateral (select contact_id from contact_identity
            where bucket = w.bucket and tag = w.tag and kind = w.kind and value = w.value limit 1) i),
      held as materialized (select keys.tag, c.*
        from (select distinct bucket, tag collate "C" as tag, contact_id from led order by 1, 2, 3) keys
          cross join lateral (select id, email, name, told_stage, implied_stage, stamps from contact
            where bucket = keys.bucket and tag = keys.tag and id = keys.contact_id limit 1 for no key update) c)
    select led.at::int, led.contact_id, held.id is not null as is_known, held.email, held.name, held.told_stage,
      held.implied_stage, held.stamps
    from led left join held on held.tag = led.tag and held.id = led.contact_id`,
};

/** The contact that an identity leads to. */
export interface IdentifiedRow extends Pick<ContactRow, "email" | "name" | "told_stage" | "implied_stage" | "stamps"> {
  /** The position of the identity, from 1. */
  readonly at: number;
  readonly contact_id: Uuid;
  /** False if there is no such contact yet. */
  readonly is_known: boolean;
}

/** Locks these identities and the contacts that they lead to, and creates the identities that are new. */
export async function holdPeople(tx: Tx, proposed: readonly ProposedIdentity[]): Promise<IdentifiedRow[]> {
  const keys = [
    columnOf.smallint(proposed, (row) => row.bucket),
    columnOf.text(proposed, (row) => row.tag),
    columnOf.text(proposed, (row) => row.kind),
    columnOf.text(proposed, (row) => row.value),
  ];
  await tx.hot(HOLD_IDENTITIES, [...keys, columnOf.uuid(proposed, (row) => row.contactId)]);
  return await tx.hot<IdentifiedRow & Record<string, unknown>>(HOLD_CONTACTS, keys);
}

/** An identity that was new, and leads to another contact than the proposed one. */
export const identitiesPart = definePart<ProposedIdentity>({
  name: "identities",
  columns: [
    bulk("bucket", "smallint", (row) => row.bucket),
    bulk("tag", "text", (row) => row.tag),
    bulk("kind", "text", (row) => row.kind),
    bulk("value", "text", (row) => row.value),
    bulk("contact_id", "uuid", (row) => row.contactId),
  ],
  text: ({ rows }) => `identities as (update contact_identity i set contact_id = w.contact_id from ${rows("w")}
      where i.bucket = w.bucket and i.tag = w.tag and i.kind = w.kind and i.value = w.value and ${byKey("w.bucket")})`,
});

export interface LearntContact extends Pick<
  ContactRow,
  "bucket" | "tag" | "id" | "email" | "name" | "told_stage" | "implied_stage" | "lifecycle_stage" | "last_activity_at"
> {
  readonly tag: Tag;
  /** JSON text. */
  readonly stamps: string;
}

/** Contacts that are locked, and new ones. */
export const contactsPart = definePart<LearntContact>({
  name: "contacts",
  columns: [
    bulk("bucket", "smallint", (row) => row.bucket),
    bulk("tag", "text", (row) => row.tag),
    bulk("id", "uuid", (row) => row.id),
    bulk("email", "text", (row) => row.email),
    bulk("name", "text", (row) => row.name),
    bulk("told_stage", "text", (row) => row.told_stage),
    bulk("implied_stage", "text", (row) => row.implied_stage),
    bulk("lifecycle_stage", "text", (row) => row.lifecycle_stage),
    bulk("stamps", "text", (row) => row.stamps, "jsonb"),
    bulk("last_activity_at", "timestamptz", (row) => row.last_activity_at),
  ],
  text: ({ rows, names, selected }) => `contacts as (insert into contact as c (${names})
      select ${selected("w")} from ${rows("w")} order by w.bucket, w.tag collate "C", w.id
      on conflict (bucket, tag, id) do update set email = excluded.email, name = excluded.name, told_stage = excluded.told_stage,
        implied_stage = excluded.implied_stage, lifecycle_stage = excluded.lifecycle_stage, stamps = excluded.stamps,
        last_activity_at = greatest(c.last_activity_at, excluded.last_activity_at), updated_at = now())`,
});

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

/** An activity that exists already is not changed. */
export const activitiesPart = definePart<LearntActivity>({
  name: "activities",
  columns: [
    bulk("bucket", "smallint", (row) => row.bucket),
    bulk("tag", "text", (row) => row.tag),
    bulk("id", "uuid", (row) => row.id),
    bulk("contact_id", "uuid", (row) => row.contact_id),
    bulk("kind", "text", (row) => row.kind),
    bulk("event_type", "text", (row) => row.event_type),
    bulk("summary", "text", (row) => row.summary),
    bulk("score_delta", "text", (row) => row.score_delta, "numeric"),
    bulk("occurred_at", "timestamptz", (row) => row.occurred_at),
    bulk("position", "uuid", (row) => row.position),
  ],
  text: ({ rows, names, selected }) => `activities as (insert into activity (${names})
      select ${selected("w")} from ${rows("w")} on conflict (bucket, tag, id) do nothing)`,
});

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

/** Locks tickets, and creates the new ones as open. */
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

/** Tickets that are locked. Both of their keys are compared, so that either index finds one row. */
export const ticketsPart = definePart<LearntTicket>({
  name: "tickets",
  columns: [
    bulk("bucket", "smallint", (row) => row.bucket),
    bulk("tag", "text", (row) => row.tag),
    bulk("id", "uuid", (row) => row.id),
    bulk("external_id", "text", (row) => row.externalId),
    bulk("customer_id", "uuid", (row) => row.customer_id),
    bulk("subject", "text", (row) => row.subject),
    bulk("status", "text", (row) => row.status),
    bulk("priority", "text", (row) => row.priority),
    bulk("assignee", "text", (row) => row.assignee),
    bulk("stamps", "text", (row) => row.stamps),
  ],
  text: ({
    rows,
  }) => `tickets as (update ticket t set customer_id = w.customer_id, subject = w.subject, status = w.status, priority = w.priority,
        assignee = w.assignee, stamps = w.stamps::jsonb, updated_at = now()
      from ${rows("w")}
      where t.bucket = w.bucket and t.tag = w.tag and t.id = w.id and t.external_id = w.external_id and ${byKey("w.bucket")})`,
});
