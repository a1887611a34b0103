import type { Db, Tx } from "../../platform/db/db.ts";
import type { Json } from "../../lib/lib.ts";
import { claimEffect, findEffect, noteEffect, setAnswer } from "./effects.store.ts";
import type { EffectPlace } from "./effects.store.ts";
import { parseJson } from "../../lib/lib.ts";

/**
 * Runs a database change once for its place. A repeated call returns the first answer. Without a place the call is
 * never repeated.
 */
export async function once<Answer extends Json>(
  db: Db,
  place: EffectPlace | null,
  work: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  return await db.transaction(async (tx) => {
    if (place === null) return await work(tx);
    if (!(await claimEffect(tx, place))) return parseJson((await findEffect(tx.query, place)) ?? "null") as Answer;
    const answer = await work(tx);
    await setAnswer(tx, place, JSON.stringify(answer));
    return answer;
  });
}

/**
 * Does the same for an effect outside of the database, which is recorded after it happened. A crash in between repeats
 * it.
 */
export async function onceOutside(db: Db, place: EffectPlace | null, work: () => Promise<void>): Promise<void> {
  if (place !== null && (await findEffect(db.query, place)) !== undefined) return;
  await work();
  if (place !== null) await noteEffect(db.query, place);
}
