import type { Db, Tx } from "../platform/db/db.ts";
import { retryOnConflict, ServiceError } from "../lib/lib.ts";
import type { Uuid } from "../lib/lib.ts";
import { ownUuid } from "../accounts/accounts.ts";
import type { Scope } from "../accounts/accounts.ts";
import { deleteActivities } from "./activity.store.ts";
import { findLiving } from "./claim.ts";
import * as store from "./contact.store.ts";
import type { ContactRow, ContactValues } from "./contact.store.ts";
import type { Folded } from "./last-write-wins.ts";
import { factValues, knownOf, NOBODY } from "./records.ts";
import type { PersonFacts } from "./records.ts";
import { partsOf } from "./parts.ts";
import { anonymiseTickets, moveTickets } from "./ticket.store.ts";
import { contactView } from "./contact-views.ts";
import type { ContactView } from "./contact-views.ts";
import type { PersonalData } from "./ports.ts";

export type Merging = ReturnType<typeof createMerging>;

export interface MergingDeps {
  readonly db: Db;
  readonly personalData: () => readonly PersonalData[];
}

/** The maximum number of times that an erasure is tried. Another module can have changed its rows at that moment. */
const TRIES = 5;

export function createMerging(deps: MergingDeps) {
  const { db } = deps;
  return {
    /**
     * Merges a contact into another, which keeps its own values and gets those that it lacks: addresses, external ids,
     * tags, score, timeline and tickets. From then on, the id of the first leads to the second. Returns the second.
     */
    async merge(scope: Scope, id: string, into: string): Promise<ContactView> {
      const [from, to] = [ownUuid(scope, "con", id), ownUuid(scope, "con", into)];
      if (from === to) throw sameContact();
      return await db.transaction(async (tx) => {
        const found = [await findLiving(tx.query, scope, from), await findLiving(tx.query, scope, to)] as const;
        // The contacts are merged already, perhaps by an earlier attempt whose response was lost.
        const merged =
          found[0].id === found[1].id ? found[1] : await mergeHeld(tx, scope, { from: found[0].id, into: found[1].id });
        return contactView(scope, merged, await partsOf(tx.query, scope, [merged.id]));
      });
    },
    /**
     * Erases a person. The contact, addresses, external ids, former ids and activities are deleted, and tickets lose
     * their customer and subject. Every registered module removes the person from its data.
     */
    async remove(scope: Scope, id: string): Promise<void> {
      const uuid = ownUuid(scope, "con", id);
      const erasing = async (tx: Tx): Promise<void> => await erase(deps, tx, scope, uuid);
      await retryOnConflict(TRIES, async () => await db.transaction(erasing));
    },
  };
}

async function erase({ personalData }: MergingDeps, tx: Tx, scope: Scope, id: Uuid): Promise<void> {
  const { id: living } = await findLiving(tx.query, scope, id);
  await held(tx, scope, [living]);
  const contactIds = [living, ...(await store.mergedInto(tx.query, scope, living))];
  for (const holder of personalData()) await holder.erase(tx, scope, contactIds);
  await deleteActivities(tx, scope, contactIds);
  await anonymiseTickets(tx, scope, living);
  await store.deleteTraces(tx, scope, living);
  await store.deleteContact(tx, scope, living);
}

function sameContact(): ServiceError {
  return new ServiceError("validation_failed", {
    errors: [{ pointer: "/into", code: "same", message: "must be another contact" }],
  });
}

/**
 * Activities are not moved, because a timeline reads those of all ids that a contact ever had. A million activities
 * therefore cost nothing here.
 */
async function mergeHeld(tx: Tx, scope: Scope, ids: { from: Uuid; into: Uuid }): Promise<ContactRow> {
  const rows = await held(tx, scope, [ids.from, ids.into]);
  const [from, into] = [rows.find((row) => row.id === ids.from), rows.find((row) => row.id === ids.into)];
  if (from === undefined || into === undefined) throw changedMeanwhile();
  await store.moveIdentities(tx, scope, into.id, await store.identitiesOf(tx.query, scope, [from.id]));
  await moveTickets(tx, scope, from.id, into.id);
  await store.recordMerge(tx, scope, from.id, into.id);
  await store.deleteContact(tx, scope, from.id);
  await store.countActivity(tx, scope, into.id, { scoreDelta: from.score, occurredAt: from.last_activity_at });
  return await store.updateContact(tx, scope, into.id, united(into, from));
}

/** Locks everything of these contacts that other transactions can lock: first their identities, then the contacts. */
async function held(tx: Tx, scope: Scope, ids: readonly Uuid[]): Promise<ContactRow[]> {
  await store.holdIdentitiesOf(tx, scope, ids);
  const rows = await store.lockContacts(tx, scope, ids);
  if (rows.length < ids.length) throw changedMeanwhile();
  return rows;
}

function changedMeanwhile(): ServiceError {
  return new ServiceError("conflict", { detail: "The contact was merged or erased. Read it again." });
}

const FACTS = ["email", "name", "told_stage", "implied_stage"] as const;

/** Returns the facts of both. If both have a fact, that of the remaining contact counts. */
function united(into: ContactRow, from: ContactRow): Partial<ContactValues> {
  const known = FACTS.reduce<Folded<PersonFacts>>(({ facts, stamps }, fact) => {
    const source = knownOf(into[fact] === null ? from : into);
    const stamp = source.stamps[fact];
    return {
      facts: { ...facts, [fact]: source.facts[fact] },
      stamps: stamp === undefined ? stamps : { ...stamps, [fact]: stamp },
    };
  }, NOBODY);
  return { ...factValues(known), tags: [...new Set([...into.tags, ...from.tags])] };
}
