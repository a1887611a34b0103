import type { Tx } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";
import * as store from "./recovery.store.ts";
import type { Minted } from "./recovery.store.ts";
import { endResetLinks } from "../people/people.store.ts";
import { endSessionsOf } from "../sessions/sessions.store.ts";

export type { Minted } from "./recovery.store.ts";

/**
 * Ends what a lost session may have made, besides the sessions themselves: reset links, invitations, and the links of
 * Slack accounts. Unless `keeps`, connected apps, personal keys and standing approvals end too. Returns those that ended.
 */
export async function endMinted(
  tx: Tx,
  personId: Uuid,
  { now, keeps }: { readonly now: Date; readonly keeps: boolean },
): Promise<readonly Minted[]> {
  // First: it waits for what the sessions are making.
  await store.markRecovered(tx, personId, now);
  await endResetLinks(tx, personId, now);
  await endSessionsOf(tx, personId, now);
  await store.endOffersOf(tx, personId, now);
  return keeps ? [] : await store.endKeysOf(tx, personId, now);
}

const MOST_NAMED = 20;

/**
 * Returns the sentences of an e-mail about keys and apps that ended, and about keys of workspaces that the person knows, with
 * a leading space; empty for none. A lost session may have made the latter, and programs may depend on them.
 */
export async function recoveryText(tx: Tx, personId: Uuid, ended: readonly Minted[], now: Date): Promise<string> {
  const shared = await store.sharedKeysOf(tx.query, personId, now);
  const left =
    shared.length === 0
      ? ""
      : ` These API keys of workspaces still work, and your account was shown them: ${named(shared)}. Revoke or roll each key that you do not know.`;
  if (ended.length === 0) return left;
  return ` These connected apps and personal API keys have ended too: ${named(ended)}.${left}`;
}

function named(all: readonly Minted[]): string {
  const more = all.length > MOST_NAMED ? `, and ${all.length - MOST_NAMED} more` : "";
  return `${all
    .slice(0, MOST_NAMED)
    .map(({ kind, name, workspace }) => `${kind} “${name}” (${workspace})`)
    .join(", ")}${more}`;
}
