import { columnOf, ofTenant } from "../../platform/db/db.ts";
import type { Db, HotStatement, Query, Selectable, Tables } from "../../platform/db/db.ts";
import type { TenantKey, Uuid } from "../../lib/lib.ts";

export type DeliveryRequestRow = Selectable<Tables["delivery_request"]>;

export interface DeliveryKey extends TenantKey {
  readonly deliveryId: Uuid;
}

export interface NewDeliveryRequest extends DeliveryKey {
  readonly attemptCount: number;
  readonly version: number;
  readonly method: string;
  /** JSON text. */
  readonly headers: string;
  readonly body: string;
  /** JSON text. */
  readonly log: string;
}

/**
 * Keeps requests before they are sent. Each write is fenced like a result: it happens only while the delivery is still
 * leased to this process for its next attempt. A delivery that is transformed again replaces the request that it had.
 */
const KEEP: HotStatement = {
  name: "delivery_request_keep",
  text: `with g as (select * from unnest($1::smallint[], $2::text[], $3::uuid[], $4::smallint[], $5::int[], $6::text[], $7::text[], $8::text[], $9::text[])
      as g (bucket, tag, id, attempt_count, version, method, headers, body, log)),
    held as (update pending_delivery p set transformed = true from g
      where p.bucket = g.bucket and p.tag = g.tag and p.id = g.id and p.lease_id = $10 and p.attempt_count = g.attempt_count
      returning g.bucket, g.tag, g.id, g.version, g.method, g.headers, g.body, g.log),
    kept as (insert into delivery_request (bucket, tag, delivery_id, version, method, headers, body, log)
      select bucket, tag, id, version, method, headers, body, log from held
      on conflict (bucket, tag, delivery_id) do update
        set version = excluded.version, method = excluded.method, headers = excluded.headers, body = excluded.body, log = excluded.log)
    select id from held`,
};

/** Returns for each request whether it was kept. Nothing is written for a delivery that is no longer leased to this process. */
export async function keepRequests(db: Db, leaseId: Uuid, rows: readonly NewDeliveryRequest[]): Promise<boolean[]> {
  const held = await db.hot<{ id: Uuid }>(KEEP, [
    columnOf.smallint(rows, (row) => row.bucket),
    columnOf.text(rows, (row) => row.tag),
    columnOf.uuid(rows, (row) => row.deliveryId),
    columnOf.smallint(rows, (row) => row.attemptCount),
    columnOf.int(rows, (row) => row.version),
    columnOf.text(rows, (row) => row.method),
    columnOf.text(rows, (row) => row.headers),
    columnOf.text(rows, (row) => row.body),
    columnOf.text(rows, (row) => row.log),
    leaseId,
  ]);
  const ids = new Set(held.map(({ id }) => id));
  return rows.map(({ deliveryId }) => ids.has(deliveryId));
}

const KEPT: HotStatement = {
  name: "delivery_request_kept",
  text: `select r.* from unnest($1::smallint[], $2::text[], $3::uuid[]) as w (bucket, tag, id)
    join delivery_request r on r.bucket = w.bucket and r.tag = w.tag and r.delivery_id = w.id`,
};

/** Returns the kept request of each delivery; undefined if it has none. */
export async function keptRequests(db: Db, keys: readonly DeliveryKey[]): Promise<(DeliveryRequestRow | undefined)[]> {
  const rows = await db.hot<DeliveryRequestRow & Record<string, unknown>>(KEPT, [
    columnOf.smallint(keys, (key) => key.bucket),
    columnOf.text(keys, (key) => key.tag),
    columnOf.uuid(keys, (key) => key.deliveryId),
  ]);
  const found = new Map(rows.map((row) => [row.delivery_id, row]));
  return keys.map(({ deliveryId }) => found.get(deliveryId));
}

export async function keptRequest(
  query: Query,
  place: TenantKey,
  deliveryId: Uuid,
): Promise<DeliveryRequestRow | undefined> {
  return await query
    .selectFrom("delivery_request")
    .selectAll()
    .$call(ofTenant(place))
    .where("delivery_id", "=", deliveryId)
    .executeTakeFirst();
}
