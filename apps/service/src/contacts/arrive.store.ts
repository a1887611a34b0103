import { columnOf, sql } from "../platform/db/db.ts";
import type { Tx } from "../platform/db/db.ts";
import { toDate } from "../lib/lib.ts";
import type { IdMaker, Uuid } from "../lib/lib.ts";
import { normalizeEmail } from "./email.ts";
import { MAX_EVENT_TYPE, MAX_NAME, MAX_SUMMARY, plainText } from "./plain-text.ts";
import { positionOf, stampOf } from "./position.ts";
import type { Arrival } from "./ports.ts";

interface Row extends Arrival {
  /** The id of the contact, if it does not exist yet. */
  readonly proposed: Uuid;
  readonly position: Uuid;
  readonly stamp: Uuid;
}

/**
 * Runs three statements for any number of arrivals. Every transaction that touches contacts takes its locks in one
 * order: identities by their key, then contacts by theirs. `do update … where false` locks an existing row, also
 * one that another transaction has just created, and writes nothing.
 */
export async function arrive(tx: Tx, arrivals: readonly Arrival[], ids: IdMaker): Promise<Uuid[]> {
  if (arrivals.length === 0) return [];
  const rows = rowsOf(arrivals, ids);
  await holdIdentities(tx, rows);
  await holdContacts(tx, rows);
  return await record(tx, rows);
}

/** Gives arrivals of one address the same proposed id. */
function rowsOf(arrivals: readonly Arrival[], ids: IdMaker): Row[] {
  const proposed = new Map<string, Uuid>();
  return arrivals.map((arrival) => {
    const email = normalizeEmail(arrival.email);
    if (email === undefined) throw new Error("an arrival came without an e-mail address");
    const place = `${arrival.scope.tag} ${email}`;
    const id = proposed.get(place) ?? ids.uuid();
    proposed.set(place, id);
    const { occurredAt, id: activityId } = arrival.activity;
    return {
      ...arrival,
      email,
      name: arrival.name === null ? null : plainText(arrival.name, MAX_NAME),
      activity: {
        ...arrival.activity,
        eventType: plainText(arrival.activity.eventType, MAX_EVENT_TYPE),
        summary: plainText(arrival.activity.summary, MAX_SUMMARY),
      },
      proposed: id,
      position: positionOf(occurredAt, activityId),
      stamp: stampOf(occurredAt, activityId),
    };
  });
}

async function holdIdentities(tx: Tx, rows: readonly Row[]): Promise<void> {
  await sql`insert into contact_identity (bucket, tag, kind, value, contact_id)
    select distinct on (bucket, tag, email) bucket, tag, 'email', email, proposed
    from (select w.bucket, w.tag collate "C" as tag, w.email collate "C" as email, w.proposed
      from unnest(${columnOf.smallint(rows, (row) => row.scope.bucket)}::smallint[], ${columnOf.text(rows, (row) => row.scope.tag)}::text[],
        ${columnOf.text(rows, (row) => row.email)}::text[], ${columnOf.uuid(rows, (row) => row.proposed)}::uuid[]) as w (bucket, tag, email, proposed)) w
    order by bucket, tag, email
    on conflict (bucket, tag, kind, value) do update set contact_id = excluded.contact_id where false`.execute(
    tx.query,
  );
}

/** Locks the contacts, and creates those whose address was new. */
async function holdContacts(tx: Tx, rows: readonly Row[]): Promise<void> {
  await sql`insert into contact (bucket, tag, id, email, stamps)
    select distinct on (i.bucket, i.tag, i.contact_id) i.bucket, i.tag, i.contact_id, i.value, jsonb_build_object('email', w.stamp)
    from unnest(${columnOf.smallint(rows, (row) => row.scope.bucket)}::smallint[], ${columnOf.text(rows, (row) => row.scope.tag)}::text[],
      ${columnOf.text(rows, (row) => row.email)}::text[], ${columnOf.uuid(rows, (row) => row.stamp)}::uuid[]) as w (bucket, tag, email, stamp)
    join contact_identity i on i.bucket = w.bucket and i.tag = w.tag and i.kind = 'email' and i.value = w.email
    order by i.bucket, i.tag, i.contact_id
    on conflict (bucket, tag, id) do update set email = excluded.email where false`.execute(tx.query);
}

const NAME_IS_NEWS = sql`n.name is not null and (n.stamp > (c.stamps ->> 'name')::uuid) is not false`;

/** Only new activities count for the score, but a name is applied in any case. */
async function record(tx: Tx, rows: readonly Row[]): Promise<Uuid[]> {
  const { rows: found } = await sql<{ contact_id: Uuid }>`with arrived as materialized (
      select w.*, i.contact_id
      from unnest(${columnOf.smallint(rows, (row) => row.scope.bucket)}::smallint[], ${columnOf.text(rows, (row) => row.scope.tag)}::text[],
        ${columnOf.text(rows, (row) => row.email)}::text[], ${columnOf.text(rows, (row) => row.name)}::text[], ${columnOf.uuid(rows, (row) => row.stamp)}::uuid[],
        ${columnOf.uuid(rows, (row) => row.activity.id)}::uuid[], ${columnOf.text(rows, (row) => row.activity.kind)}::text[],
        ${columnOf.text(rows, (row) => row.activity.eventType)}::text[], ${columnOf.text(rows, (row) => row.activity.summary)}::text[],
        ${columnOf.text(rows, (row) => row.activity.value)}::text[], ${columnOf.text(rows, (row) => String(row.activity.scoreDelta))}::text[],
        ${columnOf.timestamptz(rows, (row) => toDate(row.activity.occurredAt))}::timestamptz[], ${columnOf.uuid(rows, (row) => row.position)}::uuid[],
        ${columnOf.uuid(rows, (row) => row.activity.receiptId)}::uuid[])
        with ordinality as w (bucket, tag, email, name, stamp, id, kind, event_type, summary, value, score_delta, occurred_at, position, receipt_id, at)
      join contact_identity i on i.bucket = w.bucket and i.tag = w.tag and i.kind = 'email' and i.value = w.email
    ), added as (
      insert into activity (bucket, tag, id, contact_id, kind, event_type, summary, value, score_delta, occurred_at, position, receipt_id)
      select bucket, tag, id, contact_id, kind, event_type, summary, value, score_delta::numeric, occurred_at, position, receipt_id from arrived
      on conflict (bucket, tag, id) do nothing
      returning bucket, tag, contact_id, score_delta, occurred_at
    ), sums as (
      select bucket, tag, contact_id, sum(score_delta) as score_delta, max(occurred_at) as occurred_at from added group by bucket, tag, contact_id
    ), names as (
      select distinct on (bucket, tag, contact_id) bucket, tag, contact_id, name, stamp from arrived
      where name is not null order by bucket, tag, contact_id, stamp desc
    ), changed as (
      update contact c set
        score = c.score + coalesce(s.score_delta, 0),
        last_activity_at = greatest(c.last_activity_at, s.occurred_at),
        name = case when ${NAME_IS_NEWS} then n.name else c.name end,
        stamps = case when ${NAME_IS_NEWS} then c.stamps || jsonb_build_object('name', n.stamp) else c.stamps end,
        updated_at = now()
      from (select distinct bucket, tag, contact_id from arrived) a
        left join sums s using (bucket, tag, contact_id)
        left join names n using (bucket, tag, contact_id)
      where c.bucket = a.bucket and c.tag = a.tag and c.id = a.contact_id
    )
    select contact_id from arrived order by at`.execute(tx.query);
  return found.map((row) => row.contact_id);
}
