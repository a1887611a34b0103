import type { Found, Sought } from "../insights/insights.ts";
import { sql } from "../platform/db/db.ts";
import type { Db } from "../platform/db/db.ts";
import { wireId } from "../lib/lib.ts";
import type { Uuid } from "../lib/lib.ts";
import type { Scope } from "../accounts/accounts.ts";

/** The newest contacts that are searched by name, which has no index. */
const MOST_NAMES = 20_000;

interface Row {
  readonly id: Uuid;
  readonly name: string | null;
  readonly email: string | null;
  readonly value: string | null;
}

/** Finds contacts by the beginning of an address or external id, in the order of the index, and the newest by their names. */
export async function findContacts({ query }: Db, scope: Scope, sought: Sought): Promise<Found[]> {
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
        select id, name from contact where bucket = ${bucket} and tag = ${tag} order by id desc limit ${MOST_NAMES}) c
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

/** The first text in the order of bytes that does not begin with a prefix: no text has the last code point. */
function end(prefix: string): string {
  return `${prefix}\u{10ffff}`;
}
