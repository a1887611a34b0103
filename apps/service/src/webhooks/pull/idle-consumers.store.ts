import { sql } from "../../platform/db/db.ts";
import type { Db, HotStatement, Query, Tx } from "../../platform/db/db.ts";
import type { Tag, TenantKey, Uuid } from "../../lib/lib.ts";

/** A consumer of a pull endpoint that has not pulled for long. */
export interface IdleConsumer extends Record<string, unknown> {
  readonly bucket: number;
  readonly tag: Tag;
  readonly endpoint_id: Uuid;
  readonly name: string;
  readonly workspace_id: Uuid;
  readonly tenant: string | null;
}

const UNTOLD = `c.last_pulled_at < now() - interval '11 months' and (c.noticed_at is null or c.noticed_at < c.last_pulled_at)`;
/** People have 30 days, also if the service was off when eleven months were over. */
const OVERDUE = `c.last_pulled_at < now() - interval '1 year' and c.noticed_at > c.last_pulled_at and c.noticed_at < now() - interval '30 days'`;

/** No index finds these rows, because each pull would write it. */
function consumersThat(name: string, condition: string): HotStatement {
  return {
    name: `pull_consumers_${name}`,
    text: `select c.bucket, c.tag, c.endpoint_id, c.name, e.workspace_id, e.tenant from pull_consumer c
      join endpoint e on e.bucket = c.bucket and e.tag = c.tag and e.id = c.endpoint_id and e.deleted_at is null
      where ${condition} limit $1`,
  };
}

const FIND_UNTOLD = consumersThat("untold", UNTOLD);
const FIND_OVERDUE = consumersThat("overdue", OVERDUE);

/** Finds consumers that have not pulled for eleven months, of which no one was informed since. */
export async function untoldConsumers(db: Db, limit: number): Promise<IdleConsumer[]> {
  return await db.onEachShard(async () => await db.hot<IdleConsumer>(FIND_UNTOLD, [limit]));
}

/** Finds consumers that have not pulled for a year, of which people were informed 30 days ago or earlier. */
export async function overdueConsumers(db: Db, limit: number): Promise<IdleConsumer[]> {
  return await db.onEachShard(async () => await db.hot<IdleConsumer>(FIND_OVERDUE, [limit]));
}

const OF_CONSUMER = `c.bucket = $1 and c.tag = $2 and c.endpoint_id = $3 and c.name = $4`;
/** Both check the condition again, on the row that they have locked. */
const NOTICE: HotStatement = {
  name: "pull_consumer_notice",
  text: `update pull_consumer c set noticed_at = now() where ${OF_CONSUMER} and ${UNTOLD} returning 1`,
};
const END: HotStatement = {
  name: "pull_consumer_end",
  text: `delete from pull_consumer c where ${OF_CONSUMER} and ${OVERDUE} returning position::float8 as position`,
};

/** Notes that people are informed. Returns false if another node was first, or the consumer has pulled. */
export async function noticeIdle(tx: Tx, { bucket, tag, endpoint_id: id, name }: IdleConsumer): Promise<boolean> {
  return (await tx.hot(NOTICE, [bucket, tag, id, name])).length > 0;
}

/** Deletes an overdue consumer. Returns its position; undefined if another node was first, or the consumer has pulled. */
export async function endIdle(
  tx: Tx,
  { bucket, tag, endpoint_id: id, name }: IdleConsumer,
): Promise<number | undefined> {
  const [row] = await tx.hot<{ position: number }>(END, [bucket, tag, id, name]);
  return row?.position;
}

export interface ToldConsumer {
  readonly name: string;
  readonly last_pulled_at: Date;
  readonly endpoint_id: Uuid;
  readonly description: string;
  readonly url: string;
}

/** Returns the consumers of which people were informed and that have not pulled since, of one tenant's endpoints or of all. */
export async function toldConsumers(
  query: Query,
  { bucket, tag, tenant }: TenantKey & { readonly tenant: string | undefined },
  limit: number,
): Promise<ToldConsumer[]> {
  const ofTenant = tenant === undefined ? sql`` : sql`and e.tenant = ${tenant}`;
  const { rows } =
    await sql<ToldConsumer>`select c.name, c.last_pulled_at, c.endpoint_id, e.description, e.url from pull_consumer c
      join endpoint e on e.bucket = c.bucket and e.tag = c.tag and e.id = c.endpoint_id and e.deleted_at is null ${ofTenant}
    where c.bucket = ${bucket} and c.tag = ${tag} and c.noticed_at > c.last_pulled_at
    order by c.last_pulled_at, c.name limit ${limit}`.execute(query);
  return rows;
}
