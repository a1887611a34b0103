import type { CommitPart, Tx } from "../platform/db/db.ts";
import { toDate } from "../lib/lib.ts";
import type { Instant, Uuid } from "../lib/lib.ts";
import type { Scope } from "../accounts/accounts.ts";
import { heldContacts } from "./finding.store.ts";
import type { WholeContact } from "./finding.store.ts";
import { changesPart } from "./held.store.ts";
import type { ContactChange } from "./held.store.ts";
import { activitiesPart } from "./learning.store.ts";
import type { LearntActivity } from "./learning.store.ts";
import { MAX_SUMMARY, MAX_TAG, plainText } from "./plain-text.ts";
import { positionOf } from "./position.ts";
import { contactView } from "./contact-views.ts";
import type { ContactView } from "./contact-views.ts";

/** The maximum number of a contact's tags. */
const MAX_TAGS = 100;

export interface ScoreChange {
  /** The id of the activity that reports the change. */
  readonly activityId: Uuid;
  readonly by: number;
  readonly eventType: string;
  readonly summary: string;
  readonly occurredAt: Instant;
}

/**
 * Contacts that a transaction has locked, with their changes. A change is visible at once, and is written with `parts`.
 */
export type HeldContacts = Awaited<ReturnType<typeof holdAll>>;

/**
 * Locks contacts until the transaction ends, in the order that all transactions use. Contacts that no longer exist are
 * left out.
 */
export async function holdAll(tx: Tx, contacts: readonly { readonly scope: Scope; readonly id: Uuid }[]) {
  const keys = contacts.map(({ scope: { bucket, tag }, id }) => ({ bucket, tag, id }));
  const distinct = [...new Map(keys.map((key) => [key.id, key])).values()];
  const held = new Map(await heldContacts(tx, distinct));
  const changes: ContactChange[] = [];
  const activities: LearntActivity[] = [];
  const tagged = new Set<Uuid>();
  const put = (whole: WholeContact, change: Partial<WholeContact["row"]>): void =>
    void held.set(whole.row.id, { ...whole, row: { ...whole.row, ...change } });

  return {
    /** Returns the current view; undefined if the contact is not locked. */
    view: (scope: Scope, id: Uuid): ContactView | undefined => wholeContactView(scope, held.get(id)),
    /** Changes the score, and adds an activity of kind `action`. Returns false if the contact is not locked. */
    adjustScore(
      { bucket, tag }: Scope,
      id: Uuid,
      { activityId, by, eventType, summary, occurredAt }: ScoreChange,
    ): boolean {
      const whole = held.get(id);
      if (whole === undefined) return false;
      const occurred_at = toDate(occurredAt);
      activities.push({
        bucket,
        tag,
        id: activityId,
        contact_id: id,
        kind: "action",
        event_type: eventType,
        summary: plainText(summary, MAX_SUMMARY),
        score_delta: String(by),
        occurred_at,
        position: positionOf(occurredAt, activityId),
      });
      changes.push({ bucket, tag, id, scoreDelta: String(by), occurredAt: occurred_at, tags: null });
      const score = String(Number(whole.row.score) + by);
      put(whole, { score, last_activity_at: later(whole.row.last_activity_at, occurred_at) });
      return true;
    },
    /** Adds a tag, truncated to the maximum length, and returns the result. */
    addTag(_scope: Scope, id: Uuid, tag: string): "added" | "there" | "full" | "gone" {
      const whole = held.get(id);
      if (whole === undefined) return "gone";
      const text = plainText(tag, MAX_TAG);
      const { tags } = whole.row;
      if (tags.includes(text)) return "there";
      if (tags.length >= MAX_TAGS) return "full";
      put(whole, { tags: [...tags, text] });
      tagged.add(id);
      return "added";
    },
    /** Returns the writes of all changes. */
    parts(): CommitPart[] {
      const tags = [...tagged].flatMap((id) => tagsOf(held.get(id)));
      const all = [...changes, ...tags];
      return [
        ...(all.length === 0 ? [] : [changesPart(all)]),
        ...(activities.length === 0 ? [] : [activitiesPart(activities)]),
      ];
    },
  };
}

function later(known: Date | null, occurred: Date): Date {
  return known !== null && known > occurred ? known : occurred;
}

function wholeContactView(scope: Scope, whole: WholeContact | undefined): ContactView | undefined {
  if (whole === undefined) return undefined;
  const { row, identities, ticketsOpen } = whole;
  return contactView(scope, row, { identities, ticketsOpen: new Map([[row.id, ticketsOpen]]) });
}

function tagsOf(whole: WholeContact | undefined): ContactChange[] {
  if (whole === undefined) return [];
  const { bucket, tag, id, tags } = whole.row;
  return [{ bucket, tag, id, scoreDelta: null, occurredAt: null, tags }];
}
