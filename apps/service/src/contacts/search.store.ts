import { MOST_READ } from "../insights/insights.ts";
import type { SearchHit, Sought } from "../insights/insights.ts";
import { sql } from "../platform/db/db.ts";
import type { Db } from "../platform/db/db.ts";
import { wireId } from "../lib/lib.ts";
import type { Uuid } from "../lib/lib.ts";
import type { Scope } from "../accounts/accounts.ts";

interface Row {
  readonly id: Uuid;
  readonly name: string | null;
  readonly email: string | null;
  readonly value: string | null;
}

/** Finds contacts by the beginning of an address or external id, in the order of the index, and the newest by their names, which have no index. */
export async function findContacts({ query }: Db, scope: Scope, sought: Sought): Promise<SearchHit[]> {
  const { text, pattern, limit } = sought;
  const { bucket, tag } = scope;
  const email = text.normalize("NFC").toLowerCase();
  const { rows } = await sql<Row>`with identities as (
      (select contact_id, value from contact_identity where bucket = ${bucket} and tag = ${tag} and kind = 'email'
        and value >= ${email} and value < ${end(email)} order by value limit ${limit})
      union all
      (select contact_id, value from contact_identity where bucket = ${bucket} and tag = ${tag} and kind = 'external_id'
        and value >= ${text} and value < ${end(text)} order by value limit ${limit})),
    named as (select id from (
        select id, name from contact where bucket = ${bucket} and tag = ${tag} order by id desc limit ${MOST_READ}) c
      where name ~* ${pattern} order by id desc limit ${limit}),
    found as (select contact_id as id, min(value) as value from identities group by contact_id
      union all select id, null from named where id not in (select contact_id from identities))
    select c.id, c.name, c.email, f.value from found f
      join contact c on c.bucket = ${bucket} and c.tag = ${tag} and c.id = f.id
      order by f.value nulls last, c.id desc limit ${limit}`.execute(query);
  return rows.map(({ id, name, email: address, value }) => {
    const wire = wireId("con", tag, id);
    const title = name ?? address ?? value ?? wire;
    const detail = [value, address].find((one) => one !== null && one !== title) ?? null;
    return { id: wire, title, detail };
  });
}

interface TicketRow {
  readonly id: Uuid;
  readonly subject: string | null;
  readonly external_id: string;
}

/** Finds tickets by the beginning of their external ids, and the newest by their subjects, which have no index. */
export async function findTicketsByText({ query }: Db, scope: Scope, sought: Sought): Promise<SearchHit[]> {
  const { text, pattern, limit } = sought;
  const { bucket, tag } = scope;
  const { rows } = await sql<TicketRow>`
    (select id, subject, external_id from ticket where bucket = ${bucket} and tag = ${tag}
      and external_id >= ${text} and external_id < ${end(text)} order by external_id limit ${limit})
    union
    (select id, subject, external_id from (
        select id, subject, external_id from ticket where bucket = ${bucket} and tag = ${tag}
        order by id desc limit ${MOST_READ}) t
      where subject ~* ${pattern} order by id desc limit ${limit})
    order by id desc limit ${limit}`.execute(query);
  return rows.map(({ id, subject, external_id: externalId }) => ({
    id: wireId("tkt", tag, id),
    title: subject ?? externalId,
    detail: subject === null ? null : externalId,
  }));
}

/** The first text in the order of bytes that does not begin with a prefix: no text has the last code point. */
function end(prefix: string): string {
  return `${prefix}\u{10ffff}`;
}
