import { ofTenant, sql } from "../../platform/db/db.ts";
import type { Query, Tx } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";

/** The place of an effect that happens once, even if its call is repeated. */
export interface EffectPlace extends Pick<Scope, "bucket" | "tag"> {
  /** The connector's key. */
  readonly key: string;
  readonly cause: string;
  readonly name: string;
}

/** Returns true for the first claim. A concurrent claim waits until the transaction of the first one ends. */
export async function claimEffect(tx: Tx, place: EffectPlace): Promise<boolean> {
  const { bucket, tag, key, cause, name } = place;
  const { numInsertedOrUpdatedRows: inserted = 0n } = await tx.query
    .insertInto("connector_effect")
    .values({ bucket, tag, key, cause, name, answer: "null" })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted > 0n;
}

export async function setAnswer(tx: Tx, place: EffectPlace, answer: string): Promise<void> {
  await tx.query
    .updateTable("connector_effect")
    .set({ answer })
    .$call(ofTenant(place))
    .where("key", "=", place.key)
    .where("cause", "=", place.cause)
    .where("name", "=", place.name)
    .execute();
}

export async function findEffect(query: Query, place: EffectPlace): Promise<string | undefined> {
  const row = await query
    .selectFrom("connector_effect")
    .select("answer")
    .$call(ofTenant(place))
    .where("key", "=", place.key)
    .where("cause", "=", place.cause)
    .where("name", "=", place.name)
    .executeTakeFirst();
  return row?.answer;
}

export async function wasNoted(query: Query, place: EffectPlace): Promise<boolean> {
  return (await findEffect(query, place)) !== undefined;
}

export async function noteEffect(query: Query, { bucket, tag, key, cause, name }: EffectPlace): Promise<void> {
  await query
    .insertInto("connector_effect")
    .values({ bucket, tag, key, cause, name, answer: "null" })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns true if a connector's handler fired an event during one of these causes. */
export async function hasFired(
  query: Query,
  place: Pick<EffectPlace, "bucket" | "tag" | "key">,
  causes: readonly string[],
): Promise<boolean> {
  const row = await query
    .selectFrom("connector_effect")
    .select(sql<number>`1`.as("one"))
    .$call(ofTenant(place))
    .where("key", "=", place.key)
    .where("cause", "in", causes)
    .where("name", "like", "fire:%")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the cause of a handler's call, which is the same each time the handler receives the event. */
export function causeOf(eventId: Uuid, handler: string): string {
  return `event:${eventId}:${handler}`;
}
