import { columnOf } from "../platform/db/db.ts";
import type { HotReader, HotStatement, Tx } from "../platform/db/db.ts";
import type { Tag, TenantKey, Uuid } from "../lib/lib.ts";
import type { ContactRow, HeldIdentity, IdentityKind } from "./contact.store.ts";
import { ENDED } from "./ticket.store.ts";

/**
 * All statements here are hot, and read rows of many workspaces at once. `+ 0` and `|| ''` keep the planner from an
 * index that begins with bucket and tag, with which it would read all rows of the workspace (decision 0256).
 */

export interface Lead extends TenantKey {
  readonly kind: IdentityKind;
  readonly value: string;
}

/** Probes the index once per lead, in the order of the leads. */
const LEADS: HotStatement = {
  name: "contacts_leads",
  text: `select i.contact_id from unnest($1::smallint[], $2::text[], $3::text[], $4::text[]) with ordinality as w (bucket, tag, kind, value, at)
      left join lateral (select contact_id from contact_identity
        where bucket = w.bucket and tag = w.tag and kind = w.kind and value = w.value limit 1) i on true
    order by w.at`,
};

const ROWS: HotStatement = {
  name: "contacts_rows",
  text: `select c.* from unnest($1::smallint[], $2::text[], $3::uuid[]) as w (bucket, tag, id)
    cross join lateral (select * from contact where bucket = w.bucket and tag = w.tag and id = w.id limit 1) c`,
};

const IDENTITIES: HotStatement = {
  name: "contacts_identities",
  text: `select i.kind, i.value, i.contact_id from unnest($1::smallint[], $2::text[], $3::uuid[]) as w (bucket, tag, id)
    cross join lateral (select kind, value, contact_id from contact_identity
      where contact_id = w.id and bucket + 0 = w.bucket and tag || '' = w.tag order by kind, value) i`,
};

const TICKETS_OPEN: HotStatement = {
  name: "contacts_tickets_open",
  text: `select w.id, t.open from unnest($1::smallint[], $2::text[], $3::uuid[]) as w (bucket, tag, id)
    cross join lateral (select count(*)::int as open from ticket
      where customer_id = w.id and bucket + 0 = w.bucket and tag || '' = w.tag and status <> all($4::text[])) t
    where t.open > 0`,
};

/** Returns the contact of each lead, in their order. */
export async function contactIdsOf(reader: HotReader, leads: readonly Lead[]): Promise<(Uuid | null)[]> {
  if (leads.length === 0) return [];
  const rows = await reader.hot<{ contact_id: Uuid | null }>(LEADS, [
    columnOf.smallint(leads, (lead) => lead.bucket),
    columnOf.text(leads, (lead) => lead.tag),
    columnOf.text(leads, (lead) => lead.kind),
    columnOf.text(leads, (lead) => lead.value),
  ]);
  return rows.map((row) => row.contact_id);
}

export interface ContactKey {
  readonly bucket: number;
  readonly tag: Tag;
  readonly id: Uuid;
}

/** A contact with everything that its view contains. */
export interface WholeContact {
  readonly row: ContactRow;
  readonly identities: readonly HeldIdentity[];
  readonly ticketsOpen: number;
}

/** Locks the contacts that exist, one after the other, in the order that arrive.store.ts describes. */
const HOLD: HotStatement = {
  name: "contacts_hold",
  text: `select c.* from (select distinct bucket, tag collate "C" as tag, id
      from unnest($1::smallint[], $2::text[], $3::uuid[]) as w (bucket, tag, id) order by 1, 2, 3) keys
    cross join lateral (select * from contact where bucket = keys.bucket and tag = keys.tag and id = keys.id
      limit 1 for no key update) c`,
};

function keysOf(keys: readonly ContactKey[]): Buffer[] {
  return [
    columnOf.smallint(keys, (key) => key.bucket),
    columnOf.text(keys, (key) => key.tag),
    columnOf.uuid(keys, (key) => key.id),
  ];
}

/** Runs three statements for any number of contacts. Contacts that no longer exist are missing from the result. */
export async function wholeContacts(
  reader: HotReader,
  keys: readonly ContactKey[],
): Promise<ReadonlyMap<Uuid, WholeContact>> {
  return await wholeOf(reader, keys, ROWS);
}

/** Reads the contacts as `wholeContacts` does, and locks them first. */
export async function heldContacts(tx: Tx, keys: readonly ContactKey[]): Promise<ReadonlyMap<Uuid, WholeContact>> {
  return await wholeOf(tx, keys, HOLD);
}

async function wholeOf(
  reader: HotReader,
  keys: readonly ContactKey[],
  statement: HotStatement,
): Promise<ReadonlyMap<Uuid, WholeContact>> {
  if (keys.length === 0) return new Map();
  const values = keysOf(keys);
  const rows = await reader.hot<ContactRow & Record<string, unknown>>(statement, values);
  const identities = await reader.hot<HeldIdentity & Record<string, unknown>>(IDENTITIES, values);
  const tickets = await reader.hot<{ id: Uuid; open: number }>(TICKETS_OPEN, [...values, ENDED]);
  const identitiesOf = Map.groupBy(identities, (identity) => identity.contact_id);
  const openOf = new Map(tickets.map(({ id, open }) => [id, open]));
  return new Map(
    rows.map((row) => [
      row.id,
      { row, identities: identitiesOf.get(row.id) ?? [], ticketsOpen: openOf.get(row.id) ?? 0 },
    ]),
  );
}
