import type { CommitPart, Tx } from "../platform/db/db.ts";
import { toDate } from "../lib/lib.ts";
import type { Instant, Uuid } from "../lib/lib.ts";
import type { Scope } from "../accounts/accounts.ts";
import { holdContacts, wholeContacts } from "./finding.store.ts";
import type { WholeContact } from "./finding.store.ts";
import { changesPart } from "./held.store.ts";
import type { ContactChange } from "./held.store.ts";
import { activitiesPart } from "./learning.store.ts";
import type { LearntActivity } from "./learning.store.ts";
import { MAX_SUMMARY, MAX_TAG, plainText } from "./plain-text.ts";
import { positionOf } from "./position.ts";
import { contactView } from "./views.ts";
import type { ContactView } from "./views.ts";

/** A contact's tags at most. */
const MAX_TAGS = 100;

export interface ScoreChange {
  /** Of the activity that tells of it. */
  readonly activityId: Uuid;
  readonly by: number;
  readonly eventType: string;
  readonly summary: string;
  readonly occurredAt: Instant;
}

/** Contacts that a transaction holds, and what is done to them in it: seen at once, and written with `parts`. */
export interface HeldContacts {
  /** As it is now; undefined for one that is not held. */
  view(scope: Scope, id: Uuid): ContactView | undefined;
  /** Changes the score, with an activity of kind `action`. False for a contact that is not held. */
  adjustScore(scope: Scope, id: Uuid, change: ScoreChange): boolean;
  /** What became of it; a tag is cut to its longest length. */
  addTag(scope: Scope, id: Uuid, tag: string): "added" | "there" | "full" | "gone";
  /** Writes what was done, each contact once. */
  parts(): CommitPart[];
}

/** Holds contacts until the transaction ends, in the order in which all others do. Those that are no more are not held. */
export async function holdAll(
  tx: Tx,
  contacts: readonly { readonly scope: Scope; readonly id: Uuid }[],
): Promise<HeldContacts> {
  const keys = contacts.map(({ scope: { bucket, tag }, id }) => ({ bucket, tag, id }));
  const distinct = [...new Map(keys.map((key) => [key.id, key])).values()];
  await holdContacts(tx, distinct);
  const held = new Map(await wholeContacts(tx, distinct));
  const changes: ContactChange[] = [];
  const activities: LearntActivity[] = [];
  const tagged = new Set<Uuid>();
  const put = (whole: WholeContact, change: Partial<WholeContact["row"]>): void =>
    void held.set(whole.row.id, { ...whole, row: { ...whole.row, ...change } });

  return {
    view: (scope, id) => viewOf(scope, held.get(id)),
    adjustScore({ bucket, tag }, id, { activityId, by, eventType, summary, occurredAt }) {
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
      put(whole, { score: String(Number(whole.row.score) + by), last_activity_at: occurred_at });
      return true;
    },
    addTag(_scope, id, tag) {
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
    parts() {
      const tags = [...tagged].flatMap((id) => tagsOf(held.get(id)));
      const all = [...changes, ...tags];
      return [
        ...(all.length === 0 ? [] : [changesPart(all)]),
        ...(activities.length === 0 ? [] : [activitiesPart(activities)]),
      ];
    },
  };
}

function viewOf(scope: Scope, whole: WholeContact | undefined): ContactView | undefined {
  if (whole === undefined) return undefined;
  const { row, identities, ticketsOpen } = whole;
  return contactView(scope, row, { identities, ticketsOpen: new Map([[row.id, ticketsOpen]]) });
}

function tagsOf(whole: WholeContact | undefined): ContactChange[] {
  if (whole === undefined) return [];
  const { bucket, tag, id, tags } = whole.row;
  return [{ bucket, tag, id, scoreDelta: null, occurredAt: null, tags }];
}
