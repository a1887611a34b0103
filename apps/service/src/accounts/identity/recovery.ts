import type { Tx } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";
import * as store from "./recovery.store.ts";
import type { Minted } from "./recovery.store.ts";
import { endResetLinks } from "./people.store.ts";
import { endSessionsOf } from "./sessions.store.ts";

export type { Minted } from "./recovery.store.ts";

/**
 * Ends what a lost session may have made, besides the sessions themselves: reset links, invitations, and the links of
 * Slack accounts. Unless `keeps`, connected apps and personal keys end too. Returns those that ended.
 */
export async function endMinted(
  tx: Tx,
  personId: Uuid,
  { now, keeps }: { readonly now: Date; readonly keeps: boolean },
): Promise<readonly Minted[]> {
  await store.markRecovered(tx, personId, now);
  await endResetLinks(tx, personId, now);
  await endSessionsOf(tx, personId, now);
  await store.endOffersOf(tx, personId, now);
  return keeps ? [] : await store.endKeysOf(tx, personId, now);
}

const MOST_NAMED = 20;

/** Returns the sentence of an e-mail about keys and apps that ended, with a leading space; empty for none. */
export function endedText(ended: readonly Minted[]): string {
  if (ended.length === 0) return "";
  const named = ended
    .slice(0, MOST_NAMED)
    .map(({ kind, name, workspace }) => `${kind === "app" ? "app" : "key"} “${name}” (${workspace})`);
  const more = ended.length > MOST_NAMED ? `, and ${ended.length - MOST_NAMED} more` : "";
  return ` These connected apps and personal API keys have ended too: ${named.join(", ")}${more}.`;
}
