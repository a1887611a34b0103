import type { Db, Tx } from "../../platform/db/db.ts";
import type { Json } from "../../lib/lib.ts";
import { claimEffect, findEffect, noteEffect, setAnswer } from "./effects.store.ts";
import type { EffectPlace } from "./effects.store.ts";

/**
 * Does something in the database once for a cause: made again, it answers what it answered first. Without a cause there is no again.
 */
export async function once<Answer extends Json>(
  db: Db,
  place: EffectPlace | null,
  work: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  return await db.transaction(async (tx) => {
    if (place === null) return await work(tx);
    if (!(await claimEffect(tx, place))) return JSON.parse((await findEffect(tx.query, place)) ?? "null") as Answer;
    const answer = await work(tx);
    await setAnswer(tx, place, JSON.stringify(answer));
    return answer;
  });
}

/** The same for what leaves the database: it is written down when it was done. A crash between the two does it again. */
export async function onceOutside(db: Db, place: EffectPlace | null, work: () => Promise<void>): Promise<void> {
  if (place !== null && (await findEffect(db.query, place)) !== undefined) return;
  await work();
  if (place !== null) await noteEffect(db.query, place);
}
